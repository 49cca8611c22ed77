"""The repository's Python files, parsed for the house rules."""

import ast
import functools
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("torchlike", "tests", "tools", "examples", "benchmarks")


@dataclass(frozen=True)
class Source:
    """A Python file: its path from the root, its dotted module name and its syntax tree."""

    path: Path
    module: str
    is_package: bool
    tree: ast.Module

    def __str__(self) -> str:
        return self.path.as_posix()


@functools.cache
def sources(top: str) -> list[Source]:
    """Return the Python files under ``top``, sorted by path."""
    return [_read(path) for path in sorted((ROOT / top).rglob("*.py"))]


def _read(path: Path) -> Source:
    short = path.relative_to(ROOT)
    names = short.with_suffix("").parts
    is_package = names[-1] == "__init__"
    module = ".".join(names[:-1] if is_package else names)
    return Source(short, module, is_package, ast.parse(path.read_bytes(), str(short)))


@functools.cache
def text_files() -> list[Path]:
    """Return the text files that git tracks or would track, as absolute paths."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [ROOT / name for name in names.split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


def code_lines(tree: ast.AST) -> int:
    """Return the number of lines with code, not counting docstrings, comments and blank lines."""
    docs = {line for node in ast.walk(tree) for line in _docstring_lines(node)}
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.arg | ast.alias | ast.keyword):
            lines.update((node.lineno, node.end_lineno or node.lineno))
    return len(lines - docs)


def _docstring_lines(node: ast.AST) -> range:
    body = getattr(node, "body", None)
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)


def imports(source: Source) -> list[tuple[int, str]]:
    """Return the modules that importing the file imports, as pairs of a line and an absolute dotted name.

    ``from .x import y`` counts as ``x.y``. Imports under ``if TYPE_CHECKING`` and inside functions are left out,
    because they do not affect the import order.
    """
    return [(node.lineno, name) for node in _at_import(source.tree) for name in _names(node, source)]


def runtime_imports(source: Source) -> list[tuple[int, str]]:
    """Return the imports that ``imports`` returns, and also those inside functions."""
    return [(node.lineno, name) for node in _at_import(source.tree, inside=True) for name in _names(node, source)]


def all_imports(source: Source) -> list[tuple[int, str]]:
    """Return all imports, including those inside functions and under ``if TYPE_CHECKING``."""
    return [(node.lineno, name) for node in ast.walk(source.tree) for name in _names(node, source)]


def _at_import(node: ast.AST, inside: bool = False):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not inside:
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _at_import(child, inside)


def _names(node: ast.AST, source: Source) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = source.module.split(".")
        up = node.level - source.is_package
        parents = package[: len(package) - up] if up else package
        base = ".".join([*parents, base]).rstrip(".")
    return [f"{base}.{alias.name}" for alias in node.names]
