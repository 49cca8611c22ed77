"""Runs one process's part of the programs."""

from __future__ import annotations

from typing import Any

from tests.fuzz_state.programs import Program, program_of
from tests.fuzz_state.run import guarded, smallest
from torchlike._engine.trace.flush import forget_programs


def run_shard(first: int, count: int, queue: Any) -> None:
    """Run `count` programs, starting with the one of the seed `first`.

    For each program, put its number of calls and its difference (or None) on the queue.
    """
    for seed in range(first, first + count):
        if seed % 500 == 499:
            forget_programs()
        program = program_of(seed)
        found = guarded(program)
        calls = sum(step is None for step in program.between)
        queue.put((calls, None if found is None else _told(seed, smallest(program), found)))


def _told(seed: int, small: Program, found: str) -> tuple[str, str]:
    """Return the kind of a difference, and a minimal script that shows it."""
    found = guarded(small) or found
    return found.partition("\n")[0], f"# seed {seed}\n{small.text()}\n# {found}"
