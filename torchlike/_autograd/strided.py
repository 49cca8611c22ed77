"""The gradient of `as_strided` of a view: gradients reach only the elements that the view contains."""

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
NAME = "as_strided"  # the name of the operator


def misfit(size: Ints, stride: Ints, offset: int, itemsize: int, have: int) -> RuntimeError | None:
    """Return PyTorch's error if a strided view does not fit in `have` bytes of memory, else None."""
    need = strides.extent(size, stride, offset) * itemsize
    if offset < 0:
        return _errors.memory.before_storage(offset)
    return _errors.memory.beyond_storage(size, stride, offset, itemsize, need, have) if need > have else None


def within(view: Any, size: Ints, stride: Ints, offset: int) -> Edge:
    """Return the gradient edge of a strided view into the memory of `view`."""
    key = (view._aval, view.stride(), view._offset, size, stride, offset)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _plan_within(*key)
    return Node(plan, [], [view._edge], []), 0


_plans: dict[tuple, OpPlan] = {}


def _plan_within(seen: Aval, steps: Ints, start: int, size: Ints, stride: Ints, offset: int) -> OpPlan:
    """Return the plan that writes a tensor to its memory and takes a strided view of that memory.

    `seen`, `steps` and `start` are the tensor's aval, strides and offset. Elements at the same memory location share
    the gradient of that location evenly.
    """
    source = strides.places(tuple(seen.shape), steps).reshape(-1) + start
    wanted = strides.places(size, stride) + offset
    held = 1 + max([int(p.max()) for p in (source, wanted) if p.size], default=0)
    counts = np.bincount(source, minlength=held)
    weights = (1 / np.maximum(counts, 1))[source]

    def look(x: Any) -> tuple:
        memory = jnp.zeros(held, x.dtype).at[source].add(x.reshape(-1) * weights.astype(x.dtype))
        return (memory[wanted],)

    plan = OpPlan(NAME, (seen,), (), (seen.like(size),), look)
    return plan.complete(REGISTRY["view"], (), (True,), node="AsStridedBackward0")
