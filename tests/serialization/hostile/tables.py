"""Tables of mutations by name. A mutation is a function of a random generator and a seed file that returns a file."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.serialization.hostile.seeds import Seed

Mutation = Callable[[random.Random, Seed], bytes]
ANY: dict[str, Mutation] = {}
ZIP: dict[str, Mutation] = {}
OLD: dict[str, Mutation] = {}


def into(table: dict[str, Mutation]) -> Callable[[Mutation], Mutation]:
    """Return a decorator that adds a mutation to the table."""

    def enter(function: Mutation) -> Mutation:
        table[function.__name__.replace("_", " ")] = function
        return function

    return enter
