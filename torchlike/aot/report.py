"""The text that the command prints."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from torchlike._engine.ahead.lowering import Memory, Program, Recorded
from torchlike._engine.ahead.targets import Target

_MOST_NAMES = 4


def progress(what: str) -> None:
    """Print a line about long work to the standard error stream."""
    print(f"torchlike.aot: {what}", file=sys.stderr, flush=True)


def title(target: Target, programs: int) -> str:
    """Return the first line of the report."""
    chips = f"{len(target.chips)} chips" if len(target.chips) > 1 else "1 chip"
    kind = getattr(next(iter(target.chips)), "device_kind", target.platform)
    return f"{programs} program{'s' * (programs > 1)} for {target.name} ({chips}: {kind})"


def section(number: int, recorded: Recorded, runs: int, made: Program | str, target: Target) -> str:
    """Return the part of the report about one program. `made` is the reason if it could not be compiled."""
    place = f", {recorded.type}:{recorded.index}" if recorded.type == target.type != "cpu" else ""
    times = f" ({runs} runs)" if runs > 1 else ""
    lines = [f"\n{number}. {recorded.name}{place}{times}: {_operators(recorded.operators)}"]
    if isinstance(made, str):
        return "\n".join([*lines, f"   not compiled: {made}"])
    rows = {
        "memory per chip": _memory(made.memory, target.memory),
        "FLOPs": number_of(made.flops),
        "bytes accessed": size_of(made.bytes_accessed),
        "collectives": _counts(made.collectives),
        "host transfers": _counts(made.host_transfers),
        "compiled in": f"{made.seconds:.1f} s",
    }
    return "\n".join([*lines, *(f"   {name:<16} {text}" for name, text in rows.items())])


def _operators(names: Sequence[str]) -> str:
    shown = " ".join(names[:_MOST_NAMES])
    if len(names) <= _MOST_NAMES:
        return shown
    return f"{len(names)} operators, {shown} ... {names[-1]}"


def _memory(memory: Memory, available: int | None) -> str:
    parts = {
        "arguments": memory.arguments,
        "outputs": memory.outputs - memory.aliased,
        "temporaries": memory.temporaries,
        "code": memory.code,
    }
    text = f"{size_of(memory.total)} ({', '.join(f'{name} {size_of(n)}' for name, n in parts.items())})"
    return text if available is None else f"{text} of {size_of(available)}"


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in found.items()) or "none"


def size_of(count: float | None) -> str:
    """Return a number of bytes with a binary unit."""
    if count is None:
        return "unknown"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def number_of(count: float | None) -> str:
    """Return a number with a decimal unit."""
    if count is None:
        return "unknown"
    for unit in ("", " k", " M", " G"):
        if count < 1000:
            return f"{count:.4g}{unit}"
        count /= 1000
    return f"{count:.4g} T"
