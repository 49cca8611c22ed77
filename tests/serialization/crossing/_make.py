"""Objects of every kind, built alike in both libraries from one seed."""

import collections
import math
import random

from tests.serialization.crossing._modules import module_kinds
from tests.serialization.crossing._training import training_kinds

_DTYPES = """
bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64
complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu
"""
DTYPES = _DTYPES.split()
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 0.5, -2.0]
GENERATORS, PENDING = "generators", "pending conj and neg"
Pair = collections.namedtuple("Pair", "first second")


class Tagged:
    """An object of a user-defined class."""

    def __init__(self, value):
        self.value = value


def tensor(T, r, dtype=None, shape=None):
    """Return a tensor of random bytes, which include special values such as NaN, or of random bools."""
    shape = shape if shape is not None else tuple(r.randrange(1, 5) for _ in range(r.randrange(1, 4)))
    kind = getattr(T, dtype or r.choice(DTYPES))
    count = math.prod(shape)
    if kind is T.bool:
        return T.tensor([r.random() < 0.5 for _ in range(count)], dtype=kind).reshape(shape)
    raw = T.tensor(list(r.randbytes(count * kind.itemsize)), dtype=T.uint8)
    return raw.view(kind).reshape(shape)


def floats(T, r, shape=None):
    shape = shape if shape is not None else (r.randrange(1, 5), r.randrange(1, 5))
    return T.tensor(
        [r.choice(SPECIAL) if r.random() < 0.3 else r.gauss(0, 1) for _ in range(math.prod(shape))]
    ).reshape(shape)


def sharing(T, r):
    x = floats(T, r, (4, 6))
    views = [x, x.t(), x[1], x[1:3, ::2], x[:, 2:3], x.view(2, 12), x.detach(), x[2, 3], x[:0], x.diagonal(), x[::3]]
    chosen = r.sample(views, r.randrange(2, 6))
    return {"list": chosen, "again": chosen[0], "x": x if r.random() < 0.5 else None}


def expanded(T, r):
    return [floats(T, r, (3,)).expand(2, 3), floats(T, r, (2, 1)).expand(2, 4), T.tensor(3).expand(2, 2)]


def strided(T, r):
    a, b = r.randrange(1, 4), r.randrange(1, 4)
    return T.as_strided(floats(T, r, (60,)), (3, 4), (a * 4, b), r.randrange(5))


def overlapping(T, r):
    return floats(T, r, (12,)).unfold(0, 4, r.randrange(1, 4))


def channels_last(T, r):
    return floats(T, r, (2, 3, 2, 2)).to(memory_format=T.channels_last)


def small(T, r):
    kind = r.choice(DTYPES)
    return [tensor(T, r, kind, ()), tensor(T, r, kind, (0,)), tensor(T, r, kind, (2, 0, 3)), tensor(T, r, kind, (1,))]


def pending(T, r):
    z = T.view_as_complex(floats(T, r, (3, 2)))
    return r.choice([lambda: z.conj(), lambda: z.conj().imag, lambda: z[1:].conj(), lambda: T.neg(z.conj())])()


def coo(T, r):
    x = T.tensor([[r.choice([0.0, 1.0, 2.5]) for _ in range(4)] for _ in range(3)]).to_sparse()
    if r.random() < 0.5:
        return x
    return T.sparse_coo_tensor(T.tensor([[0, 0, 1], [1, 1, 0]]), floats(T, r, (3,)), (2, 3))


def compressed(T, r):
    x = T.tensor([[r.choice([0.0, 1.0, 2.5]) for _ in range(4)] for _ in range(3)])
    return x.to_sparse_csr() if r.random() < 0.5 else x.to_sparse_csc()


def parameters(T, r):
    p = T.nn.Parameter(floats(T, r), requires_grad=r.random() < 0.6)
    if p.requires_grad and r.random() < 0.5:
        p.sum().backward()
    if r.random() < 0.4:
        p.tag = {"name": "p", "rank": r.randrange(9)}
    return {"p": p, "tied": p, "data": p.data, "frozen": T.nn.Parameter(floats(T, r), False)}


def flags(T, r):
    leaf = floats(T, r, (2, 2)).requires_grad_()
    leaf.tag = [1, "two"]
    return [leaf, leaf * 2, leaf.detach(), (leaf + 1)[0], T.nn.Buffer(floats(T, r))]


