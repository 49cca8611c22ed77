"""Computing something a second time on purpose, inside one program.

XLA finds repeated work and keeps the first result instead, which is what recomputing is to avoid. So the inputs of the
second computation are handed through an operator that XLA cannot see through, and that needs the gradient which
arrived: the second computation can neither be merged with the first nor be started before backward reaches it.
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
    """Tensors of the same contents and history, which are there only once the gradients that arrive are.

    `arriving` are Values; by default the gradients that reached the node whose saved tensors are being unpacked.
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
    return made.settle(REGISTRY["clone"], (), (False,) * len(kept), node="BarrierBackward0")


def _barred(count: int, *flat: Any) -> tuple:
    *arrays, _ = flat
    return tuple(jax.lax.optimization_barrier(tuple(arrays))[:count])


def _conditional(count: int, *flat: Any) -> tuple:
    """XLA drops optimization barriers on the CPU before it merges and orders; it looks into no branch of a condition
    that is known only when the program runs. The number given is always true."""
    *arrays, always = flat
    kept, waited = arrays[:count], arrays[count:]
    token = sum([x.ravel()[0].astype(jnp.complex128).real for x in waited], jnp.zeros(()))

    def other(*operands: Any) -> tuple:
        *rest, t = operands
        return tuple([jnp.where(t > 0, x, jnp.zeros_like(x)) for x in rest])

    return jax.lax.cond(always, lambda *operands: tuple(operands[:-1]), other, *kept, token)
