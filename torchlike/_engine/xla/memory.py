"""Memory checks before a program runs, and PyTorch's error for a program that runs out of memory.

A check is needed because a program that runs out of memory may already have consumed its donated inputs.
"""

from __future__ import annotations

import math
import mmap
import re
from collections.abc import Iterable, Sequence
from typing import Any

import jax

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import to_jax
from torchlike._engine.trace.trace import operators
from torchlike._engine.trace.value import Aval
from torchlike._errors.callers import Place
from torchlike._errors.making import OutOfMemoryError

LARGE = 1 << 26  # bytes; smaller programs are not checked
_NAMED = 3  # the number of tensors that an error names
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
# XLA's words for the memory that it could not provide, on the CPU and on GPUs, and for programs too large for a TPU.
_AMOUNTS = (
    re.compile(r"allocat\w* (?P<number>[\d.]+) ?(?P<unit>[KMGT]?)i?(?:B|bytes)", re.IGNORECASE),
    re.compile(r"Used (?P<number>[\d.]+)(?P<unit>[KMGT]?) of"),
)


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


def check(device: Device, needed: int) -> None:
    """Raise PyTorch's out-of-memory error if a device cannot allocate this many bytes."""
    if needed < LARGE or (_fits_host(needed) if device.type == "cpu" else _fits(to_jax(device), needed)):
        return
    raise _errors.memory.out_of_memory(device, needed)


def _fits_host(needed: int) -> bool:
    """Return whether the operating system can map this many bytes. The check is cheap, since it accesses no page."""
    try:
        mmap.mmap(-1, needed).close()
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _fits(device: Any, needed: int) -> bool:
    """Return whether the device's allocator can provide this many bytes.

    Memory that it keeps for reuse counts as free.
    """
    found = device.memory_stats() or {}
    limit = found.get("bytes_limit")
    return limit is None or needed <= limit - found.get("bytes_in_use", 0)


def explained(error: Exception, device: Device, code: Sequence, place: Place) -> Exception:
    """Return PyTorch's error for an error of a program, or the same error if the program had enough memory.

    On an accelerator the error names the line that ran the program, the free memory, and the largest tensors.

    Args:
      error: The error of XLA, or that of `check`.
      device: The device of the program.
      code: The code of its trace.
      place: The line of the user's program.
    """
    if isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error):
        needed = _amount(str(error)) or _outputs(code)
    elif isinstance(error, OutOfMemoryError) and error.tried:
        needed = error.tried
    else:
        return error
    if device.type == "cpu":
        return _errors.memory.out_of_memory(device, needed)
    stats = to_jax(device).memory_stats() or {}
    return _errors.memory.out_of_memory(
        device, needed, stats.get("bytes_limit"), stats.get("bytes_in_use", 0), place, _largest(code)
    )


def _amount(text: str) -> int:
    """Return the number of bytes in a message of XLA, or 0 if it names none."""
    found = next((match for pattern in _AMOUNTS if (match := pattern.search(text))), None)
    return int(float(found["number"]) * (1 << _UNITS[found["unit"].upper()])) if found else 0


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
