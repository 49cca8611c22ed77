"""Runs one process's part of the programs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch

from tests.fuzz_functions.program import program_of
from tests.fuzz_functions.run import difference, kind_of, script, smallest
from torchlike._engine.trace.flush import forget_programs


def run_shard(seed: int, count: int, queue: Any) -> None:
    """Run `count` programs, starting with the one of `seed`.

    For each program, put its number of statements and its difference (or None) on the queue.
    """
    torch.set_num_threads(1)
    shown: Counter = Counter()
    for number in range(count):
        if number % 1000 == 999:
            forget_programs()
        queue.put(_run(seed + number, shown))


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
