"""Mutations of a file's bytes and of its pickle, in the zip format and in the old format."""

from __future__ import annotations

import random
import struct

from tests.serialization.hostile import forged
from tests.serialization.hostile.pickles import Raw, body, call, name, number, push, text, tokens
from tests.serialization.hostile.seeds import Seed, seeds
from tests.serialization.hostile.tables import ANY, into


@into(ANY)
def flipped_bytes(r: random.Random, seed: Seed) -> bytes:
    data = bytearray(seed.file())
    for _ in range(r.choice((1, 1, 2, 8))):
        data[r.randrange(len(data))] ^= r.randrange(1, 256)
    return bytes(data)


@into(ANY)
def truncated(r: random.Random, seed: Seed) -> bytes:
    data = seed.file()
    return data[: r.randrange(4, len(data))]


@into(ANY)
def cut_or_doubled_range(r: random.Random, seed: Seed) -> bytes:
    data = seed.file()
    start, end = sorted(r.sample(range(len(data)), 2))
    return data[:start] + r.choice((b"", data[start:end] * 2, bytes(end - start), r.randbytes(8))) + data[end:]


@into(ANY)
def two_files_spliced(r: random.Random, seed: Seed) -> bytes:
    one, other = seed.file(), r.choice(seeds()).file()
    return one[: r.randrange(4, len(one))] + other[r.randrange(len(other)) :]


# Mutations of the pickle, with correct checksums.
@into(ANY)
def flipped_bytes_of_the_pickle(r: random.Random, seed: Seed) -> bytes:
    data = bytearray(seed.pickle)
    for _ in range(r.choice((1, 1, 2, 4))):
        data[r.randrange(len(data))] = r.randrange(256)
    return seed.with_pickle(bytes(data))


@into(ANY)
def truncated_pickle(r: random.Random, seed: Seed) -> bytes:
    return seed.with_pickle(seed.pickle[: r.randrange(len(seed.pickle))])


@into(ANY)
def changed_opcodes(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.pickle)
    place = r.randrange(1, len(found))
    change = r.randrange(5)
    if change == 0:
        found[place] = r.randbytes(1) + found[place][1:]
    elif change == 1:
        del found[place]
    elif change == 2:
        found.insert(place, r.choice(found))
    elif change == 3:
        other = r.randrange(1, len(found))
        found[place], found[other] = found[other], found[place]
    else:
        found.insert(place, r.choice((b"0", b"1", b"2", b"(", b"R", b"b", b"\x81", b"s", b"u", b"a", b"e", b"Q", b"t")))
    return seed.with_pickle(b"".join(found))


_NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    255,
    1 << 31,
    (1 << 31) - 1,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    -(1 << 63),
    1 << 64,
    1 << 1000,
)


@into(ANY)
def changed_numbers(r: random.Random, seed: Seed) -> bytes:
    """Change sizes, strides, offsets, numbers of elements and other integers."""
    found = tokens(seed.pickle)
    places = [i for i, token in enumerate(found) if token[:1] in b"KMJ\x8a"]
    for place in r.sample(places, min(len(places), r.choice((1, 1, 2, 3)))):
        other = r.choice(
            (number(r.choice(_NUMBERS)), push(0.5), b"N", b"\x88", text("a"), b")", number(r.randrange(64)))
        )
        found[place] = other
    return seed.with_pickle(b"".join(found))


_TEXTS = (
    "",
    "0",
    "1",
    "99",
    "storage",
    "module",
    "cpu",
    "cuda",
    "cuda:abc",
    "cuda:-1",
    "meta",
    "meta:3",
    "tpu:x",
    "../0",
    "a\0b",
    "\ud800",
    "x" * 5000,
    "conj",
    "neg",
    "__class__",
    "data",
    "ü",
    "torch.strided",
    "latin1",
    "mps",
    "0\n",
)


