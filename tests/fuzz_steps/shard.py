"""Runs one process's part of the programs."""

from __future__ import annotations

import gc
import re
import traceback
from collections import Counter
from typing import Any

import torch

from tests.fuzz_steps.program import Program, script, smallest
from tests.fuzz_steps.run import Ran, difference
from tests.fuzz_steps.writer import program_of
from torchlike._engine.trace.flush import forget_programs


def run_shard(seed: int, count: int, queue: Any) -> None:
    """Run `count` programs, starting with the one of `seed`.

    For each program, put its number of replayed calls and its difference (or None) on the queue.
    """
    torch.set_num_threads(1)
    shown: Counter = Counter()
    for number in range(count):
        # Freeze long-lived objects: `gc.get_referrers`, which captures call, does not search frozen objects.
        if number % 100 == 99:
            gc.collect()
            gc.freeze()
        if number % 4000 == 3999:
            forget_programs()
        queue.put(_run(seed + number, shown))


def _run(seed: int, shown: Counter) -> tuple[int, tuple[str, str] | None]:
    ran = Ran()
    program = program_of(seed)
    found = guarded(program, ran)
    return ran.replays, found and _told(seed, program, found, shown)  # type: ignore[return-value]


def _told(seed: int, program: Program, found: str, shown: Counter) -> tuple[str, str]:
    """Return the kind of a difference, and a report with a minimal script for the first two of each kind."""
    kind = kind_of(found)
    shown[kind] += 1
    if shown[kind] > 2:
        return kind, f"seed {seed}: {kind}"
    small = smallest(program, lambda p: kind_of(guarded(p) or "") == kind)
    looks = "deep" if small.is_deep else "not deep"
    return kind, f"# seed {seed}, executor {small.executor}, {looks}\n{script(small)}\n# {guarded(small)}"


def kind_of(found: str) -> str:
    """Return the kind of a difference, which is its text without names and numbers."""
    way, _, rest = found.partition(":")
    first, _, more = rest.partition("\n")[2].partition(" is ")
    what = more if not first.strip() else f"{first.rpartition('.')[2]} is {more[:6]}"
    return f"{way} {re.sub(r'[0-9.,() -]+', ' ', what if more else rest[-160:])[:160]}"


def guarded(program: Program, ran: Ran | None = None) -> str | None:
    """Return the difference of a program. An error outside its statements counts as a difference."""
    try:
        return difference(program, ran=ran)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"looking at it raised\n {type(error).__name__}: {error} ({where.filename}:{where.lineno})"
