"""Version checks of captured calls.

As in PyTorch, backward raises if a tensor that the call saved was overwritten after the call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torchlike._autograd import versions
from torchlike._autograd.nodes import Node
from torchlike._engine import Value
from torchlike._engine.trace.capture import WholeTrace
from torchlike._engine.trace.trace import operators
from torchlike._ops.schema.plan import OpPlan


class SavedInput(NamedTuple):
    """An input of a captured call that one of its operators saves for backward."""

    slot: int  # the slot of the input in the trace
    leaf: int | None  # the index of the leaf to which the gradient of the input flows, or None
    aval: Any  # the aval of the saved view of the input, or None if the input itself is saved
    saver: versions.Saver | None  # None if PyTorch saves none of the operator's inputs
    place: int  # the position of the input among the operator's inputs
    outputs: frozenset[int]  # the outputs of the call whose gradients run the operator's backward function

    def check(self, node: Node, value: Value) -> None:
        """Raise PyTorch's error if the value was overwritten after the node of the call was made."""
        if self.saver is not None and value.stamp is not None and value.stamp.is_newer_than(node):
            edge = None if self.leaf is None else node.edges[self.leaf]
            versions.refuse_captured(self.saver, self.place, value, edge, self.aval)

    def now(self, node: Node, value: Value) -> Value | None:
        """Return the elements that the operator's gradient uses after writes that autograd does not notice.

        Return None if a view was saved and its memory was written to.
        """
        if self.saver is None or not self.saver.saves(self.place):
            return value
        edge = None if self.leaf is None or self.aval is not None else node.edges[self.leaf]
        new = versions.latest_of(value, edge)
        return new if new is value or self.aval is None else None


def written(node: Node, saved: Sequence[Value], checked: Sequence[tuple[SavedInput, Value]]) -> list[Value]:
    """Return the saved values of a captured call, with the elements of `.data` after writes through it.

    Raises:
      RuntimeError: the call saved a tensor that was written in several ways, and these now have different elements.
    """
    now: dict[int, Value] = {}
    kept = {id(value) for value in saved}
    for each, value in checked:
        if id(value) not in kept:
            continue
        new = each.now(node, value)
        if new is None or now.setdefault(id(value), new) is not new:
            raise RuntimeError(
                f"backward() needs a tensor of shape {[*value.aval.shape]} that a compiled call saved. It was since "
                "written to through .data. Call backward() before that, or call the function without torch.compile."
            )
    return [now.get(id(value), value) for value in saved]


def saved_inputs(trace: WholeTrace, outputs: Mapping[Node, frozenset[int]], leaves: Sequence[Node]) -> list[SavedInput]:
    """Return the inputs of a trace that its nodes save, in the order in which backward visits the nodes.

    `outputs` holds the outputs of the call that lead to each node.
    """
    held = {id(value): ~i for i, value in enumerate(trace.held)}
    bases = _bases(trace)
    found = []
    for node in sorted([node for node in outputs if node.plan is not None], key=lambda node: node.age):
        saver = versions.saver_of(node)
        for place, value in node.inputs:
            slot = value.slot if value.trace is trace else held.get(id(value))
            base = slot
            while base is not None and base >= 0:
                base = bases.get(base)
            if base is not None:
                aval = None if base == slot else value.aval
                found.append(SavedInput(base, _leaf(node.edges[place], leaves), aval, saver, place, outputs[node]))
    return found


def _bases(trace: WholeTrace) -> dict[int, int]:
    """Return the slot of the base of each view in a trace, by the slot of the view."""
    found, slot = {}, 0
    for plan, given in operators(trace.code):
        if isinstance(plan, OpPlan) and versions.makes_view(plan):
            found[slot] = given[0]
        slot += len(plan.outputs)
    return found


def _leaf(edge: Any, leaves: Sequence[Node]) -> int | None:
    """Return the index of the leaf to which an edge leads directly or through views, or None."""
    while edge is not None and edge[0] not in leaves:
        plan = edge[0].plan
        edge = edge[0].edges[0] if plan is not None and versions.makes_view(plan) else None
    return None if edge is None else leaves.index(edge[0])
