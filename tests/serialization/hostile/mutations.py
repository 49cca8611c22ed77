"""All mutations, and the file that two numbers stand for."""

from __future__ import annotations

import random

from tests.serialization.hostile import mutations_of_archives as mutations_of_archives
from tests.serialization.hostile import mutations_of_old_files as mutations_of_old_files
from tests.serialization.hostile import mutations_of_pickles as mutations_of_pickles
from tests.serialization.hostile.seeds import seeds
from tests.serialization.hostile.tables import ANY, OLD, ZIP

TABLES = {"any": ANY, "zip": ZIP, "old": OLD}


def names() -> list[str]:
    """All kinds of mutation."""
    return [kind for table in TABLES.values() for kind in table]


def mutant(seed: int, number: int) -> tuple[str, str, bytes]:
    """The kind, the seed's name and the bytes of one file, the same for the same two numbers."""
    r = random.Random(f"{seed}/{number}")
    kinds = names()
    kind = kinds[number % len(kinds)]
    table = next(t for t in TABLES if kind in TABLES[t])
    chosen = [s for s in seeds() if table == "any" or s.is_zip == (table == "zip")]
    one = r.choice(chosen)
    return kind, one.name, TABLES[table][kind](r, one)
