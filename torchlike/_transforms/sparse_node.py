"""The gradient node of embedding lookups whose table gets a sparse gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike import _errors
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Node
from torchlike._dtypes import modes
from torchlike._engine.trace.batched_values import levels_of
from torchlike._transforms import saved_tensor_hooks


class SparseNode(Node):
    """A wrapper of the gradient node `dense` that returns a sparse gradient for the first input.

    `rule(grad, *tensors)` computes the sparse gradient from the gradient of the result and the saved tensors. `dense`
    computes the gradients of the other inputs.
    """

    __slots__ = ("dense", "kept", "rule")

    def __init__(self, dense: Node, rule: Callable[..., Any], tensors: Sequence[Any]) -> None:
        self.plan, self.saved, self.edges, self.scalars = None, None, dense.edges, dense.scalars
        self.age, self.extra = dense.age, dense.extra
        self.dense, self.rule = dense, rule
        self.kept: list | None = [saved_tensor_hooks.keep(tensor) for tensor in tensors]

    @property
    def is_spent(self) -> bool:
        return self.kept is None

    def free(self) -> None:
        self.kept = None

    def name(self) -> str:
        return self.dense.name()

    def outputs(self) -> int:
        return self.dense.outputs()

    def result(self, number: int) -> Any:
        return self.dense.result(number)

    def slots(self) -> Sequence[int | None]:
        return self.dense.slots()

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> Sequence[Grad | None]:
        if self.kept is None:
            raise _errors.autograd.backward_twice()
        if any(levels_of(held[0][0])):
            raise NotImplementedError(
                "a sparse gradient within torch.func.vmap is not supported by torchlike. Use sparse=False."
            )
        tensors = [each.tensor() for each in self.kept]
        if not walk.keep_graph:
            self.free()
        others = tuple(i for i in wanted if i)
        found = dict(zip(others, walk._gradients(self.dense, held, others) if others else ()))
        if 0 in wanted:
            found[0] = self._sparse(held[0], tensors, walk)
        return [found[i] for i in wanted]

    def _sparse(self, pair: Grad, tensors: Sequence[Any], walk: Walk) -> Grad:
        from torchlike._tensor.tensor import wrap

        with modes.set_grad_enabled(walk.create_graph):
            return self.rule(wrap(*pair), *tensors)._pair()


def with_sparse_gradient(out: Any, rule: Callable[..., Any], *tensors: Any) -> Any:
    """Wrap the gradient node of `out` in a `SparseNode` if its first input requires grad. Return `out`."""
    if out._edge is not None and out._edge[0].edges[0] is not None:
        out._edge = SparseNode(out._edge[0], rule, tensors), out._edge[1]
    return out
