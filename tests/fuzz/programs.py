"""The generator of random programs.

It runs each new statement in PyTorch, so that it knows the shapes of all tensors when it writes the next statement.
"""

from __future__ import annotations

import ast
import contextlib
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import torch
from hypothesis import strategies as st

NAMES = "abcdefgh"
MOST_ELEMENTS = 64
LARGEST = 1e6  # above this value, rounding alone can make the libraries differ

_below = [st.integers(0, n) for n in range(200)]


@dataclass(frozen=True)
class Program:
    """Statements over named tensors.

    If `watched`, all tensors are compared after each statement, and otherwise only at the end.
    """

    statements: tuple[str, ...]
    executor: str = "immediate"
    watched: bool = True

    @classmethod
    def of(cls, text: str, **how: Any) -> Program:
        """Parse the source of a script into a program."""
        text = textwrap.dedent(text)
        return cls(tuple(ast.get_source_segment(text, s) or "" for s in ast.parse(text).body), **how)

    def __str__(self) -> str:
        return "\n".join(self.statements)


class Writer:
    """A program under construction: its statements, and the namespace in which PyTorch has run them."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below  # samples an integer below its argument
        self.statements: list[str] = []
        self.names: dict[str, Any] = start(torch)
        self.over = False

    # -- sampling ------------------------------------------------------------------------------------------------------

    def pick(self, options: Sequence) -> Any:
        """Return one of the options."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """Return True with a probability of `percent` percent. False is the simpler choice for shrinking."""
        return self.below(100) >= 100 - percent

    def number(self, below: int) -> int:
        """Return an integer below `below`."""
        return self.below(max(below, 1))

    # -- live tensors --------------------------------------------------------------------------------------------------

    def tensors(self, want: Callable[[torch.Tensor], bool] = lambda t: True) -> list[str]:
        """Return the names of the live tensors for which `want` is true."""
        return [n for n in NAMES if isinstance(self.names.get(n), torch.Tensor) and want(self.names[n])]

    def tensor(self, want: Callable[[torch.Tensor], bool] = lambda t: True) -> str | None:
        """Return the name of one live tensor, or None."""
        found = self.tensors(want)
        return self.pick(found) if found else None

    def graph(self) -> list[torch.Tensor]:
        """Return the live tensors and their gradients, which may have history."""
        live = [self.names[n] for n in self.tensors()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return live + [t.grad for t in live if t.grad is not None]

    def __getitem__(self, name: str) -> torch.Tensor:
        return self.names[name]

    def fresh(self) -> str:
        """Return a name to assign to: usually an unused one, sometimes one in use."""
        free = [n for n in NAMES if n not in self.names]
        return free[0] if free and not self.chance(10) else self.pick(NAMES)

    # -- writing -------------------------------------------------------------------------------------------------------

    def add(self, statement: str) -> None:
        """Run a statement in PyTorch, and keep it unless it makes a tensor that is too large."""
        before = dict(self.names)
        unseen = ".data" in "".join([*self.statements, statement])
        saved = _copies_of_saved(self.graph()) if unseen else {}
        error = execute(statement, self.names)
        new = [t for n, t in self.names.items() if before.get(n) is not t and isinstance(t, torch.Tensor)]
        if any(t.numel() > MOST_ELEMENTS for t in new):
            self.names = before
            return
        if error is not None and "Inplace update to inference" in str(error):
            self.over = True  # PyTorch performs the write although it raises
            return
        if saved and _changed(saved, self.graph()):
            self.over = True  # PyTorch computes gradients with the silently overwritten values (docs/differences.md)
            return
        self.statements.append(statement)
        # A failed backward call ends the program: it may have accumulated some gradients, in an unspecified order.
        self.over = self.over or any(_is_large(self.names[n]) for n in self.tensors())
        self.over = self.over or (error is not None and ("backward(" in statement or "grad(" in statement))


def shares(writer: Writer, name: str) -> bool:
    """Return whether other tensors share the memory of this tensor."""
    memory = writer[name].untyped_storage()._cdata
    others = (writer[n].untyped_storage()._cdata for n in writer.tensors() if n != name)
    return writer[name]._base is not None or memory in others


def has_history(t: torch.Tensor) -> bool:
    """Return whether a tensor has a gradient node.

    Reading `grad_fn` raises for a view that an in-place write has made invalid. Such a view counts as having a node.
    """
    try:
        return t.grad_fn is not None
    except RuntimeError:
        return True


def nodes_behind(tensors: Iterable[torch.Tensor], follow: Callable[[Any], bool] = lambda node: True) -> set:
    """Return the gradient nodes reachable from these tensors through the nodes for which `follow` is true."""
    stack = [t.grad_fn for t in tensors if has_history(t) and not _is_spoilt(t)]
    seen: set = set()
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if follow(node):
                stack += [after for after, _ in node.next_functions]
    return seen


def _copies_of_saved(tensors: Iterable[torch.Tensor]) -> dict[Any, torch.Tensor]:
    """Copy the tensors that the history of `tensors` has saved for backward."""
    return {place: saved.clone() for place, saved in _saved(tensors)}


def _changed(copies: dict[Any, torch.Tensor], tensors: Iterable[torch.Tensor]) -> bool:
    """Return whether a saved tensor differs from its copy and is still accessible."""
    now = dict(_saved(tensors))
    return any(not _alike(now[place], copy) for place, copy in copies.items() if place in now)


def _alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    a, b = a.detach(), b.detach()
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _saved(tensors: Iterable[torch.Tensor]) -> Iterator[tuple[Any, torch.Tensor]]:
    for node in nodes_behind(tensors):
        for name in dir(node):
            if name.startswith("_saved_"):
                with contextlib.suppress(RuntimeError):  # the saved tensor was freed or overwritten
                    found = getattr(node, name)
                    each = found if isinstance(found, tuple | list) else (found,)
                    yield from (((node, name, i), t) for i, t in enumerate(each) if isinstance(t, torch.Tensor))


def _is_spoilt(t: torch.Tensor) -> bool:
    try:
        return t.grad_fn is None
    except RuntimeError:
        return True


def start(library: Any) -> dict[str, Any]:
    """Return the initial namespace of every program."""
    return {"torch": library, "log": [], "inf": float("inf"), "nan": float("nan")}


def execute(statement: str, names: dict[str, Any]) -> Exception | None:
    """Run one statement and return the error that it raised, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(statement, "<program>", "exec"), names)
        except Exception as error:
            return error.with_traceback(None)
    return None


