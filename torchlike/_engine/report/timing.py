"""How long programs take, while somebody asks: each is waited for then."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax

from torchlike._engine.report.program_statistics import Account

# Called with a program's account, begin, end, and whether it was made then, or run.
watchers: list[Callable[[Account, float, float, bool], None]] = []


def timed(account: Account, program: Callable, *args: Any) -> Any:
    """What a program returns, once it is there, after telling who watches."""
    started = perf_counter()
    results = jax.block_until_ready(program(*args))
    ended = perf_counter()
    tell(account, started, ended, False)
    return results


def tell(account: Account, started: float, ended: float, made: bool) -> None:
    """Tell who watches."""
    for watch in watchers:
        watch(account, started, ended, made)
