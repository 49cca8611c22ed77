"""The float8 dtypes: exact casts, the supported operators, and the errors of the other operators."""

import copy
import io

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same, both

NAMES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
LOW = (
    0,
    1,
    0x7FFF,
    0x8000,
    0x8001,
    0xFFFF,
)  # lower halves of a float32: the smallest and largest, and the middle (a tie) with its neighbors


def floats() -> np.ndarray:
    """Return float32 numbers with every upper half of the bits, combined with lower halves that decide the rounding."""
    high = np.arange(1 << 16, dtype=np.uint32) << 16
    return np.concatenate([high | low for low in LOW]).astype(np.uint32).view(np.float32)


def bits(tensor) -> np.ndarray:
    return tensor.view((torch if isinstance(tensor, torch.Tensor) else torchlike).uint8).numpy()


@pytest.fixture(params=["numpy", "xla"])
def executor(request):
    torchlike.set_executor(request.param)
    yield
    torchlike.set_executor("auto")


@pytest.mark.parametrize("name", NAMES)
def test_every_rounding_of_float32(name, executor):
    x = floats()
    cast = lambda library: bits(library.from_numpy(x).to(getattr(library, name)))
    np.testing.assert_array_equal(cast(torchlike), cast(torch))


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", ["float64", "float16", "bfloat16", "int64", "int8", "bool", "complex64", *NAMES])
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_casts_from(name, source, executor):
    numbers = np.array([0.0, -0.0, 1, -1, 1.0625, 1.1875, 1.0625 + 1e-9, 3, 6, -17, 100, 240, 464, 465, 1e-3, 1e-9, -7])

    def cast(library):
        made = library.tensor(numbers.tolist(), dtype=library.float64)
        if source == "bool":
            made = made != 0
        return bits(made.to(getattr(library, source)).to(getattr(library, name)))

    np.testing.assert_array_equal(cast(torchlike), cast(torch))


@pytest.mark.parametrize("name", NAMES)
def test_every_bit_pattern_widens(name, executor):
    def cast(library):
        x = library.arange(256, dtype=library.uint8).view(getattr(library, name))
        return [x.to(getattr(library, to)) for to in ("float32", "float64", "float16", "bfloat16", "bool", "complex64")]

    assert_same(cast(torchlike), cast(torch))


@pytest.mark.parametrize("name", NAMES)
def test_integers_from_every_bit_pattern(name):
    def cast(library):
        x = library.arange(256, dtype=library.uint8).view(getattr(library, name))
        return x[library.isfinite(x.float()) & (x.float().abs() < 1e9)].to(library.int32)

    assert_same(cast(torchlike), cast(torch))


@pytest.mark.parametrize("name", NAMES)
def test_repr_of_every_bit_pattern(name):
    first, last = (64, 192) if name == "float8_e8m0fnu" else (0, 256)  # PyTorch prints incorrectly near the extremes
    show = lambda library: repr(library.arange(first, last, dtype=library.uint8).view(getattr(library, name)))
    assert show(torchlike) == show(torch)


@pytest.mark.parametrize("name", NAMES)
def test_finfo(name):
    def limits(library):
        info = library.finfo(getattr(library, name))
        return info.max, info.min, info.eps, info.tiny, info.smallest_normal, info.resolution, info.bits, info.dtype

    assert limits(torchlike) == limits(torch)
    assert repr(torchlike.finfo(getattr(torchlike, name))) == repr(torch.finfo(getattr(torch, name)))
    both(
        lambda L: [
            getattr(getattr(L, name), what) for what in ("is_floating_point", "is_complex", "is_signed", "itemsize")
        ]
    )
    both(lambda L: getattr(L, name).to_complex())


