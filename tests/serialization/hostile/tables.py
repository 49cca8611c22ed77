"""Tables of the ways to damage or forge a checkpoint: functions (random numbers, seed) -> file, by name."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.serialization.hostile.seeds import Seed

Mutation = Callable[[random.Random, Seed], bytes]
ANY: dict[str, Mutation] = {}
ZIP: dict[str, Mutation] = {}
OLD: dict[str, Mutation] = {}


def into(table: dict[str, Mutation]) -> Callable[[Mutation], Mutation]:
    """Decorate a mutation that a table lists."""

    def enter(function: Mutation) -> Mutation:
        table[function.__name__.replace("_", " ")] = function
        return function

    return enter
