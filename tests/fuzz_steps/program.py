"""A program is a training script that runs in either library. This module also shrinks programs."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

_FILE = "<program>"
_ADDRESS = re.compile("0x[0-9a-f]+|[0-9]{12,}")
# The message about missing arguments differs for a function written in C.
_MISSING = re.compile(" missing [0-9]+ required positional argument.*")


@dataclass(frozen=True)
class Program:
    """A script that uses `torch`, `nn`, `F`, `copy`, `io` and `math`. In it, `compile(f)` marks the compiled functions.

    Attributes:
      dtype: The default dtype.
      executor: How compiled calls run: "numpy" interprets the captured program, "xla" compiles it.
      is_deep: Whether to compare the state of the optimizers after each call too. Reading it makes their next step
        gather the state again.
    """

    text: str
    dtype: str = "float64"
    executor: str = "numpy"
    is_deep: bool = True

    @functools.cached_property
    def statements(self) -> list[str]:
        """The top-level statements."""
        lines = self.text.split("\n")
        return ["\n".join(lines[s.lineno - 1 : s.end_lineno]) for s in ast.parse(self.text).body]

    def is_looked_at(self, number: int) -> bool:
        """Return whether all state is compared after the statement with this number."""
        statement = self.statements[number]
        return number == len(self.statements) - 1 or statement.startswith(("out = ", "try:"))


def listed(text: str) -> tuple[str, ...]:
    """Split a text at its empty lines into statements. The line `# 3 times` before a statement repeats it."""
    found: list[str] = []
    for statement in text.strip().split("\n\n"):
        times = re.match(r"# (\d+) times\n", statement)
        found += [statement[times.end() :] if times else statement] * (int(times[1]) if times else 1)
    return tuple(found)


def start(library: Any, compile: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the initial namespace of a program."""
    importlib.import_module(f"{library.__name__}.nn.utils.prune")  # PyTorch does not import it by itself
    return {
        "__name__": "program",
        "torch": library,
        "nn": library.nn,
        "F": library.nn.functional,
        "copy": copy,
        "io": io,
        "math": math,
        "compile": compile,
    }


@functools.lru_cache(4096)
def _compiled(statement: str) -> Any:
    return compile(statement, _FILE, "exec")


def execute(statement: str, names: dict[str, Any]) -> tuple[str, str] | None:
    """Run one statement and return the type and first line of its error, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(_compiled(statement), names)
        except Exception as error:
            return type(error).__name__, _told(error)
    return None


def _told(error: Exception) -> str:
    """Return the first line of an error's message, without the parts that necessarily differ between the libraries."""
    line = _ADDRESS.sub("0x", str(error).partition("\n")[0]).replace("torchlike.", "torch.")
    return _MISSING.sub(" missing", line)


def smallest(program: Program, differs: Callable[[Program], bool]) -> Program:
    """Return the program without the statements, at any depth, that are not needed to reproduce the difference."""
    changed = True
    while changed:
        changed = False
        for text in _shorter(program.text):
            fewer = replace(program, text=text)
            if differs(fewer):
                program, changed = fewer, True
                break
    return program


def _shorter(text: str) -> Iterator[str]:
    """Yield variants of the program, the last statements first.

    Each variant lacks one statement, or has the body of a compound statement in its place.
    """
    count = len(list(_places(ast.parse(text))))
    for number in reversed(range(count)):
        for inline in (False, True):
            tree = ast.parse(text)
            body, i = list(_places(tree))[number]
            inner = getattr(body[i], "body", None) if inline and not isinstance(body[i], ast.FunctionDef) else []
            if inline and not inner:
                continue
            body[i : i + 1] = inner or []
            if not body and body is not tree.body:
                body.append(ast.Pass())
            with contextlib.suppress(Exception):
                shorter = ast.unparse(ast.fix_missing_locations(tree))
                if shorter != text and shorter:
                    yield shorter


def _places(tree: ast.AST) -> Iterator[tuple[list, int]]:
    """Yield each statement of a tree as its list and its index in the list."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            held = getattr(node, field, None)
            if isinstance(held, list):
                yield from ((held, i) for i, s in enumerate(held) if not isinstance(s, ast.Pass) or len(held) > 1)


def script(program: Program) -> str:
    """Format the program as a script for either library."""
    head = [
        "import copy, io, math",
        "import torchlike as torch",
        "from torchlike import nn",
        "import torchlike.nn.functional as F",
        f"torch.set_default_dtype(torch.{program.dtype})",
        "compile = torch.compile",
    ]
    return "\n".join([*head, "", program.text])