@into(ANY)
def changed_texts(r: random.Random, seed: Seed) -> bytes:
    """Change keys, locations and names."""
    found = tokens(seed.pickle)
    places = [i for i, token in enumerate(found) if token[:1] == b"X"]
    if not places:
        return flipped_bytes_of_the_pickle(r, seed)
    other = (text(r.choice(_TEXTS)), number(3), b"N", call("_codecs.encode", "cpu", "latin1"), b")")
    found[r.choice(places)] = r.choice(other[:1] * 4 + other)
    return seed.with_pickle(b"".join(found))


@into(ANY)
def changed_globals(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.pickle)
    places = [i for i, token in enumerate(found) if token[:1] == b"c"]
    if not places:
        return inserted_globals(r, seed)
    found[r.choice(places)] = name(r.choice(forged.ALLOWED + forged.FORBIDDEN))
    return seed.with_pickle(b"".join(found))


@into(ANY)
def changed_containers(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.pickle)
    places = [i for i, token in enumerate(found) if token in (b")", b"]", b"}", b"N", b"t", b"\x85", b"\x86", b"\x87")]
    if places:
        found[r.choice(places)] = r.choice(
            (b")", b"]", b"}", b"N", b"\x8f", b"t", b"\x85", b"\x86", b"\x88", b"l", b"d")
        )
    return seed.with_pickle(b"".join(found))


def _spliced(r: random.Random, seed: Seed, pieces: bytes, pop: bytes = b"0") -> bytes:
    """Insert opcodes at a random place of the pickle, or put its object and the new one into a list."""
    found = tokens(seed.pickle)
    # The restricted unpickler does not support POP. An APPEND to a list removes the object from the stack instead.
    if r.random() < 0.5:
        return seed.with_pickle(b"\x80\x02](" + body(seed.pickle) + pieces + b"e.")
    found.insert(r.randrange(1, len(found)), r.choice((pieces, pieces + pop, b"(" + pieces + b"1")))
    return seed.with_pickle(b"".join(found))


@into(ANY)
def inserted_globals(r: random.Random, seed: Seed) -> bytes:
    """Insert calls that would write the canary file. They use every opcode that can call a function."""
    return _spliced(r, seed, forged.attack(r))


@into(ANY)
def calls_with_any_arguments(r: random.Random, seed: Seed) -> bytes:
    """Insert calls of allowed functions with arguments that they do not expect."""
    path = r.choice(forged.ALLOWED)
    args = tuple(forged.value(r, not seed.is_zip) for _ in range(r.randrange(8)))
    how = r.choice((b"R", b"R", b"R", b"\x81", b"b"))
    return _spliced(r, seed, name(path) + push(args if r.random() < 0.9 else forged.value(r)) + how)


@into(ANY)
def tensors_with_any_arguments(r: random.Random, seed: Seed) -> bytes:
    """Insert calls that are valid except for one or two arguments."""
    return _spliced(r, seed, forged.near_miss(r, not seed.is_zip))


@into(ANY)
def hooks(r: random.Random, seed: Seed) -> bytes:
    """Insert tensors that have hooks where genuine files have an empty dictionary."""
    hook = r.choice(({1: Raw(name("os.system"))}, {1: (Raw(name("torch.Tensor")), 1)}, {"a": 1}, [1], (1,), "a"))
    return _spliced(r, seed, forged.tensor(r, hooks=hook, view=not seed.is_zip))


@into(ANY)
def attributes_set_by_state(r: random.Random, seed: Seed) -> bytes:
    found = tokens(seed.pickle)
    attribute = r.choice(forged.ATTRIBUTES)
    state = r.choice(({attribute: forged.value(r)}, (None, {attribute: 1}), ({attribute: 1}, {"b": 2}), [1], {1: 2}))
    target = r.choice((call("collections.OrderedDict"), forged.tensor(r), b"}", call("collections.Counter"), b""))
    if not target:
        found.insert(r.randrange(1, len(found)), push(state) + b"b")
        return seed.with_pickle(b"".join(found))
    return _spliced(r, seed, target + push(state) + b"b")


