"""A batched backward pass: the gradient of each node is mapped over a leading dim with `jax.vmap`."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import jax

from torchlike import _errors
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad, Walk, apply_op, differentiated
from torchlike._autograd.nodes import Edge, Node
from torchlike._engine import aval, record
from torchlike._ops.schema.gradient import gradient
from torchlike._ops.schema.plan import OpPlan
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import wrap


class BatchedWalk(Walk):
    """A backward pass whose gradients have an extra leading dim of size `count`."""

    def __init__(self, keep_graph: bool, create_graph: bool, targets: dict[Edge, int], count: int) -> None:
        super().__init__(keep_graph, create_graph, targets)
        self.count = count

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        if node.plan is None:
            return self._one_by_one(node, held, wanted)
        if node.saved is None:
            raise _errors.autograd.backward_twice()
        given = tuple(sorted(held))
        if node.age > versions.latest:
            versions.check(node, wanted, given)
        if node.age > versions.uncounted and node.saved:
            node.saved = versions.current_inputs(node, wanted, given)
        source, saved = node.repeatable() if self.create_graph else (node.plan, node.saved)
        one = source.gradients.get((wanted, given)) or gradient(source, wanted, given)
        plan = over_rows(one, len(saved), self.count)
        values = [*saved, *[held[i][0] for i in given]]
        if not self.keep_graph and saved:
            node.saved = None
        if not self.create_graph:
            return [(v, None) for v in record(plan, values, node.scalars)]
        return differentiated(plan, source, values, node, held, wanted, given)

    def _one_by_one(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        """Compute the gradient of a node separately for each index of the leading dim, and stack the results.

        This is needed for nodes whose gradient is not an operator, such as those of a custom `Function`.
        """
        keep, self.keep_graph = self.keep_graph, True
        rows = []
        for number in range(self.count):
            if number == self.count - 1:
                self.keep_graph = keep
            row = {i: apply_op("_select", g, 0, number, differentiate=self.create_graph) for i, g in held.items()}
            rows.append(node.differentiate(row, wanted, _Rows(self)))
        return [None if any(g is None for g in column) else self._stacked(column) for column in zip(*rows)]

    def _stacked(self, column: Sequence[Grad]) -> Grad:
        return rows["stack"]([wrap(*pair) for pair in column])._pair()


class _Rows:
    """The backward pass that a node receives when its gradient is computed for one index of the leading dim."""

    def __init__(self, walk: Walk) -> None:
        self.keep_graph, self.create_graph = walk.keep_graph, walk.create_graph
        self.frees_at_end = walk.frees_at_end

    def _gradients(self, node: Node, held: dict[int, Grad], wanted: tuple[int, ...]) -> Sequence[Grad | None]:
        return Walk(self.keep_graph, self.create_graph, None)._gradients(node, held, wanted)


@functools.lru_cache(4096)
def over_rows(plan: OpPlan, saved: int, count: int) -> OpPlan:
    """Return the plan of a gradient, mapped over the leading dim of the incoming gradients.

    Saved values are not mapped.
    """
    arrays = len(plan.inputs)

    def mapped(*flat: object) -> tuple:
        axes = (*[None] * saved, *[0] * (arrays - saved), *[None] * len(plan.scalars))
        return jax.vmap(plan.function, in_axes=axes, axis_size=count)(*flat)

    inputs = [a if i < saved else aval((count, *a.shape), a.dtype, a.device) for i, a in enumerate(plan.inputs)]
    outputs = [aval((count, *a.shape), a.dtype, a.device) for a in plan.outputs]
    made = OpPlan(plan.name + "_rows", tuple(inputs), plan.scalars, tuple(outputs), mapped)
    return made.complete(plan.op, tuple(range(arrays)), plan.differentiable, node=plan.node)