PROGRAMS = {
    "made": lambda L, d, a: (
        L.tensor([1.0, 3.0], dtype=d),
        L.zeros(2, dtype=d),
        L.ones(2, dtype=d),
        L.full((2,), 2.0, dtype=d),
    ),
    "made of whole numbers": lambda L, d, a: (L.tensor([1, 4], dtype=d), L.arange(5).to(d), L.ones_like(a)),
    "tolist": lambda L, d, a: (a.tolist(), a[0].item(), float(a[1]), int(a[1]), bool(a[0])),
    "numpy": lambda L, d, a: a.numpy(),
    "asarray": lambda L, d, a: np.asarray(a),
    "views": lambda L, d, a: (a.view(2, 2).t(), a[1:], a.unfold(0, 2, 1), a.view(2, 2).diagonal(), a.split(2)),
    "bits": lambda L, d, a: (a.view(L.uint8), a.view(L.int16), L.arange(4, dtype=L.uint8).view(d), a.view(L.float32)),
    "copies": lambda L, d, a: (a.clone(), a.view(2, 2).t().contiguous(), a.repeat(2), a.roll(1), copy.deepcopy(a)),
    "joined": lambda L, d, a: (L.cat([a, a]), L.stack([a, a]), L.where(a == 2, a, 1.0)),
    "joined with others": lambda L, d, a: L.cat([a, L.ones(2)]),
    "read": lambda L, d, a: (
        a[L.tensor([0, 1])],
        a[a == 2],
        a.index_select(0, L.tensor([1])),
        a.masked_select(a == 4),
        L.nn.functional.embedding(L.tensor([1]), a.view(2, 2)),
    ),
    "written": lambda L, d, a: [written(L, d, a, i) for i in range(6)],
    "compared": lambda L, d, a: (a == a, a != a, a == 2, a == 3.1, a == L.tensor(2.0), a.isnan(), a.any(), a.all()),
    "ordered": lambda L, d, a: a < a,
    "product": lambda L, d, a: (a * a, L.mul(a, a, out=L.zeros(4))),
    "product with a number": lambda L, d, a: a * 2,
    "product with one element": lambda L, d, a: a * a[0],
    "float32 with one element": lambda L, d, a: L.ones(3) + a[0],
    "matrices": lambda L, d, a: (a.view(2, 2) @ a.view(2, 2), L.mm(a.view(2, 2), a.view(2, 2)), linear(L, a)),
    "batches": lambda L, d, a: a.view(1, 2, 2) @ a.view(1, 2, 2),
    "vectors": lambda L, d, a: a @ a,
    "abs": lambda L, d, a: a.abs(),
    "isinf": lambda L, d, a: a.isinf(),
    "isfinite": lambda L, d, a: a.isfinite(),
    "equal": lambda L, d, a: (L.equal(a, a.clone()), L.equal(a, a.roll(1)), L.equal(a, a[:2])),
    "asked for float32": lambda L, d, a: (
        a.sum(dtype=L.float32),
        a.mean(dtype=L.float32),
        a.cumsum(0, dtype=L.float32),
        a.prod(dtype=L.float64),
        a.softmax(0, dtype=L.float32),
    ),
    "promotion": lambda L, d, a: L.promote_types(d, L.float32),
    "promotion of whole numbers": lambda L, d, a: a + L.ones(4, dtype=L.int64),
    "can_cast": lambda L, d, a: (L.can_cast(d, L.float32), L.can_cast(L.float32, d), L.can_cast(d, L.int8)),
    "type": lambda L, d, a: (
        a.type(),
        a.dtype.itemsize,
        a.element_size(),
        a.is_floating_point(),
        a.untyped_storage().nbytes(),
    ),
    "default": lambda L, d, a: L.set_default_dtype(d),
    "in place into float32": lambda L, d, a: L.ones(4).add_(a),
    "too large a number": lambda L, d, a: L.full((2,), 1e39, dtype=d),
    "gradient": lambda L, d, a: gradient(L, d, 3.0),
    "gradient beyond the range": lambda L, d, a: gradient(L, d, 1e6),
    "module": lambda L, d, a: {name: x.dtype.itemsize for name, x in L.nn.Linear(2, 2).to(d).state_dict().items()},
    "frombuffer": lambda L, d, a: L.frombuffer(bytearray(b"\x38\x40"), dtype=d),
}
REFUSED = (
    "add",
    "sub",
    "neg",
    "exp",
    "log",
    "sqrt",
    "sin",
    "tanh",
    "sigmoid",
    "sum",
    "mean",
    "max",
    "min",
    "amax",
    "argmax",
    "sort",
    "cumsum",
    "cumprod",
    "logsumexp",
    "floor",
    "round",
    "sign",
    "reciprocal",
    "flip",
    "tril",
    "triu",
    "trace",
    "prod",
    "nansum",
    "median",
    "square",
    "erf",
    "digamma",
    "lgamma",
    "nonzero",
    "unique",
    "logical_not",
    "bincount",
    "maximum",
    "div",
    "true_divide",
    "pow",
    "fmod",
    "remainder",
    "lerp",
    "gather",
    "take",
    "masked_fill",
    "dot",
    "bmm",
    "mv",
    "cross",
    "addcmul",
    "copysign",
    "isneginf",
    "relu",
)
ARGUMENTS = {
    "cross": lambda a, L: (a, 0),
    "lerp": lambda a, L: (a, 0.5),
    "gather": lambda a, L: (0, L.tensor([0])),
    "take": lambda a, L: (L.tensor([0]),),
    "masked_fill": lambda a, L: (a == a, 1.0),
    "addcmul": lambda a, L: (a, a),
    "pow": lambda a, L: (3,),
    **dict.fromkeys(("cumsum", "cumprod", "logsumexp", "flip"), lambda a, L: (0,)),
    **dict.fromkeys(("fmod", "remainder"), lambda a, L: (2,)),
}
TWO = {"add", "sub", "maximum", "div", "true_divide", "dot", "copysign"}
SHAPES = {"tril": (2, 2), "triu": (2, 2), "trace": (2, 2), "bmm": (1, 2, 2), "mv": (2, 2), "cross": (3,)}
FUNCTIONS = {
    "arange": lambda L, d: L.arange(3, dtype=d),
    "linspace": lambda L, d: L.linspace(0, 1, 3, dtype=d),
    "rand": lambda L, d: L.rand(3, dtype=d),
    "randn": lambda L, d: L.randn(3, dtype=d),
    "randint": lambda L, d: L.randint(0, 3, (3,), dtype=d),
    "gelu": lambda L, d: L.nn.functional.gelu(L.ones(4).to(d)),
    "softmax": lambda L, d: L.ones(4).to(d).softmax(0),
    "layer_norm": lambda L, d: L.nn.functional.layer_norm(L.ones(4).to(d), (4,)),
    "conv2d": lambda L, d: L.nn.functional.conv2d(L.ones(1, 1, 4, 4).to(d), L.ones(1, 1, 2, 2).to(d)),
    "dropout": lambda L, d: L.nn.functional.dropout(L.ones(4).to(d)),
    "equal": lambda L, d: L.equal(*[L.ones(4).to(d)] * 2),
    "scatter": lambda L, d: L.ones(4).to(d).scatter(0, L.tensor([0]), L.ones(1).to(d)),
    "index_add": lambda L, d: L.ones(4).to(d).index_add(0, L.tensor([0]), L.ones(1).to(d)),
}


