"""The names of PyTorch that public repositories use, and those that torchlike has: `docs/names.md`.

`python -m tests.conformance.names` writes the table. `names.csv` holds the names with the number of repositories.

A name counts as tested if a test reaches it in its own namespace, in one of these ways:

- PyTorch's operator database has an entry for it that was run (also its method and in-place variant, if these were
  run).
- Samples of `tests/ops` are compared with it.
- It occurs in the syntax tree of a test as an attribute of a library (`library.nn.Linear`; assignments and imports of
  parts of a library are followed).
- It is a string in a file that looks up strings in one of the smaller namespaces (`getattr(library.optim, word)`).
- For `Tensor`: it occurs as an attribute of any other expression (`x.new_zeros`), unless Python's own types have it
  too.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

from tests.ops.samples import SAMPLES
from torchlike._ops import REGISTRY

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs" / "names.md"
WHOLE = "torch.distributed"  # the namespace in which a test visits every listed name
USED_BY_SOME = 3  # a name that this many repositories use must exist
CORE = ("torch", "Tensor", "torch.linalg", "torch.fft", "torch.special", "torch.nn.functional")
# The variables that stand for a library or a part of one, unless an import or assignment says otherwise.
LIBRARIES = {
    **dict.fromkeys(("torch", "torchlike", "library", "L"), "torch"),
    "F": "torch.nn.functional",
    "nn": "torch.nn",
}


class Name(NamedTuple):
    text: str
    repositories: int

    @property
    def place(self) -> str:
        """The namespace of the name.

        It consists of the first component of a name of two, and of the first two of a longer name. The exception is
        `torch.nn.functional`.
        """
        if self.text.startswith("torch.nn.functional."):
            return "torch.nn.functional"
        words = self.text.split(".")
        return words[0] if len(words) == 2 else ".".join(words[:2])


def names() -> list[Name]:
    with (Path(__file__).parent / "names.csv").open() as file:
        return [Name(row["name"], int(row["repositories"])) for row in csv.DictReader(file)]


def resolves(name: str) -> bool:
    """Return whether torchlike has a name, as an attribute or a module."""
    words = name.split(".")
    path = "torchlike"
    found = importlib.import_module(path)
    for word in words[words[0] == "torch" :]:
        path += "." + word
        try:
            found = getattr(found, word)
        except (AttributeError, ImportError):
            try:
                found = importlib.import_module(path)
            except ImportError:
                return False
    return True


@cache
def reached() -> frozenset[str]:
    """Return the names that tests reach, each in its namespace."""
    found = {*_by_database(), *_by_samples(), *[n.text for n in names() if n.place == WHOLE]}
    for path in (ROOT / "tests").rglob("*.py"):
        if path != Path(__file__):
            found |= _Reader().read(ast.parse(path.read_text("utf-8")))
    return frozenset(found)


def _by_database() -> Iterator[str]:
    for entry, kinds in json.loads((ROOT / "docs" / "coverage.json").read_text("utf-8")).items():
        name = entry.partition(" ")[0]
        last = name.rpartition(".")[2]
        ran = {kind.partition(" ")[0] for kind, verdict in kinds.items() if sum(verdict[:2])}
        yield from (f"torch.{name}",) if "forward" in ran else ()
        yield from (f"Tensor.{last}",) if "method" in ran else ()
        yield from (f"Tensor.{last}_",) if "in-place" in ran else ()


def _by_samples() -> Iterator[str]:
    for key in SAMPLES:
        if "." in key:
            yield key if key.startswith("Tensor.") else f"torch.{key}"
            continue
        place = REGISTRY[key].public.where[0] if key in REGISTRY and REGISTRY[key].public.where else "torch"
        yield f"{place}.{key}" if place in ("torch", "Tensor") else f"torch.{place}.{key}"
        yield from (f"Tensor.{name}" for name in (key, key + "_") if hasattr(torch.Tensor, name))


# Attributes that a string, list, path or other Python object also has.
PYTHONS = frozenset(name for kind in (str, list, dict, set, Path, complex) for name in dir(kind))


class _Reader(ast.NodeVisitor):
    """A visitor that collects the names that one file reaches."""

    def read(self, tree: ast.AST) -> set[str]:
        self.parts, self.found = dict(LIBRARIES), set[str]()
        for node in ast.walk(tree):
            self._import(node)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                self._assign(node.targets[0], node.value)
        self.words, self.looked_up = set[str](), set[str | None]()
        self.visit(tree)
        return self.found | {f"{part}.{word}" for part in self.looked_up for word in self.words}

    def _import(self, node: ast.AST) -> None:
        given = [(a, None) for a in node.names] if isinstance(node, ast.Import) else []
        given += [(a, node.module) for a in node.names] if isinstance(node, ast.ImportFrom) else []
        for alias, module in given:
            path = f"{module}.{alias.name}" if module else alias.name
            top, _, rest = path.partition(".")
            if top in ("torch", "torchlike"):
                whole = "torch" + ("." + rest if rest else "")
                self.found.add(whole)
                self.parts[alias.asname or (alias.name if module else top)] = (
                    whole if module or alias.asname else "torch"
                )

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, value.elts):
                self._assign(one, other)
        elif isinstance(target, ast.Name) and (part := self._part(value)):
            self.parts.setdefault(target.id, part)

    def _part(self, node: ast.AST) -> str | None:
        """Return the path within a library that an expression names, or None."""
        if isinstance(node, ast.Name):
            return self.parts.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._part(node.value)
            return owner and f"{owner}.{node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            owner, name = self._part(node.args[0]), node.args[1]
            return f"{owner}.{name.value}" if owner and isinstance(name, ast.Constant) else None
        return None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._reach(self._part(node), node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        named = isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr") and len(node.args) > 1
        if named and isinstance(node.args[1], ast.Constant):
            self._reach(self._part(node), str(node.args[1].value))
        elif named and (part := self._part(node.args[0])) not in (None, *CORE):
            self.looked_up.add(part)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and node.value.isidentifier():
            self.words.add(node.value)
        # A string may be an expression in a table of expressions.
        elif isinstance(node.value, str) and ("(" in node.value or "." in node.value):
            with contextlib.suppress(SyntaxError, ValueError):
                self.visit(ast.parse(node.value.strip(), mode="eval"))

    def _reach(self, part: str | None, last: str) -> None:
        if part is None:
            self.found |= {f"Tensor.{last}"} - {f"Tensor.{name}" for name in PYTHONS}
            return
        self.found.add(part.replace("torch.Tensor.", "Tensor."))
        self.found.add(part)


def is_tested(name: str) -> bool:
    return name in reached()


def table() -> str:
    groups: dict[str, list[Name]] = {}
    for name in names():
        groups.setdefault(name.place, []).append(name)
    lines = [
        *HEAD,
        "| namespace | names | present | used by three or more | present | tested |",
        "|---|---|---|---|---|---|",
    ]
    missing: list[str] = []
    for place in sorted(groups, key=lambda p: (p not in CORE, -len(groups[p]), p)):
        group = groups[place]
        lacking = [n for n in group if not resolves(n.text)]
        used = [n for n in group if n.repositories >= USED_BY_SOME]
        there = [n for n in used if n not in lacking]
        tested = sum(is_tested(n.text) for n in there)
        lines.append(
            f"| `{place}` | {len(group)} | {len(group) - len(lacking)} | {len(used)} | {len(there)} | {tested} |"
        )
        missing += [f"- `{place}`: " + ", ".join(f"`{n.text}` {n.repositories}" for n in lacking)] if lacking else []
    told = ["The number is that of the repositories that use the name.", "", *missing] if missing else ["None."]
    return "\n".join([*lines, "", "## Missing", "", *told]) + "\n"


HEAD = [
    "# Names",
    "",
    "The names that a sample of public PyTorch repositories uses, and how many of them torchlike has. Written by",
    "`python -m tests.conformance.names`; its docstring defines when a name counts as tested.",
    "",
]

if __name__ == "__main__":
    PATH.write_text(table(), "utf-8")
