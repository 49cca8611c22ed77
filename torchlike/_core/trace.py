"""Recording: operators are appended to the trace of their device and run later, together."""

from __future__ import annotations

import threading
from weakref import ref

from torchlike._core.plan import Plan
from torchlike._core.value import Value
from torchlike._device import device as Device

lock = threading.RLock()
pending: dict[Device, Trace] = {}
LENGTH_CAP = 4096  # entries; a loop that never meets a boundary still runs in pieces


class Trace:
    """The operators recorded on one device since the last boundary.

    `code` is flat: a plan, then the slots of its inputs, entry after entry. A slot >= 0 is the n-th result of this
    trace, a slot < 0 is input `~slot`. Results are held weakly: what nobody holds at the boundary is not an output.
    Inputs are held weakly too (their arrays strongly): an input whose Value died is donated.
    """

    __slots__ = ("arrays", "code", "entries", "inputs", "results", "scalars")

    def __init__(self) -> None:
        self.code: list = []
        self.scalars: list = []
        self.inputs: list[ref[Value]] = []
        self.arrays: list = []
        self.results: list[ref[Value]] = []
        self.entries = 0

    def adopt(self, value: Value) -> None:
        """Give a concrete value a place among this trace's inputs."""
        if value.array is None:
            raise RuntimeError("a value of an abandoned trace was used; the operator that made it failed earlier")
        value.trace = self
        value.slot = ~len(self.inputs)
        self.inputs.append(ref(value))
        self.arrays.append(value.array)


def _begin(device: Device) -> Trace:
    device.trace = pending[device] = Trace()
    return device.trace


def record(plan: Plan, values: list[Value], scalars: list | tuple = ()) -> tuple[Value, ...]:
    """Append one operator to its device's trace; returns the Values of its results."""
    first = plan.single or plan.outputs[0]
    device = first.device
    if device.type == "meta":
        return tuple([Value(a) for a in plan.outputs])
    with lock:
        trace = device.trace or _begin(device)
        code = trace.code
        code.append(plan)
        for value in values:
            if value.trace is not trace:
                trace.adopt(value)
            code.append(value.slot)
        if scalars:
            trace.scalars.extend(scalars)
        results = trace.results
        if plan.single is not None:
            value = Value(first, None, len(results), trace)
            results.append(ref(value))
            made = (value,)
        else:
            made = tuple([Value(a, None, len(results) + i, trace) for i, a in enumerate(plan.outputs)])
            results.extend([ref(v) for v in made])
        trace.entries += 1
        if trace.entries >= LENGTH_CAP or immediate:
            from torchlike._core.run import run

            run(device)
    return made


immediate = False