def linear(L, a):
    return L.nn.functional.linear(a.view(2, 2), a.view(2, 2), a[:2])


def written(L, d, a, which):
    a = a.clone()
    if which == 0:
        a[0] = 8.0
    elif which == 1:
        a[1:] = a[:1]
    elif which == 2:
        a.fill_(4.0)
    elif which == 3:
        a.copy_(L.tensor([0.5, 0.3, 100.0, 1000.0]))
    elif which == 4:
        a.view(L.uint8)[2] = 66
    else:
        a[0] = 1e6  # clamped to the range
    return a


def gradient(L, d, factor):
    x = L.tensor([1.0, 2.0, 3.3, 600.0], requires_grad=True)
    (x.to(d).float() * factor).sum().backward()
    return x.grad


def run(program, name):
    def under(library):
        d = getattr(library, name)
        return program(library, d, library.tensor([1.0, 2.0, 4.0, 0.5]).to(d))

    both(under)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", NAMES[:2])
def test_programs_equal_pytorchs(program, name):
    run(PROGRAMS[program], name)


# The programs that PyTorch supports for e8m0fnu, which has no sign and no zero.
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in ("written", "type")])
def test_programs_of_powers(program):
    run(PROGRAMS[program], "float8_e8m0fnu")


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    def under(library):
        a = library.ones(SHAPES.get(name, (4,))).to(library.float8_e5m2)
        if name in ("bmm",):
            return a.bmm(a)
        if name == "mv":
            return a.mv(a[0])
        return getattr(a, name)(*((a,) if name in TWO else ARGUMENTS[name](a, library) if name in ARGUMENTS else ()))

    both(under)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_refused_functions(name):
    both(lambda library: FUNCTIONS[name](library, library.float8_e4m3fn))


@pytest.mark.parametrize("name", NAMES)
def test_files_cross(name):
    for write, read in ((torch, torchlike), (torchlike, torch), (torchlike, torchlike)):
        x = write.arange(256, dtype=write.uint8).view(getattr(write, name)).view(16, 16)
        file = io.BytesIO()
        write.save({"x": x, "t": x.t()}, file)
        file.seek(0)
        found = read.load(file)
        assert str(found["x"].dtype) == f"torch.{name}" and tuple(found["t"].stride()) == (1, 16)
        np.testing.assert_array_equal(bits(found["x"]), np.arange(256).reshape(16, 16))


