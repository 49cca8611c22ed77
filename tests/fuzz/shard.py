"""Runs one process's part of the programs."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from tests.fuzz.programs import Program, program_of
from tests.fuzz.run import difference, script, smallest
from torchlike._engine.trace.flush import forget_programs


def run_shard(seed: int, count: int, queue: Any) -> None:
    """Run `count` programs, starting with the one of `seed`.

    For each program, put its number of statements and its difference (or None) on the queue.
    """
    run_each(_run, seed, count, queue)


def run_each(run: Callable[[int, Counter], Any], seed: int, count: int, queue: Any) -> None:
    """Put the results of `run(seed, shown)` for `count` seeds on the queue.

    `shown` counts the differences of each kind that were printed in full.
    """
    torch.set_num_threads(1)
    shown: Counter = Counter()
    for number in range(count):
        if number % 1000 == 999:
            forget_programs()
        queue.put(run(seed + number, shown))


def _run(seed: int, shown: Counter) -> tuple[int, tuple[str, str] | None]:
    try:
        program = program_of(seed)
    except Exception as error:
        return 0, (f"the program of a seed could not be written: {type(error).__name__}", f"seed {seed}: {error}")
    found = _guarded(difference, program)
    return len(program.statements), found and _told(seed, program, found, shown)  # type: ignore[return-value]


def _told(seed: int, program: Program, found: str, shown: Counter) -> tuple[str, str]:
    """Return the kind of a difference, and a report with a minimal script if the kind is new."""
    kind = kind_of(found)
    shown[kind] += 1
    if shown[kind] > 1:
        return kind, f"seed {seed}: {kind}"
    small = smallest(program, lambda p: _guarded(difference, p))
    text = _guarded(difference, small) or ""
    kind = kind_of(text)
    shown[kind] += 1
    mode = f"# seed {seed}, executor {small.executor}, {'watched' if small.watched else 'seen at the end'}"
    return kind, f"{mode}\n{script(small)}\n# {text}"


def kind_of(found: str) -> str:
    """Return the kind of a difference, which is its text without names and numbers."""
    first, _, rest = found.partition("\n")
    calls = re.findall(r"[a-z_]+_?(?=\()|[-+*]?=(?!=)", first.partition(":")[2])
    return f"{calls[-1:]} {re.sub(r'array.*|[0-9.,() -]+', ' ', rest)[:160]}"


def _guarded(difference: Any, program: Any) -> str | None:
    try:
        return difference(program)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"looking at it raised\n {type(error).__name__}: {error} ({where.filename}:{where.lineno})"
