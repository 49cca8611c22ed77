"""Loads mutants one after the other and counts their outcomes."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import tempfile
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.serialization.hostile import child, forged
from tests.serialization.hostile.mutations import mutant
from tests.serialization.hostile.seeds import seeds

BATCH = 50  # the number of files that one process loads
_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {},
    {"mmap": True},
    {"map_location": "meta"},
    {"map_location": "cpu"},
)


@dataclass
class Found:
    """Counts by kind of mutation and outcome, and the unexpected outcomes."""

    counts: dict[str, Counter] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def add(self, number: int, kind: str, of: str, outcome: child.Outcome) -> None:
        """Count the outcome of one file."""
        self.counts.setdefault(kind, Counter())[outcome.kind] += 1
        if outcome.kind not in (child.REFUSED, child.LOADED):
            self.wrong.append(f"{number} ({kind}, {of}): {outcome.kind}: {outcome.detail}")

    def total(self) -> Counter:
        """Return the counts by outcome."""
        return sum(self.counts.values(), Counter())


def warm_up(load: Any, path: str) -> None:
    """Load every seed file, so that imports and compiles on first use happen before a process is forked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds():
            with open(path, "wb") as file:
                file.write(seed.file())
            for options in ({}, {"mmap": True}) if seed.is_zip else ({},):
                with contextlib.suppress(Exception):
                    child.foreign(load(path, **options), path)


def batch(load: Any, folder: str, seed: int, numbers: Sequence[int]) -> list[tuple[str, str, child.Outcome]]:
    """Load some mutants in one process. Return the kind, the seed file's name and the outcome of each."""
    files: list[tuple[str, dict]] = []
    made: list[tuple[str, str]] = []
    for place, number in enumerate(numbers):
        kind, of, data = mutant(seed, number)
        path = os.path.join(folder, f"hostile{place}.pt")
        with open(path, "wb") as file:
            file.write(data)
        options = random.Random(f"options {seed}/{number}").choice(_OPTIONS)
        if data[:4] != b"PK\3\4":
            options = {k: v for k, v in options.items() if k != "mmap"}
        files.append((path, options))
        made.append((kind, of))
    outcomes = child.attempts(load, files, forged.CANARY)
    return [(kind, of, outcome) for (kind, of), outcome in zip(made, outcomes)]


def run(load: Any, seed: int, numbers: range, show: Any = None) -> Found:
    """Load the mutants with these numbers, and count their outcomes."""
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        warm_up(load, os.path.join(folder, "seed.pt"))
        gc.collect()
        was_frozen = gc.get_freeze_count()
        gc.freeze()  # otherwise a garbage collection in a child copies every page
        for start in range(numbers.start, numbers.stop, BATCH):
            some = range(start, min(start + BATCH, numbers.stop))
            for number, result in zip(some, batch(load, folder, seed, some)):
                found.add(number, *result)
                if show is not None:
                    show(number, found)
        if not was_frozen:
            gc.unfreeze()
    return found
