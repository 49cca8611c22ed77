"""The names of PyTorch that public repositories use, and which of them torchlike has: `docs/names.md`.

`python -m tests.conformance.names` writes the table anew. `names.csv` holds the names with the number of repositories.

A name counts as tested if PyTorch's operator database has an entry for it, if it is a row of the registry (all of which
have samples that are judged), or if some test says it: as an attribute (`library.nn.Linear`, `x.new_zeros`), or as a
name or an expression in a test's table.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from torchlike._ops import REGISTRY

ROOT = Path(__file__).parents[2]
PATH = ROOT / "docs" / "names.md"
USED_BY_SOME = 3  # repositories, from which on a name is to be there
CORE = ("torch", "Tensor", "torch.linalg", "torch.fft", "torch.special", "torch.nn.functional")


class Name(NamedTuple):
    text: str
    repositories: int

    @property
    def place(self) -> str:
        """The namespace in which it stands; of deeper ones the first two words."""
        if self.text.startswith("torch.nn.functional."):
            return "torch.nn.functional"
        words = self.text.split(".")
        return words[0] if len(words) == 2 else ".".join(words[:2])


def names() -> list[Name]:
    with (Path(__file__).parent / "names.csv").open() as file:
        return [Name(row["name"], int(row["repositories"])) for row in csv.DictReader(file)]


def resolves(name: str) -> bool:
    """Whether torchlike has a name, as an attribute or a module."""
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
def said_in_tests() -> frozenset[str]:
    """The attributes that tests look at, alone and with the word before them, and the words of their tables."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        if path != Path(__file__):
            _collect(ast.parse(path.read_text("utf-8")), found)
    return frozenset(found)


def _collect(tree: ast.AST, found: set[str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            before = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            found |= {node.attr, f"{before}.{node.attr}"}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
            if "(" in node.value or "." in node.value:  # an expression, in a table of them
                with contextlib.suppress(SyntaxError, ValueError):
                    _collect(ast.parse(node.value.strip(), mode="eval"), found)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)  # a table written as dict(name=...)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names}


@cache
def judged() -> frozenset[str]:
    """The rows of the registry and the entries of PyTorch's operator database, by their last word."""
    entries = json.loads((ROOT / "docs" / "coverage.json").read_text("utf-8"))
    return frozenset(REGISTRY) | {name.rpartition(".")[2].partition(" ")[0] for name in entries}


def is_tested(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last in judged() or last.removesuffix("_") in judged() or last in said_in_tests()


def table() -> str:
    groups: dict[str, list[Name]] = {}
    for name in names():
        groups.setdefault(name.place, []).append(name)
    lines = [
        *HEAD,
        "| namespace | names | there | used by three and more | there | tested |",
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
    return "\n".join([*lines, "", "## Missing", "", "With the number of repositories.", "", *missing]) + "\n"


HEAD = [
    "# Names",
    "",
    "The names that a sample of public PyTorch repositories uses, and which of them torchlike has: written by",
    "`python -m tests.conformance.names`, which says when a name counts as tested.",
    "",
]

if __name__ == "__main__":
    PATH.write_text(table(), "utf-8")
