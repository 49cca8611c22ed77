"""Users' hooks on nodes, which see tensors, as the engine calls them, with pairs of a Value and an edge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike import _modes
from torchlike._autograd.engine import Grad
from torchlike._autograd.nodes import Node


def _tensors(pairs: dict[int, Grad], count: int) -> tuple:
    from torchlike._tensor import wrap

    return tuple(wrap(*pairs[i]) if i in pairs else None for i in range(count))


def _outputs(node: Node, held: dict[int, Grad]) -> int:
    return len(node.plan.outputs) if node.plan is not None else max(held) + 1


def before(hook: Callable) -> Callable:
    """A hook on a node's incoming gradients; what it returns replaces them."""

    def on_pairs(held: dict[int, Grad], node: Node) -> dict[int, Grad]:
        with _modes.set_grad_enabled(any(e is not None for _, e in held.values())):
            returned = hook(_tensors(held, _outputs(node, held)))
        if returned is None:
            return held
        returned = returned if isinstance(returned, tuple) else (returned,)
        return {i: t._pair() for i, t in enumerate(returned) if t is not None}

    return on_pairs


def after(hook: Callable) -> Callable:
    """A hook on the gradients that a node computed; what it returns replaces them."""

    def on_pairs(grads: Sequence, wanted: tuple[int, ...], held: dict[int, Grad], node: Node) -> Sequence:
        found = {i: g for i, g in zip(wanted, grads) if g is not None}
        given: Any = _tensors(held, _outputs(node, held))
        with _modes.set_grad_enabled(any(e is not None for _, e in held.values())):
            returned = hook(_tensors(found, len(node.edges)), given)
        if returned is None:
            return grads
        returned = returned if isinstance(returned, tuple) else (returned,)
        return [returned[i]._pair() if returned[i] is not None else None for i in wanted]

    return on_pairs