def meta(T, r):
    return [T.empty(r.randrange(4), 3, device="meta"), T.empty(2, 3, device="meta").t()]


def generators(T, r):
    generator = T.Generator().manual_seed(r.randrange(1 << 40))
    T.randn(r.randrange(20), generator=generator)
    return [generator, generator] if r.random() < 0.5 else {"rng": generator.get_state(), "g": generator}


def things(T, r):
    found = [
        T.Size([1, 2]),
        T.Size([]),
        T.device("cpu"),
        T.device("cuda", 1),
        T.device("meta"),
        T.strided,
        T.sparse_coo,
    ]
    return [*r.sample(found, 4), *(getattr(T, name) for name in r.sample(DTYPES, 3)), T.sparse_csr]


def storages(T, r):
    kind = r.choice(["float32", "int64", "bool", "float64", "uint8", "bfloat16", "complex64"])
    x = tensor(T, r, kind, (r.randrange(1, 6),))
    return r.choice([lambda: x.untyped_storage(), lambda: [x.storage(), x], lambda: {"s": (x.storage(), 1)}])()


def scalars(r):
    found = [
        None,
        True,
        0,
        -1,
        255,
        256,
        65536,
        -70000,
        10**30,
        -(2**63),
        2.5,
        math.inf,
        math.nan,
        -0.0,
        1j,
        "",
        "ü" * 300,
    ]
    return r.choice([*found, "text", b"", b"abc", b"\xff" * 300, (), (1,), 1 << 31])


def containers(T, r, depth=0):
    def one():
        return containers(T, r, depth + 1) if depth < 2 and r.random() < 0.5 else r.choice([scalars(r), tensor(T, r)])

    def many():
        return [one() for _ in range(r.randrange(4))]

    return r.choice(
        [
            lambda: many(),
            lambda: tuple(many()),
            lambda: {r.choice([i, f"key{i}", (i, "a")]): one() for i in range(r.randrange(5))},
            lambda: collections.OrderedDict((f"k{i}", one()) for i in range(3)),
            lambda: {1, "a", None, (1, 2)},
            lambda: collections.Counter("abca"),
        ]
    )()


def user_objects(T, r):
    held = collections.defaultdict(list, a=[floats(T, r)])
    return r.choice(
        [
            lambda: Pair(floats(T, r), 1),
            lambda: Tagged({"w": floats(T, r)}),
            lambda: held,
            lambda: [frozenset({1, 2}), slice(1, 2), range(3), bytearray(b"ab"), Tagged],
            lambda: collections.deque([floats(T, r)]),
        ]
    )()


def cycles(T, r):
    cell = [floats(T, r)]
    cell.append({"self": cell, "n": r.randrange(9)})
    return cell


def results(T, r):
    x = T.tensor([[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]])
    return r.choice(
        [
            lambda: T.max(x, r.randrange(2)),
            lambda: T.sort(x),
            lambda: T.topk(x, 2),
            lambda: T.min(x, 0),
            lambda: T.mode(x, 1),
            lambda: T.median(x, 1),
            lambda: T.cummax(x, 0),
            lambda: T.aminmax(x),
            lambda: T.kthvalue(x, 1),
        ]
    )()


KINDS = {
    "every dtype": lambda T, r: [tensor(T, r) for _ in range(3)],
    "views that share memory": sharing,
    "expanded": expanded,
    "strided": strided,
    "overlapping": overlapping,
    "channels last": channels_last,
    "zero-dim and empty": small,
    PENDING: pending,
    "COO": coo,
    "CSR and CSC": compressed,
    "parameters": parameters,
    "requires_grad, results, buffers": flags,
    "meta": meta,
    GENERATORS: generators,
    "sizes, dtypes, devices, layouts": things,
    "storages": storages,
    "containers": containers,
    "users' classes, named tuples": user_objects,
    "cycles": cycles,
    "return_types": results,
    **training_kinds(),
    **module_kinds(),
}


def make(T, number):
    """Return the object with this number, and its kind."""
    names = list(KINDS)
    name = names[number % len(names)]
    return KINDS[name](T, random.Random(number)), name
