"""The scopes of a Python program, and the bindings of their names.

A name that is bound several times keeps all its bindings. Bindings in different arms of one `if` or `try` statement
exclude each other.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple

ROOTS = ("torch", "torchlike")


class Binding(NamedTuple):
    """One binding of a name: a module path, an expression, or, if both are empty, something unknown."""

    arms: tuple[tuple[int, str], ...]
    path: str = ""
    value: ast.expr | None = None
    scope: Scope | None = None

    def excludes(self, other: Binding) -> bool:
        """Return whether the two bindings are in different arms of one statement."""
        mine = dict(self.arms)
        return any(mine.get(statement, arm) != arm for statement, arm in other.arms)


@dataclass
class Scope:
    """One scope: a module, class, function or comprehension."""

    parent: Scope | None = None
    is_class: bool = False
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)  # names declared `global` or `nonlocal`
    stars: list[str | None] = field(default_factory=list)  # modules of `from module import *`; None if not PyTorch's

    def bind(self, name: str, binding: Binding) -> None:
        """Add a binding of `name` to the scope to which the name belongs."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    def module(self) -> Scope:
        """Return the scope of the module."""
        return self if self.parent is None else self.parent.module()

    def find(self, name: str) -> Scope | None:
        """Return the scope that binds `name` for code in this scope, or None."""
        scope: Scope | None = self.elsewhere.get(name, self)
        while scope is not None and name not in scope.bindings:
            scope = scope.parent
            while scope is not None and scope.is_class:
                scope = scope.parent
        return scope


def chain(node: ast.AST) -> tuple[str, ...]:
    """Return the words of a name with attributes, such as ("torch", "nn"), or an empty tuple for another expression."""
    words: list[str] = []
    while isinstance(node, ast.Attribute):
        words.append(node.attr)
        node = node.value
    return (node.id, *reversed(words)) if isinstance(node, ast.Name) else ()
