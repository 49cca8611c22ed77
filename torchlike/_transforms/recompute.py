"""Deliberate recomputation inside one program, for checkpointing.

XLA's common-subexpression elimination keeps the first result instead of recomputing it, which defeats checkpointing. To
prevent this, the inputs of the recomputation pass through an operator that XLA cannot analyze. This operator also
depends on the gradient that arrived. The recomputation can therefore neither be merged with the first computation nor
start before backward reaches it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from torchlike._engine import Aval, record
from torchlike._ops import REGISTRY
from torchlike._ops.schema.plan import OpPlan
from torchlike._transforms import saved_tensor_hooks


def behind_a_barrier(tensors: Sequence[Any], arriving: Sequence[Any] | None = None) -> list[Any]:
    """Return tensors with the same contents and gradient edges that are available only after the arriving gradients.

    `arriving` are Values. By default, they are the gradients that reached the node whose saved tensors are being
    unpacked.
    """
    from torchlike._tensor.tensor import wrap

    if not tensors:
        return []
    values = [t._value for t in tensors]
    device = values[0].aval.device
    needed = saved_tensor_hooks.local.arriving if arriving is None else arriving
    waited = [v for v in needed if v.aval.device is device and v.aval.numel]
    here = [i for i, v in enumerate(values) if v.aval.device is device and v.aval.numel]
    if not here or device.type == "meta":
        return [wrap(v, t._edge, t._strides) for v, t in zip(values, tensors)]
    plan = _barrier(tuple(values[i].aval for i in here), tuple(v.aval for v in waited))
    passed: dict[int, Any] = dict(zip(here, record(plan, [*[values[i] for i in here], *waited], [True])))
    return [wrap(passed.get(i, v), t._edge, t._strides) for i, (v, t) in enumerate(zip(values, tensors))]


@functools.lru_cache(1024)
def _barrier(kept: tuple[Aval, ...], waited: tuple[Aval, ...]) -> OpPlan:
    through = _conditional if kept[0].device.type == "cpu" else _barred
    made = OpPlan("barrier", kept + waited, (bool,), kept, functools.partial(through, len(kept)))
    return made.complete(REGISTRY["clone"], (), (False,) * len(kept), node="BarrierBackward0")


def _barred(count: int, *flat: Any) -> tuple:
    *arrays, _ = flat
    return tuple(jax.lax.optimization_barrier(tuple(arrays))[:count])


def _conditional(count: int, *flat: Any) -> tuple:
    """Pass the arrays through a conditional, as a barrier on the CPU.

    On the CPU, XLA drops optimization barriers before it merges and orders operations. It does not look into the
    branches of a conditional whose predicate is a runtime value. The predicate is always true.
    """
    *arrays, always = flat
    kept, waited = arrays[:count], arrays[count:]
    token = sum([x.ravel()[0].astype(jnp.complex128).real for x in waited], jnp.zeros(()))

    def other(*operands: Any) -> tuple:
        *rest, t = operands
        return tuple([jnp.where(t > 0, x, jnp.zeros_like(x)) for x in rest])

    return jax.lax.cond(always, lambda *operands: tuple(operands[:-1]), other, *kept, token)
