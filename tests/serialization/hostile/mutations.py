"""All kinds of mutation, and the mutated file for a seed and a number."""

from __future__ import annotations

import random

from tests.serialization.hostile import mutations_of_archives as mutations_of_archives
from tests.serialization.hostile import mutations_of_old_files as mutations_of_old_files
from tests.serialization.hostile import mutations_of_pickles as mutations_of_pickles
from tests.serialization.hostile.seeds import seeds
from tests.serialization.hostile.tables import ANY, OLD, ZIP

TABLES = {"any": ANY, "zip": ZIP, "old": OLD}


def names() -> list[str]:
    """Return all kinds of mutation."""
    return [kind for table in TABLES.values() for kind in table]


def mutant(seed: int, number: int) -> tuple[str, str, bytes]:
    """Return the kind, the seed file's name and the bytes of one mutant. Equal arguments give equal mutants."""
    r = random.Random(f"{seed}/{number}")
    kinds = names()
    kind = kinds[number % len(kinds)]
    table = next(t for t in TABLES if kind in TABLES[t])
    chosen = [s for s in seeds() if table == "any" or s.is_zip == (table == "zip")]
    one = r.choice(chosen)
    return kind, one.name, TABLES[table][kind](r, one)
