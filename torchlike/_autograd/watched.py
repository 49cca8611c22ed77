"""What may look at every gradient node as it is made: see `_core/seam.py` for why the hot path does not ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from torchlike._autograd import residuals
from torchlike._autograd.engine import Grad, apply
from torchlike._autograd.nodes import Edge, Node, quick_node
from torchlike._core import Value
from torchlike._core.seam import Seam
from torchlike._ops._plan import OpPlan

Watcher = Callable[[Node, Sequence[Value]], Node]
watchers: list[Watcher] = []  # each gets a node and its operator's inputs, and returns the node to use
_plain_node = quick_node


def _watched_node(plan: OpPlan, values: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence) -> Node:
    node = _plain_node(plan, values, edges, scalars)
    for watch in watchers:
        node = watch(node, values)
    return node


def _without_residuals(plan: OpPlan, values: list[Value], edges: list[Edge | None], scalars: list) -> list[Grad]:
    """While nodes are watched, a loop or a decomposition is an operator as all others: its gradient repeats it."""
    return apply(plan, values, edges, scalars, True)


class _Both:
    """The two places where nodes are made, exchanged together."""

    seams = (Seam(quick_node, _watched_node), Seam(residuals.with_residuals, _without_residuals))

    def __enter__(self) -> None:
        for each in self.seams:
            each.__enter__()

    def __exit__(self, *_: object) -> None:
        for each in self.seams:
            each.__exit__()


seam = _Both()
