"""The Python code of scripts, packages and notebooks, read without running it."""

from __future__ import annotations

import ast
import json
import os
import re
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SUFFIXES = (".py", ".ipynb")
IGNORED = {"__pycache__", "node_modules"}
COMMAND = re.compile(r"^(\s*)([%!?].*|[^#]*\?|[\w, ]+=\s*[%!].*)$")  # a command of IPython


class Unreadable(NamedTuple):
    """A file, or a cell of a notebook, that could not be parsed."""

    path: str
    line: int
    why: str


class Source(NamedTuple):
    """The parsed code of a file. The lines of a notebook count from the first line of its first cell.

    `cells` has the first line of each cell and its number, and is empty for a file that is not a notebook.
    """

    path: str
    tree: ast.Module
    errors: list[Unreadable]
    cells: list[tuple[int, int]]

    def place(self, line: int) -> tuple[str, int]:
        """Return the path of a line, with the number of its cell, and the number of the line there."""
        return _place(self.path, self.cells, line)


def files(path: Path) -> Iterator[Path]:
    """Yield a file, or the scripts and notebooks of a folder and its subfolders except hidden ones."""
    if path.is_file():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in IGNORED)
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(SUFFIXES))


def read(path: Path) -> Source:
    """Parse a file. Errors, such as a syntax error, are in the result."""
    try:
        if path.suffix == ".ipynb":
            return _notebook(path)
        with tokenize.open(path) as file:
            return Source(str(path), _parsed(file.read()), [], [])
    except SyntaxError as error:  # also raised by tokenize.open for an unknown encoding
        return _failed(path, error.lineno or 1, error.msg)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        return _failed(path, 1, str(error) or type(error).__name__)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape sequence
        return ast.parse(text)


def _failed(path: Path, line: int, why: str) -> Source:
    return Source(str(path), ast.Module([], []), [Unreadable(str(path), line, why)], [])


def _notebook(path: Path) -> Source:
    """Parse the code cells of a notebook into one module. Cells that are not Python are left out."""
    document = json.loads(path.read_text("utf-8"))
    worksheets = [document, *document.get("worksheets", [])]  # a notebook of format 3 has worksheets
    code = [cell for sheet in worksheets for cell in sheet.get("cells", []) if cell.get("cell_type") == "code"]
    source = Source(str(path), ast.Module([], []), [], [])
    begin = 1
    for number, cell in enumerate(code, 1):
        lines = "".join(cell.get("source", cell.get("input", ""))).splitlines()
        source.cells.append((begin, number))
        try:
            tree = _cell(lines)
            source.tree.body.extend(ast.increment_lineno(tree, begin - 1).body)
        except SyntaxError as error:
            where, line = source.place(begin + (error.lineno or 1) - 1)
            source.errors.append(Unreadable(where, line, error.msg))
        begin += len(lines) + 1
    return source


def _cell(lines: list[str]) -> ast.Module:
    """Parse a cell. A cell in another language is empty, and IPython's commands are replaced by `pass`."""
    if lines and lines[0].startswith("%%"):
        is_python = lines[0].split()[0] in ("%%time", "%%timeit", "%%capture", "%%prun")
        lines = ["", *lines[1:]] if is_python else []
    try:
        return _parsed("\n".join(lines))
    except SyntaxError:
        return _parsed("\n".join(COMMAND.sub(r"\1pass", line) for line in lines))


def _place(path: str, cells: list[tuple[int, int]], line: int) -> tuple[str, int]:
    before = [(begin, number) for begin, number in cells if begin <= line]
    if not before:
        return path, line
    begin, number = before[-1]
    return f"{path}[cell {number}]", line - begin + 1
