"""How long programs take, while somebody asks: each is waited for then."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import jax

from torchlike._core.ledger import Account

watchers: list[Callable[[Account, float, float], None]] = []  # called with a program's account, begin and end


def timed(account: Account, program: Callable, *args: Any) -> Any:
    """What a program returns, once it is there, after telling who watches."""
    started = perf_counter()
    results = jax.block_until_ready(program(*args))
    ended = perf_counter()
    for watch in watchers:
        watch(account, started, ended)
    return results