@into(ANY)
def attributes_of_tensors(r: random.Random, seed: Seed) -> bytes:
    attribute, view = r.choice(forged.ATTRIBUTES), not seed.is_zip
    state = r.choice(({attribute: forged.value(r)}, (None, {attribute: 1}), (1, 2), ({attribute: 1}, None)))
    data = Raw(forged.tensor(r, view=view))
    if r.random() < 0.5:
        hooks = Raw(call("collections.OrderedDict"))
        return _spliced(r, seed, call("torch._utils._rebuild_parameter_with_state", data, True, hooks, state))
    function = Raw(
        name(
            r.choice(
                (
                    "torch._utils._rebuild_tensor_v2",
                    "torch._utils._rebuild_parameter_with_state",
                    "torch._utils._rebuild_parameter",
                    "torch.Size",
                    "os.system",
                )
            )
        )
    )
    cls = Raw(name(r.choice(("torch.Tensor", "torch.nn.parameter.Parameter", "torch.Size", "builtins.set"))))
    args = (data, True, {}, state) if r.random() < 0.5 else forged.v2_arguments(r, view=view)
    return _spliced(r, seed, call("torch._tensor._rebuild_from_type_v2", function, cls, args, state))


@into(ANY)
def deep_nesting(r: random.Random, seed: Seed) -> bytes:
    depth = r.choice((150, 250, 5_000, 5_000, 200_000))
    pieces = r.choice(
        (
            b"]" * depth + b"a" * (depth - 1),
            b")" + b"\x85" * depth,
            b"(" * depth + b"t" * depth,
            b"}" + (b"K\x01}") * depth + b"s" * depth,
            b"}" + b")" + b"\x85" * depth + b"Ns",
            b"(" * depth,
            b"ccollections\nOrderedDict\n)R"
            + b"K\x01ccollections\nOrderedDict\n)R" * min(depth, 5_000)
            + b"s" * min(depth, 5_000),
        )
    )
    return _spliced(r, seed, pieces)


@into(ANY)
def colliding_keys(r: random.Random, seed: Seed) -> bytes:
    return _spliced(r, seed, forged.colliding(r))


@into(ANY)
def memo_abuse(r: random.Random, seed: Seed) -> bytes:
    laughs = b"]q\x01" + b"".join(b"(" + b"h\x01" * 10 + b"tq\x01" for _ in range(r.choice((5, 12, 60))))
    pieces = r.choice(
        (
            b"h\xfe",
            b"j\xff\xff\xff\x7f",
            b"]r\xff\xff\xff\xff",
            b"]q\x01h\x01a",
            b"}q\x01K\x01h\x01s",
            b"q\x01",
            b"]q\x01" + b"h\x01" * 100_000,
            laughs,
            b"}" + laughs + b"Ns",
            b"cbuiltins\nset\n](" + laughs + b"e\x85R",
            b"".join(b"Nr" + struct.pack("<I", i * 7919) for i in range(2_000)),
            call("torch.Size", Raw(laughs)),
            b"}q\x01(h\x01h\x01tq\x02h\x01h\x02h\x02s",
            b"ctorch\nSize\n" + laughs + b"\x85R",
        )
    )
    return _spliced(r, seed, pieces)


@into(ANY)
def costly(r: random.Random, seed: Seed) -> bytes:
    """Insert a few bytes that take much time or memory to load."""
    return _spliced(r, seed, forged.costly(r, not seed.is_zip))


@into(ANY)
def newer_protocols(r: random.Random, seed: Seed) -> bytes:
    stream = r.choice(
        (b"\x80\x04\x95" + struct.pack("<Q", r.choice((5, 1 << 40))), b"\x80\x05", b"\x80\xff", b"", b"(K\x01")
    )
    return seed.with_pickle(stream + body(seed.pickle) + b".")
