"""The PyTorch names of a program, found by resolving the names that it reads through imports and assignments."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import NamedTuple

from torchlike._cli.reader import Program, Read
from torchlike._cli.scopes import ROOTS, Binding, Scope, chain

IMPORTERS = ("import_module", "importorskip")
TENSOR = "torch.Tensor"
A_TENSOR = "(tensor)"  # the path of a variable that holds a tensor
# Functions that return a tensor for any arguments.
FACTORIES = """
arange as_tensor cat empty empty_like eye from_numpy full full_like linspace logspace ones ones_like rand rand_like
randint randint_like randn randn_like randperm stack tensor zeros zeros_like
"""


class Use(NamedTuple):
    """One use of a PyTorch name at a place in a program."""

    name: str
    line: int
    column: int
    read: Read
    is_probed: bool  # the program tests whether the name exists


class Resolver:
    """Resolves names of one program to PyTorch's names.

    Args:
      program: the program.
      exists: a function that returns whether torchlike has a name. It decides which of two imports takes effect
        (`try: from torch.amp import autocast`, `except ImportError: ...`).
    """

    def __init__(self, program: Program, exists: Callable[[str], bool]) -> None:
        self._program, self._exists = program, exists
        self._known: dict[tuple[int, str], str] = {}  # by scope and name

    def uses(self) -> Iterator[Use]:
        """Yield the uses of PyTorch's names, in order. The module `torch` itself is left out."""
        found = [(read, self._path(read)) for read in self._program.reads]
        assigned = {path for read, path in found if path and read.is_stored}
        probes = [(self.resolve(scope, owner), name) for scope, owner, name in self._program.probes]
        probed = {f"{owner}.{name}" for owner, name in probes if owner}
        for read, path in found:
            if not path or path == "torch":
                continue
            if path in assigned and (not read.is_stored or path.startswith(TENSOR)) and not self._exists(path):
                continue  # the program's own attribute
            line, column = getattr(read.node, "lineno", 1), getattr(read.node, "col_offset", 0) + 1
            yield Use(path, line, column, read, any(f"{path}.".startswith(f"{name}.") for name in probed))

    def _path(self, read: Read) -> str:
        if read.path:
            return read.path
        first, *rest = read.words
        base = self._of_name(read.scope, first)
        return ".".join([TENSOR if base == A_TENSOR else base, *rest]) if base and (rest or base != A_TENSOR) else ""

    def resolve(self, scope: Scope, node: ast.expr) -> str:
        """Return the path of an expression, or an empty string if it is not known to be a name of PyTorch."""
        if words := chain(node):
            return self._of_words(scope, words)
        if isinstance(node, ast.Call):
            return self._of_call(scope, node)
        return ""

    def _of_words(self, scope: Scope, words: tuple[str, ...]) -> str:
        first, *rest = words
        base = self._of_name(scope, first)
        if base == A_TENSOR:
            return "" if rest else base
        return ".".join([base, *rest]) if base else ""

    def _of_call(self, scope: Scope, call: ast.Call) -> str:
        """Return the module that a call imports, or A_TENSOR for a call of a factory."""
        words = chain(call.func)
        if not words:
            return ""
        given = call.args[0].value if len(call.args) == 1 and isinstance(call.args[0], ast.Constant) else None
        if words[-1] in IMPORTERS and isinstance(given, str) and given.partition(".")[0] in ROOTS:
            return "torch" + given.removeprefix(given.partition(".")[0])
        has_out = any(keyword.arg in (None, "out", "layout") for keyword in call.keywords)
        is_factory = self._of_words(scope, words).removeprefix("torch.") in FACTORIES.split()
        return A_TENSOR if is_factory and not has_out else ""

    def _of_name(self, scope: Scope, name: str) -> str:
        owner = scope.find(name)
        if owner is None:
            return self._of_star(scope, name)
        key = id(owner), name
        if key not in self._known:
            self._known[key] = ""  # while it is being resolved
            self._known[key] = self._of_bindings(owner.bindings[name])
        return self._known[key]

    def _of_star(self, scope: Scope, name: str) -> str:
        """Return the path of a name that `from torch... import *` binds, if only PyTorch's modules can bind it."""
        stars = [star for each in (scope, scope.module()) for star in each.stars]
        if None in stars or name.startswith("_") or hasattr(builtins, name):
            return ""
        return next((f"{star}.{name}" for star in reversed(stars) if self._exists(f"{star}.{name}")), "")

    def _of_bindings(self, bindings: list[Binding]) -> str:
        """Return the path of a name with these bindings, or an empty string if the bindings contradict each other.

        Bindings in different arms of one statement do not contradict each other. If known bindings are in the arms of a
        `try` statement, the first one that exists takes effect. Assignments of None are ignored.
        """
        pairs = [(each, self._of_binding(each)) for each in bindings if not _is_none(each.value)]
        known = [(each, path) for each, path in pairs if path]
        if not all(mine == path or each.excludes(other) for each, mine in pairs for other, path in known):
            return ""
        if len(bindings) > 1 and any(arm == "try" for each, _ in known for _, arm in each.arms):
            return next((path for _, path in known if path == A_TENSOR or self._exists(path)), "")
        return known[0][1] if len({path for _, path in known}) == 1 else ""

    def _of_binding(self, binding: Binding) -> str:
        if binding.path or binding.scope is None:
            return binding.path
        return "" if binding.value is None else self.resolve(binding.scope, binding.value)


def _is_none(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
