"""Runs one process's part of the programs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzz.shard import run_each
from tests.fuzz_functions.program import program_of
from tests.fuzz_functions.run import difference, kind_of, script, smallest


def run_shard(seed: int, count: int, queue: Any) -> None:
    """Run `count` programs, as `tests.fuzz.shard.run_shard` does."""
    run_each(_run, seed, count, queue)


def _run(seed: int, shown: Counter) -> tuple[int, tuple[str, str] | None]:
    program = program_of(seed)
    found = difference(program)
    if found is None:
        return len(program.statements), None
    kind = kind_of(program.form, found)
    shown[kind] += 1
    if shown[kind] > 2:
        return len(program.statements), (kind, f"seed {seed}: {kind}")
    small = smallest(program, kind)
    return len(program.statements), (kind, f"# seed {seed}\n{script(small)}\n# {difference(small)}")
