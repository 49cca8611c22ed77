"""The history of memory as one of its views shows it: gradients reach what the view shows, and nothing else."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike import _errors
from torchlike._autograd.nodes import Edge, Node
from torchlike._dtypes import strides
from torchlike._engine import Aval
from torchlike._ops.schema.declare import REGISTRY
from torchlike._ops.schema.plan import OpPlan

Ints = tuple[int, ...]
NAME = "as_strided"  # of the operator that sees the memory of a view


def misfit(size: Ints, stride: Ints, offset: int, itemsize: int, have: int) -> RuntimeError | None:
    """PyTorch's error for a strided view that memory of so many bytes does not hold."""
    need = strides.extent(size, stride, offset) * itemsize
    if offset < 0:
        return _errors.memory.before_storage(offset)
    return _errors.memory.beyond_storage(size, stride, offset, itemsize, need, have) if need > have else None


def within(view: Any, size: Ints, stride: Ints, offset: int) -> Edge:
    """The edge of a strided view of what a view shows of its memory."""
    key = (view._aval, view.stride(), view._offset, size, stride, offset)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _plan_within(*key)
    return Node(plan, [], [view._edge], []), 0


_plans: dict[tuple, OpPlan] = {}


def _plan_within(seen: Aval, steps: Ints, start: int, size: Ints, stride: Ints, offset: int) -> OpPlan:
    """A tensor of which `seen` tells, as the memory it lies in, as a strided view of that. Elements that share a place
    share its gradient evenly."""
    source = strides.places(tuple(seen.shape), steps).reshape(-1) + start
    wanted = strides.places(size, stride) + offset
    held = 1 + max([int(p.max()) for p in (source, wanted) if p.size], default=0)
    counts = np.bincount(source, minlength=held)
    weights = (1 / np.maximum(counts, 1))[source]

    def look(x: Any) -> tuple:
        memory = jnp.zeros(held, x.dtype).at[source].add(x.reshape(-1) * weights.astype(x.dtype))
        return (memory[wanted],)

    plan = OpPlan(NAME, (seen,), (), (seen.like(size),), look)
    return plan.settle(REGISTRY["view"], (), (True,), node="AsStridedBackward0")
