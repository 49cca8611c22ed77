"""Damage to parts that only files of the old format have."""

from __future__ import annotations

import itertools
import random
import struct

from tests.serialization.hostile import forged
from tests.serialization.hostile.pickles import Raw, call, name, number, push, storage, text, tokens
from tests.serialization.hostile.seeds import Seed
from tests.serialization.hostile.tables import OLD, into


@into(OLD)
def header_pickles(r: random.Random, seed: Seed) -> bytes:
    stream = list(seed.stream)
    other = (
        number(5),
        call("torch._utils._rebuild_meta_tensor_no_storage", Raw(name("torch.float32")), (2,), (1,), False),
        b"N",
        b"}",
        b"}X\r\0\0\0little_endianK\x01s",
        forged.attack(r),
        storage(view=True),
        text("a"),
        b"]" * 9,
        push({"little_endian": False}),
        push([1]),
    )
    place = r.choice((0, 1, 2, 4))
    stream[place] = b"\x80\x02" + r.choice(other) + b"."
    return b"".join(stream) + seed.tail


@into(OLD)
def keys_of_storages(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.stream[4])
    places = [i for i, token in enumerate(found) if token[:1] == b"X"]
    if places:
        found[r.choice(places)] = r.choice(
            (text("0"), number(3), r.choice(found), call("_codecs.encode", "é", "latin1"))
        )
    return b"".join((*seed.stream[:4], *found)) + seed.tail


@into(OLD)
def blocks(r: random.Random, seed: Seed) -> bytes:
    """Overwrite the length of the first storage, or eight bytes at a random offset, with a special number."""
    tail = bytearray(seed.tail)
    start = r.choice((0, r.randrange(max(len(tail) - 8, 1))))
    tail[start : start + 8] = struct.pack("<q", r.choice((0, 1, -1, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), 4)))
    return b"".join(seed.stream) + bytes(tail)


@into(OLD)
def views_of_storages(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.stream[3])
    places = [i for i, (a, b) in enumerate(itertools.pairwise(found)) if a == b"N" and b[:1] == b"t"]
    if places:
        found[r.choice(places)] = push(r.choice((("1", 0, 2), 5, "a", (), ("1", -1, 1 << 70))))
    return seed.with_pickle(b"".join(found))
