"""The memory that a program needs, and PyTorch's error for a program that runs out of memory.

The need is checked before the program runs, because a program that runs out of memory may already have consumed its
donated inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from torchlike import _errors
from torchlike._dtypes.devices import cpu
from torchlike._dtypes.devices import device as Device
from torchlike._engine.trace.trace import operators
from torchlike._engine.trace.value import Aval
from torchlike._engine.xla.allocation import LARGE, amount, failure
from torchlike._errors.callers import Place

_NAMED = 3  # the number of tensors that an error names


def needs_of(compiled: Any) -> int:
    """Return the number of bytes that a compiled program allocates, or 0 if it is less than `LARGE`."""
    analysis = compiled.memory_analysis()
    if analysis is None:
        return 0
    needed = analysis.temp_size_in_bytes + analysis.output_size_in_bytes - analysis.alias_size_in_bytes
    return needed if needed >= LARGE else 0


def bytes_of(avals: Iterable[Aval]) -> int:
    """Return the size of arrays in bytes."""
    return sum(math.prod(a.shape) * a.dtype.itemsize for a in avals)


def explained(error: Exception, device: Device, code: Sequence, place: Place) -> Exception:
    """Return PyTorch's error for an error of a program, or the same error if the program had enough memory.

    On an accelerator the error names the line that ran the program, the free memory, and the largest tensors.

    Args:
      error: The error of XLA or of NumPy, or that of `allocation.check`.
      device: The device of the program.
      code: The code of its trace.
      place: The line of the user's program.
    """
    needed = amount(error)
    if needed is None:
        return error
    if isinstance(error, MemoryError):  # the host ran out of memory
        return failure(cpu, needed)
    return failure(device, needed or _outputs(code), place, _largest(code))


def _outputs(code: Sequence) -> int:
    return bytes_of([a for plan, _ in operators(code) for a in plan.outputs])


def _largest(code: Sequence) -> list[str]:
    """Return descriptions of the largest inputs and results of a trace, the largest first."""
    found: dict[int, tuple[int, str]] = {}
    made = 0
    for plan, slots in operators(code):
        name = plan.name.lstrip("_")
        named = [(slot, a, "an input of") for slot, a in zip(slots, plan.inputs) if slot < 0]
        named += [(made + i, a, "the result of") for i, a in enumerate(plan.outputs)]
        for slot, a, what in named:
            found.setdefault(slot, (bytes_of((a,)), f"{what} {name}, {a.dtype.name} {list(a.shape)}"))
        made += len(plan.outputs)
    sizes = sorted(found.values(), key=lambda each: -each[0])[:_NAMED]
    return [f"{text} ({_errors.memory.amount(size)})" for size, text in sizes]
