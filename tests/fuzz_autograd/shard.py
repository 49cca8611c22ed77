"""Runs one process's part of the programs."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from typing import Any

from tests.fuzz.programs import Program
from tests.fuzz.run import smallest
from tests.fuzz.shard import run_each
from tests.fuzz_autograd.run import difference
from tests.fuzz_autograd.writer import program_of


def run_shard(seed: int, count: int, queue: Any) -> None:
    """Run `count` programs, starting with the one of `seed`.

    For each program, put its number of statements and its difference (or None) on the queue.
    """
    run_each(_run, seed, count, queue)


def _run(seed: int, shown: Counter) -> tuple[int, tuple[str, str] | None]:
    try:
        program = program_of(seed)
    except Exception as error:
        return 0, (f"the program of a seed could not be written: {type(error).__name__}", f"seed {seed}: {error}")
    found = guarded(program)
    return len(program.statements), found and _told(seed, program, found, shown)  # type: ignore[return-value]


def _told(seed: int, program: Program, found: str, shown: Counter) -> tuple[str, str]:
    """Return the kind of a difference, and a report with a minimal program for the first two of each kind."""
    kind = kind_of(found)
    shown[kind] += 1
    if shown[kind] > 2:
        return kind, f"seed {seed}: {kind}"
    small = smallest(program, lambda p: kind_of(guarded(p) or "") == kind or None)
    return kind, f"# seed {seed}, executor {small.executor}\n{small}\n# {guarded(small)}"


def kind_of(found: str) -> str:
    """Return the kind of a difference, which is its text without names and numbers."""
    first, _, rest = found.partition("\n")
    calls = re.findall(r"[a-z_]+_?(?=\()|[-+*]?=(?!=)", first.partition(":")[2])
    return f"{calls[-1:]} {re.sub(r'array.*|[0-9.,() -]+', ' ', rest)[:160]}"


def guarded(program: Program) -> str | None:
    """Return the difference of a program. An error outside its statements counts as a difference."""
    try:
        return difference(program)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"looking at it raised\n {type(error).__name__}: {error} ({where.filename}:{where.lineno})"