def test_compiled():
    step = torchlike.compile(lambda x, w: (x.to(torchlike.float8_e4m3fn).float() @ w).sum())
    x, w = torchlike.randn(4, 4), torchlike.randn(4, 4)
    expected = (x.to(torchlike.float8_e4m3fn).float() @ w).sum()
    for _ in range(2):
        assert_same(step(x, w), torch.tensor(expected.item()))


SCALED = {
    "one number": lambda L, S, a, b: S(a, b, L.tensor(2.0), L.tensor(0.5), out_dtype=L.float32),
    "default dtype": lambda L, S, a, b: S(a, b, L.tensor(200.0), L.tensor(1.5)),
    "bfloat16": lambda L, S, a, b: S(a, b, scale_a=L.tensor([1.0]), scale_b=L.ones(1, 1), out_dtype=L.bfloat16),
    "rows": lambda L, S, a, b: S(a, b, L.rand(16, 1), L.rand(1, 24), out_dtype=L.float32),
    "bias": lambda L, S, a, b: S(a, b, L.tensor(2.0), L.tensor(0.5), bias=L.randn(24).bfloat16(), out_dtype=L.bfloat16),
    "scale_result": lambda L, S, a, b: S(
        a, b, L.tensor(2.0), L.tensor(0.5), scale_result=L.tensor(1.7), out_dtype=L.float8_e5m2
    ),
    "scale_result of float32": lambda L, S, a, b: S(
        a, b, L.tensor(2.0), L.tensor(0.5), scale_result=L.tensor(1.7), out_dtype=L.float32
    ),
    "use_fast_accum": lambda L, S, a, b: S(
        a, b, L.tensor(1.0), L.tensor(1.0), out_dtype=L.float32, use_fast_accum=True
    ),
    "two dtypes": lambda L, S, a, b: S(a, b.to(L.float8_e5m2), L.tensor(1.0), L.tensor(1.0), out_dtype=L.float32),
    "out": lambda L, S, a, b: S(a, b, L.tensor(2.0), L.tensor(0.5), out=L.zeros(16, 24)),
    "float32": lambda L, S, a, b: S(a.float(), b.float(), L.tensor(1.0), L.tensor(1.0)),
    "scale in float64": lambda L, S, a, b: S(a, b, L.tensor(1.0).double(), L.tensor(1.0)),
    "two scales": lambda L, S, a, b: S(a, b, L.ones(2), L.tensor(1.0)),
    "rows that do not lie together": lambda L, S, a, b: S(a, b, L.ones(1, 16).t(), L.ones(24, 1).t()),
    "vector": lambda L, S, a, b: S(a[0], b, L.tensor(1.0), L.tensor(1.0)),
    "sizes": lambda L, S, a, b: S(a, b[:16], L.tensor(1.0), L.tensor(1.0)),
    "size of the bias": lambda L, S, a, b: S(a, b, L.tensor(1.0), L.tensor(1.0), bias=L.ones(3)),
    "numbers as scales": lambda L, S, a, b: S(a, b, 1.0, 1.0),
    "two of scale_result": lambda L, S, a, b: S(a, b, L.tensor(1.0), L.tensor(1.0), scale_result=L.ones(2)),
    "backward": lambda L, S, a, b: S(a.requires_grad_(), b, L.ones(1), L.ones(1), out_dtype=L.float32).sum().backward(),
}


@pytest.fixture
def without_onednn():
    """Disable PyTorch's oneDNN. With AMX it checks fewer arguments, and returns NaN instead of saturating."""
    was = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    yield
    torch._C._set_mkldnn_enabled(was)


@pytest.mark.usefixtures("without_onednn")
@pytest.mark.parametrize("name", SCALED)
def test_scaled_mm(name):
    def under(library):
        a = library.randn(16, 32).to(library.float8_e4m3fn)
        b = library.randn(24, 32).to(library.float8_e4m3fn).t()
        return SCALED[name](library, library._scaled_mm, a, b)

    both(under)


DEQUANTIZED = {
    "float64": lambda L: L.ones(2, dtype=L.float64).dequantize(),
    "int32": lambda L: L.dequantize(L.ones(2, dtype=L.int32)),
    "float8": lambda L: L.tensor([1.0, 3.3]).to(L.float8_e4m3fn).dequantize(),
    "float32 is itself": lambda L: (x := L.ones(2)).dequantize().data_ptr() == x.data_ptr(),
    "requires grad": lambda L: L.ones(2, requires_grad=True).dequantize().requires_grad,
    "backward": lambda L: L.ones(2, dtype=L.float64, requires_grad=True).dequantize().sum().backward(),
}


@pytest.mark.parametrize("name", DEQUANTIZED)
def test_dequantize(name):
    both(DEQUANTIZED[name])
