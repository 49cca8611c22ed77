"""The operators of a failed program, one by one on its device. The results of operators that do not fail are exact."""

from __future__ import annotations

from typing import Any

import jax

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._engine.interpreter.executor import Interpreted
from torchlike._engine.trace.failures import Failed
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.plan import Plan
from torchlike._engine.trace.trace import Trace
from torchlike._engine.xla import allocation, memory
from torchlike._engine.xla.target import precision_of, tracing_for
from torchlike._engine.xla.transfers import to_device
from torchlike._errors.callers import users_place


def run(device: Device, trace: Trace, program: Interpreted) -> list:
    """Return the live results of a program of an accelerator.

    An operator that fails, or that depends on a failed one, has a `Failed` as its result.
    """
    arrays = [_placed(device, x) for x in trace.arrays]
    with tracing_for(device), precision_of(device), jax.default_device(to_jax(device)):
        return program.walk(trace, arrays, lambda plan, given: _run(device, plan, given), Failed in map(type, arrays))


def _placed(device: Device, array: Any) -> Any:
    """Return an input on the device, or a `Failed` if the device has no memory for it."""
    if array.__class__ is Failed:
        return array
    try:
        return to_device(array, device)
    except RuntimeError as error:
        return Failed(error)


def _run(device: Device, plan: Plan, given: list) -> list[Any]:
    try:
        allocation.check(device, memory.bytes_of(plan.outputs))
        run = plan.traced() if plan.mesh is None else plan.run_alone
        return jax.block_until_ready([*run(*given)])
    except Exception as error:
        reraise(error)
        code = (plan, *[~i for i in range(len(plan.inputs))])
        raise memory.explained(error, device, code, users_place()) from None
