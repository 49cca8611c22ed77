"""Damage to the records and the directory of an archive."""

from __future__ import annotations

import functools
import random
import struct

from tests.serialization.hostile.archives import Record, build, deflated
from tests.serialization.hostile.seeds import Seed, seeds
from tests.serialization.hostile.tables import ZIP, into


@into(ZIP)
def two_records_of_one_name(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    one = r.choice(records)
    records.insert(r.randrange(len(records)), Record(one.name, r.choice((one.data, b"", r.randbytes(9)))))
    return build(records)


@into(ZIP)
def overlapping_records(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    one, other = r.sample(records, 2)
    if r.random() < 0.4:  # hide a whole record inside the data of another record
        inner = build([Record(one.name, one.data)])
        one.offset = r.randrange(64)
        other.data += inner
    else:
        one.offset = r.choice((0, 1, r.randrange(2_000), 1 << 30, 1 << 40, 30 + len(other.name)))
    return build(records)


@into(ZIP)
def wrong_lengths(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    one = r.choice(records)
    wrong = r.choice(
        (0, 1, len(one.data) + 1, max(len(one.data) - 1, 0), r.randrange(4_000), 1 << 31, 1 << 40, (1 << 64) - 1)
    )
    change = r.randrange(6)
    if change == 0:
        one.size = wrong
    elif change == 1:
        one.packed_size = wrong
    elif change == 2:
        one.size = one.packed_size = wrong
    elif change == 3:
        one.local = {r.choice(("size", "packed", "name", "extra", "crc")): wrong}
    elif change == 4:
        one.crc = wrong
    else:
        one.extra = struct.pack("<2H", 1, r.choice((0, 16, 60_000))) + r.randbytes(r.choice((0, 16)))
    return build(records)


@into(ZIP)
def encrypted_or_strange_records(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    for one in r.sample(records, r.choice((1, 2, len(records)))):
        if r.random() < 0.5:
            one.flags = r.choice((1, 0x40, 0x41, 8, 0x800, 0x2000, 0xFFFF))
        else:
            one.method = r.choice((1, 9, 12, 14, 93, 99))
            one.packed = one.data
    return build(records)


@into(ZIP)
def compressed_records(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    for one in r.sample(records, r.choice((1, len(records)))):
        one.method = 8
        if r.random() < 0.4:
            packed = bytearray(one.stored())
            packed[r.randrange(len(packed))] ^= 1 << r.randrange(8)
            one.packed = bytes(packed[: r.randrange(1, len(packed) + 1)])
    return build(records)


@functools.cache
def _bomb(fill: bytes, millions: int) -> Record:
    data = fill * (millions * 1_000_000 // len(fill))
    return Record("archive/bomb", data[:1], 8, packed=deflated(data), size=len(data))


@into(ZIP)
def bombs(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    fill, millions = r.choice(
        ((b"\0", 60), (b"\0", 400), (b"]", 30), (b"(", 50), (b"N", 60), (b"K\x01", 80), (b"]q\x01", 60))
    )
    target = r.choice([one for one in records if "data" in one.name])
    bomb = _bomb(fill, millions)
    target.method, target.packed, target.size = 8, bomb.stored(), bomb.size
    if r.random() < 0.5:  # declare a wrong size
        target.size = r.choice((4, len(target.data), 1 << 35))
    if r.random() < 0.3:
        target.packed_size = r.choice((1 << 36, len(bomb.stored()) - 1))
    return build(records)


@into(ZIP)
def names_of_records(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    change, one = r.randrange(5), r.choice(records)
    strange = (
        "/etc/passwd",
        "archive/../../x",
        "..",
        "C:\\x",
        "archive\\data.pkl",
        "x",
        "",
        "archive/",
        "a/data.pkl",
        "archive/constants.pkl",
        "archive//data/0",
        "archive/./data/0",
        "é/ü",
        "archive/" + "n" * 60_000,
    )
    if change == 0:
        records.insert(r.randrange(len(records) + 1), Record(r.choice(strange), b"1"))
    elif change == 1:
        one.name = r.choice(strange)
    elif change == 2:
        one.central_name = r.choice((*strange, r.choice(records).name))
    elif change == 3:
        prefix = r.choice(("/archive", "../archive", "", "a/b", ".", ".."))
        for each in records:
            each.name = prefix + each.name.removeprefix("archive")
    else:
        records.remove(one)
    return build(records, r.choice((b"", b"comment", b"PK\5\6" + bytes(18))))


@into(ZIP)
def small_records(r: random.Random, seed: Seed) -> bytes:
    """Change small records, such as the version and the byte order."""
    records = seed.as_records()
    wanted = r.choice(("/version", "byteorder", ".format_version", ".storage_alignment", "serialization_id"))
    strange = (
        b"",
        b"0",
        b"1",
        b"10",
        b"11",
        b"-1",
        b"abc",
        b"9" * 30,
        b"\xff",
        b"3\n",
        b"big",
        b"little",
        b"BIG",
        b"x" * 9_999,
    )
    for one in records:
        if one.name.endswith(wanted):
            one.data = r.choice(strange)
    return build(records)


@into(ZIP)
def storages_of_other_lengths(r: random.Random, seed: Seed) -> bytes:
    records = seed.as_records()
    held = [one for one in records if "/data/" in one.name]
    if not held:
        return names_of_records(r, seed)
    one = r.choice(held)
    one.data = r.choice((one.data[:-1], one.data + b"\0", b"", one.data * 2, r.choice(held).data))
    return build(records)


@into(ZIP)
def indices_of_sparse_tensors(r: random.Random, seed: Seed) -> bytes:
    sparse = [s for s in seeds() if s.is_zip and s.name.endswith(("coo", "compressed", "blocks"))]
    records = r.choice(sparse).as_records()
    one = r.choice([each for each in records if "/data/" in each.name])
    words = bytearray(one.data)
    for _ in range(r.choice((1, 1, 3))):
        start = r.randrange(len(words) // 8) * 8
        words[start : start + 8] = struct.pack("<q", r.choice((-1, 0, 1, 2, 3, 4, 5, 100, 1 << 40, -(1 << 63))))
    one.data = bytes(words)
    return build(records)


@into(ZIP)
def directories(r: random.Random, seed: Seed) -> bytes:
    """Change bytes at the end of an archive, which contains its directory."""
    data = bytearray(build(seed.as_records(), before=r.choice((b"", b"", b"x" * 7))))
    for _ in range(r.choice((1, 2, 4))):
        data[-r.randrange(1, min(len(data), 400))] = r.choice((0, 255, r.randrange(256)))
    return bytes(data)


@into(ZIP)
def many_records(r: random.Random, seed: Seed) -> bytes:
    count = r.choice((1_000, 1_000, 10_000))
    return build(seed.as_records() + [Record(f"archive/data/x{i}", b"") for i in range(count)])