def _is_large(t: torch.Tensor) -> bool:
    if not t.numel() or t.dtype is torch.bool:
        return False
    with torch.no_grad():
        found = t.detach().abs().nan_to_num(0, 0, 0) if t.is_floating_point() or t.is_complex() else t.detach()
        return bool((found.real > LARGEST).any()) if found.is_complex() else bool((found > LARGEST).any())


@st.composite
def programs(draw: Callable) -> Program:
    """Generate random programs that Hypothesis can shrink."""
    return write_program(lambda n: draw(_below[n - 1]))


def program_of(seed: int) -> Program:
    """Return the random program of a seed. This is faster than Hypothesis, which generates many programs twice."""
    return write_program(Random(seed).randrange)


def write_program(below: Callable[[int], int], most: int = 14) -> Program:
    """Write a program of at most `most` statements. `below` makes the random choices."""
    from tests.fuzz.statements import write

    writer = Writer(below)
    executor = "xla" if writer.chance(10) else "immediate" if writer.chance(33) else "auto"
    watched = not writer.chance(30)
    length = 4 + writer.number(most - 3)
    try:
        while len(writer.statements) < length and not writer.over:
            write(writer)
    finally:
        torch.set_grad_enabled(True)
    return Program(tuple(writer.statements), executor, watched)
