"""Timing of programs. While observers are registered, each run blocks until its results are computed."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax

from torchlike._engine.report.program_statistics import Account

# The observers. Each is called with a program's statistics, the start time, the end time, and True for a build or False
# for a run.
watchers: list[Callable[[Account, float, float, bool], None]] = []


def timed(account: Account, program: Callable, *args: Any) -> Any:
    """Run a program, wait for its results, notify the observers, and return the results."""
    started = perf_counter()
    results = jax.block_until_ready(program(*args))
    ended = perf_counter()
    tell(account, started, ended, False)
    return results


def tell(account: Account, started: float, ended: float, made: bool) -> None:
    """Notify the observers of a build or run."""
    for watch in watchers:
        watch(account, started, ended, made)
