"""The CPU random stream, compared with PyTorch bit for bit: the samples, and the generator's state after each call."""

import copy
import itertools
import pickle
import sys
import threading
import warnings

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlike import _native
from torchlike import _random as ours
from torchlike._random import _binomial, _blocks, _box_muller, _gamma, _integer, _poisson

SIZES = [0, 1, 2, 15, 16, 17, 31, 100, 10000, 3]
REAL = ["float32", "float64", "float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
INTEGER = ["int64", "int32", "int16", "int8", "uint8"]
WIDE_REAL = ["float32", "float64"]
WIDE = ["int64", "float32", "float64", "bfloat16"]


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.contiguous().numpy()


def to_torch(array: np.ndarray) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def filled(name: str, *arguments, **keywords):
    """Return a function that samples with PyTorch's in-place method into a new tensor."""

    def draw(size, dtype):
        return getattr(torch.empty(size, dtype=getattr(torch, dtype)), name)(*arguments, **keywords)

    return draw


def drawn(function, *arguments, **keywords):
    """Return a function that samples with torchlike."""

    def draw(generator, size, dtype):
        return function(generator, size, numpy_dtype(dtype), *arguments, **keywords)

    return draw


def ramp(size, dtype, top: float) -> np.ndarray:
    return np.linspace(0, top, size[0]).astype(numpy_dtype(dtype))


# (name, dtypes, PyTorch's sampler, torchlike's sampler)
DRAWS = [
    ("uniform", REAL + COMPLEX, filled("uniform_"), drawn(ours.uniform)),
    ("uniform -1..1", REAL + COMPLEX, filled("uniform_", -1, 1), drawn(ours.uniform, -1, 1)),
    ("uniform narrow", REAL, filled("uniform_", 3, 3.1), drawn(ours.uniform, 3, 3.1)),
    ("uniform 0..0.3", REAL, filled("uniform_", 0, 0.3), drawn(ours.uniform, 0, 0.3)),
    ("normal", REAL + COMPLEX, filled("normal_"), drawn(ours.normal)),
    ("normal scaled", REAL + COMPLEX, filled("normal_", 0, 0.02), drawn(ours.normal, 0, 0.02)),
    ("normal moved", REAL + COMPLEX, filled("normal_", 0.3, 0.7), drawn(ours.normal, 0.3, 0.7)),
    ("random", REAL + INTEGER + ["bool"], filled("random_"), drawn(ours.random_)),
    ("randint", REAL + INTEGER, filled("random_", 0, 100), drawn(ours.randint, 0, 100)),
    ("randint signed", REAL + INTEGER[:3], filled("random_", -2000, 30), drawn(ours.randint, -2000, 30)),
    ("randint two words", [*WIDE, "int32"], filled("random_", -200, 2**29), drawn(ours.randint, -200, 2**29)),
    ("randint huge", WIDE, filled("random_", -(2**62), 2**63 - 1), drawn(ours.randint, -(2**62), 2**63 - 1)),
    ("randint to the last", REAL + INTEGER, filled("random_", 5, None), drawn(ours.randint, 5, None)),
    ("randint of all", WIDE, filled("random_", -(2**63), None), drawn(ours.randint, -(2**63), None)),
    ("bernoulli", REAL + INTEGER + ["bool"], filled("bernoulli_", 0.3), drawn(ours.bernoulli, 0.3)),
    ("bernoulli never", ["float32"], filled("bernoulli_", 0), drawn(ours.bernoulli, 0)),
    ("bernoulli always", ["float32"], filled("bernoulli_", 1), drawn(ours.bernoulli, 1)),
    ("exponential", REAL, filled("exponential_", 1.7), drawn(ours.exponential, 1.7)),
    ("geometric", REAL + INTEGER, filled("geometric_", 0.3), drawn(ours.geometric, 0.3)),
    ("cauchy", REAL, filled("cauchy_", 1, 2.3), drawn(ours.cauchy, 1, 2.3)),
    ("log_normal", REAL, filled("log_normal_", 0.3, 0.7), drawn(ours.log_normal, 0.3, 0.7)),
    (
        "bernoulli of an array",
        REAL,
        lambda size, dtype: torch.bernoulli(to_torch(ramp(size, dtype, 1))),
        lambda g, size, dtype: ours.bernoulli(g, size, numpy_dtype(dtype), ramp(size, dtype, 1)),
    ),
    (
        "poisson",
        REAL,
        lambda size, dtype: torch.poisson(to_torch(ramp(size, dtype, 30))),
        lambda g, size, dtype: ours.poisson(g, ramp(size, dtype, 30)),
    ),
    (
        "standard_gamma",
        ["float32", "float64"],
        lambda size, dtype: torch._standard_gamma(to_torch(ramp(size, dtype, 5))),
        lambda g, size, dtype: ours.standard_gamma(g, ramp(size, dtype, 5)),
    ),
    (
        "dirichlet",
        ["float32"],
        lambda size, dtype: torch._sample_dirichlet(to_torch(ramp(size, dtype, 5)).expand(2, -1)),
        lambda g, size, dtype: ours.dirichlet(g, np.stack([ramp(size, dtype, 5)] * 2)),
    ),
    (
        "binomial",
        ["float32", "float64"],
        lambda size, dtype: torch.binomial(to_torch(np.round(ramp(size, dtype, 99))), to_torch(ramp(size, dtype, 1))),
        lambda g, size, dtype: ours.binomial(g, np.round(ramp(size, dtype, 99)), ramp(size, dtype, 1)),
    ),
    (
        "randperm",
        ["int64", "int32", "float32", "float64"],
        lambda size, dtype: torch.randperm(size[0], dtype=getattr(torch, dtype)),
        lambda g, size, dtype: ours.randperm(g, size[0], numpy_dtype(dtype)),
    ),
    (
        "dropout",
        REAL,
        lambda size, dtype: torch.nn.functional.dropout(torch.ones(size, dtype=getattr(torch, dtype)), 0.3),
        lambda g, size, dtype: ours.dropout_noise(g, size, numpy_dtype(dtype), 0.3) if size[0] else np.empty(0, dtype),
    ),
    (
        "normal into a strided tensor",
        REAL,
        lambda size, dtype: torch.empty(*size, 2, dtype=getattr(torch, dtype))[:, 0].normal_(0.3, 0.7),
        lambda g, size, dtype: ours.normal(g, size, numpy_dtype(dtype), 0.3, 0.7, contiguous=size[0] < 2),
    ),
    (
        "trunc_normal",
        ["float32", "float64"],
        lambda size, dtype: torch.nn.init.trunc_normal_(torch.empty(size, dtype=getattr(torch, dtype)), 0.1, 1.5),
        lambda g, size, dtype: ours.trunc_normal(g, size, numpy_dtype(dtype), 0.1, 1.5),
    ),
    (
        "trunc_normal of a tail",
        ["float32", "float64"],
        lambda size, dtype: torch.nn.init.trunc_normal_(torch.empty(size, dtype=getattr(torch, dtype)), 0, 1, 1, 2),
        lambda g, size, dtype: ours.trunc_normal(g, size, numpy_dtype(dtype), 0, 1, 1, 2),
    ),
]
TABLE = [
    pytest.param(theirs, draw, dtype, id=f"{name}-{dtype}") for name, dtypes, theirs, draw in DRAWS for dtype in dtypes
]


def assert_same_bits(draw: np.ndarray, tensor: torch.Tensor) -> None:
    expected = to_numpy(tensor)
    assert (draw.dtype, draw.shape) == (expected.dtype, expected.shape)
    differ = np.flatnonzero(draw.reshape(-1) != expected.reshape(-1))
    assert draw.tobytes() == expected.tobytes(), f"{len(differ)} of {draw.size} differ, first at {differ[:3]}"


def assert_same_place(generator: ours.Generator) -> None:
    """Assert that both generators have the same state, including the cached half of a normal pair."""
    assert np.array_equal(generator.state_bytes(), torch.get_rng_state().numpy())


@pytest.fixture
def generator():
    torch.manual_seed(2024)
    return ours.Generator().manual_seed(2024)


@pytest.mark.filterwarnings("ignore:.*is out of bounds")
@pytest.mark.parametrize("theirs, draw, dtype", TABLE)
def test_draw(generator, theirs, draw, dtype):
    for count in SIZES:
        assert_same_bits(draw(generator, (count,), dtype), theirs((count,), dtype))
        assert_same_place(generator)


def test_draws_of_all_kinds_interleave(generator):
    order = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(300):
            _, dtypes, theirs, draw = DRAWS[order.integers(len(DRAWS))]
            dtype, size = dtypes[order.integers(len(dtypes))], (int(order.integers(1, 40)),)
            assert_same_bits(draw(generator, size, dtype), theirs(size, dtype))
    assert_same_place(generator)


def test_many_normals(generator):
    assert_same_bits(ours.normal(generator, (1000, 1003), np.float32), torch.randn(1000, 1003))
    assert_same_bits(ours.normal(generator, (77, 103), np.float64), torch.randn(77, 103, dtype=torch.float64))


@pytest.mark.parametrize("dtype", WIDE_REAL)
@pytest.mark.parametrize("size", [(1,), (15,), (5000,)])
def test_a_mean_that_vanishes_beside_the_deviation_still_says_where_halves_go(generator, size, dtype):
    for mean in (6.6e-44, -6.6e-44, 1e-30, -1e-30, 1e-300, -1e-300):
        for std in (3, 0.75, 1.0):
            drawn = ours.normal(generator, size, numpy_dtype(dtype), mean, std)
            assert_same_bits(drawn, filled("normal_", mean, std)(size, dtype))


@pytest.mark.parametrize("dtype", WIDE_REAL)
def test_a_radius_of_zero_gives_a_positive_zero(generator, dtype):
    for draw in (lambda: ours.randint(generator, (2,), np.int64, 0, 9), lambda: torch.randint(9, (2,))):
        draw()
    state = generator.state_bytes()
    words = state[24 : 24 + 8 * 624].view("<u8")
    words[2:5] = 0  # tempering maps zero to zero
    generator.load_state_bytes(state)
    torch.set_rng_state(torch.from_numpy(state))
    for mean, std in ((0, 1), (0, 0.3)):
        expected = filled("normal_", mean, std)((32,), dtype)
        assert_same_bits(ours.normal(generator, (32,), numpy_dtype(dtype), mean, std), expected)
        generator.load_state_bytes(state)
        torch.set_rng_state(torch.from_numpy(state))


def test_every_radius_and_every_angle_is_rounded_alike_in_c_and_numpy():
    """Compare all 2^24 radii and all 2^24 angles, in blocks of sixteen words: eight radii and eight angles."""
    words = np.repeat(np.arange(1 << 24, dtype=np.uint32).reshape(-1, 8), 2, axis=0).reshape(-1)
    assert _native.normals is not None
    for some in np.split(words, 256):
        found, expected = np.empty(some.shape, np.float32), np.empty(some.shape, np.float32)
        _native.normals.fill(some, found, 0.0, 1.0)
        _box_muller._by_numpy(some, expected, 0.0, 1.0)
        assert np.array_equal(found.view(np.int32), expected.view(np.int32))


@pytest.mark.parametrize("dtype", WIDE_REAL)
@pytest.mark.parametrize(("mean", "std"), [(0, 1), (0.1, 0.3), (-3, 1e-3), (1e-40, 2)])
@pytest.mark.parametrize("is_compiled", [True, False])
def test_normals_in_c_and_in_numpy(generator, monkeypatch, dtype, mean, std, is_compiled):
    if not is_compiled:
        monkeypatch.setattr(_native, "normals", None)
    for count in (16, 40, 50_003):
        found = ours.normal(generator, (count,), numpy_dtype(dtype), mean, std)
        assert_same_bits(found, filled("normal_", mean, std)((count,), dtype))
    assert_same_place(generator)


@pytest.mark.parametrize("worth_scipy", [0, 1 << 40])
def test_permutations_both_ways(generator, monkeypatch, worth_scipy):
    monkeypatch.setattr(_integer, "_WORTH_SCIPY", worth_scipy)
    monkeypatch.delitem(sys.modules, "scipy.linalg.lapack", raising=False)
    for n in (2, 3, 100, 5000, 100_000):
        assert_same_bits(ours.randperm(generator, n), torch.randperm(n))
    assert_same_place(generator)


STRIDED = [
    ("transposed", lambda: torch.empty(5, 7).t()),
    ("channels last", lambda: torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last)),
    ("every other", lambda: torch.empty(6, 8)[:, ::2]),
    ("permuted and sliced", lambda: torch.empty(4, 5, 6).permute(2, 0, 1)[1:4]),
    ("contiguous", lambda: torch.empty(3, 1, 7)),
]


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in STRIDED])
@pytest.mark.parametrize(
    "name, draw",
    [("uniform_", ours.uniform), ("normal_", ours.normal), ("random_", ours.random_), ("bernoulli_", ours.bernoulli)],
)
def test_a_strided_tensor_is_filled_in_the_order_of_memory(generator, make, name, draw):
    theirs = make()
    facts = {"contiguous": theirs.is_contiguous()} if name == "normal_" else {}
    drawn = ours.in_memory_order(
        lambda size: draw(generator, size, np.dtype(np.float32), **facts), tuple(theirs.shape), theirs.stride()
    )
    assert_same_bits(drawn, getattr(theirs, name)())


def test_the_public_functions_of_pytorch(generator):
    assert_same_bits(ours.uniform(generator, (3, 7), np.float32), torch.rand(3, 7))
    assert_same_bits(ours.normal(generator, (4, 5), np.float32), torch.randn(4, 5))
    assert_same_bits(ours.randint(generator, (4, 5), np.int64, -3, 9), torch.randint(-3, 9, (4, 5)))
    assert_same_bits(ours.normal(generator, (4, 5), np.complex64), torch.randn(4, 5, dtype=torch.complex64))
    assert ours.draw_seed(generator) == torch.empty((), dtype=torch.int64).random_().item()
    assert_same_place(generator)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from(REAL),
    st.integers(1, 50),
    st.floats(-100, 100, width=32),
    st.floats(0.001, 100),
)
def test_any_seed_and_any_parameter(seed, dtype, count, middle, width):
    torch.manual_seed(seed)
    generator = ours.Generator().manual_seed(seed)
    numpy = numpy_dtype(dtype)
    pairs = [
        (ours.uniform(generator, (count,), numpy, middle, middle + width), ("uniform_", middle, middle + width)),
        (ours.normal(generator, (count,), numpy, middle, width), ("normal_", middle, width)),
        (ours.exponential(generator, (count,), numpy, width), ("exponential_", width)),
        (ours.cauchy(generator, (count,), numpy, middle, width), ("cauchy_", middle, width)),
        (ours.bernoulli(generator, (count,), numpy, width / 100), ("bernoulli_", width / 100)),
    ]
    pairs.append(
        (ours.log_normal(generator, (count,), numpy, middle / 20, width / 50), ("log_normal_", middle / 20, width / 50))
    )
    for draw, (name, *arguments) in pairs:
        assert_same_bits(draw, filled(name, *arguments)((count,), dtype))
    assert_same_place(generator)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(REAL + INTEGER), st.integers(-(2**63), 2**63 - 2), st.integers(1, 2**64 - 1), st.integers(0, 62))
def test_any_range_of_integers(dtype, low, span, shift):
    low, high = low >> shift, min((low >> shift) + (span >> shift) + 1, 2**63 - 1)
    torch.manual_seed(1)
    generator = ours.Generator().manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = filled("random_", low, high)((20,), dtype)
        except RuntimeError as error:
            with pytest.raises(RuntimeError) as caught:
                ours.randint(generator, (20,), numpy_dtype(dtype), low, high)
            assert str(caught.value) == str(error)
        else:
            assert_same_bits(ours.randint(generator, (20,), numpy_dtype(dtype), low, high), expected)
    assert_same_place(generator)


# --- rejection sampling of many elements, compiled -------------------------------------------------------------------


def several(dtype, *values):
    """Return one array for each value, and one array with the values in random order."""
    mixed = np.random.default_rng(2).choice(values, 5000)
    return [*(np.full(3000, value, dtype) for value in values), mixed.astype(dtype)]


REJECTION_CASES = [(dtype, kind) for dtype in WIDE_REAL for kind in ("poisson", "gamma", "dirichlet", "binomial")]


@pytest.fixture
def compiled(monkeypatch):
    """Compile the rejection-sampling loops at once, with small blocks of elements and uniform numbers."""
    for name, value in (("_FEWEST", 0), ("_COLD_ELEMENTS", 0), ("ELEMENTS", 300), ("UNIFORMS", 700)):
        monkeypatch.setattr(_blocks, name, value)
    _blocks._compiled.cache_clear()
    yield
    _blocks._compiled.cache_clear()


def rejection_calls(dtype, kind):
    if kind == "poisson":
        for rates in several(dtype, 0, 0.3, 3, 9.99, 10, 30, 1000, 1e6):
            yield torch.poisson, ours.poisson, (rates,)
    elif kind == "gamma":
        for shapes in several(dtype, 1e-3, 0.4, 1, 1.5, 20, 1e5):
            yield torch._standard_gamma, ours.standard_gamma, (shapes,)
    elif kind == "dirichlet":
        if dtype == "float32":
            for shapes in several(dtype, 0.4, 1, 1.5):
                yield torch._sample_dirichlet, ours.dirichlet, (shapes.reshape(-1, 2),)
    else:
        for counts, chances in itertools.product(
            several(dtype, 0, 1, 25, 1000), several(dtype, 0, 0.02, 0.4, 0.5, 0.9, 1)
        ):
            if len(counts) == len(chances):
                yield torch.binomial, ours.binomial, (counts, chances)


@pytest.mark.parametrize("dtype, kind", REJECTION_CASES)
def test_rejection_sampling_of_large_arrays_equals_pytorch(generator, compiled, dtype, kind):
    ours.normal(generator, (3,), np.dtype(dtype))  # caches half of a normal pair
    torch.empty(3, dtype=getattr(torch, dtype)).normal_()
    for theirs, draw, arrays in rejection_calls(dtype, kind):
        assert_same_bits(draw(generator, *arrays), theirs(*map(torch.from_numpy, arrays)))
        assert_same_place(generator)


def test_rejection_loops_compile_to_native_code():
    """Check that XLA emits each loop as a small call.

    XLA moves a loop with a small body into a function of its own, marked `xla_cpu_small_call`. Any other loop is fifty
    times slower.
    """
    for processes, columns in ((_poisson._POISSON, 2), (_gamma._GAMMA, 1), (_binomial._BINOMIAL, 7)):
        for kind, process in processes.items():
            width = 2 if processes is _binomial._BINOMIAL and kind == -1 else columns
            assert "xla_cpu_small_call" in _blocks._compiled(process, width).as_text()


# --- multinomial -----------------------------------------------------------------------------------------------------


# Sampling several elements without replacement is tested only in dtypes so precise that no two quotients are equal.
# PyTorch's order of equal quotients is specific to its sort.
ALL_WAYS = [(dtype, *way) for dtype in REAL for way in ((1, False), (4, True), (1000, True), (1, True))]
ALL_WAYS += [("float32", 4, False), ("float64", 4, False)]


@pytest.mark.parametrize("shape", [(5,), (40,), (3, 7), (50, 100)])
@pytest.mark.parametrize("dtype, count, replacement", ALL_WAYS)
def test_multinomial(generator, shape, dtype, count, replacement):
    weights = np.random.default_rng(1).random(shape).astype(numpy_dtype(dtype))
    expected = torch.multinomial(to_torch(weights), count, replacement)
    assert_same_bits(ours.multinomial(generator, weights, count, replacement), expected)
    assert_same_place(generator)


def test_multinomial_with_weights_of_zero(generator):
    weights = np.float32([0, 3, 0, 1, 0, 2])
    for count, replacement in ((3, False), (50, True), (1, False)):
        expected = torch.multinomial(to_torch(weights), count, replacement)
        assert_same_bits(ours.multinomial(generator, weights, count, replacement), expected)


# --- the generator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -1, -5, -(2**63)])
def test_seeds(seed):
    theirs, generator = torch.Generator(), ours.Generator()
    assert generator.manual_seed(seed) is generator
    theirs.manual_seed(seed)
    assert generator.initial_seed() == theirs.initial_seed()
    assert np.array_equal(generator.state_bytes(), theirs.get_state().numpy())
    assert_same_bits(ours.uniform(generator, (700,), np.float32), torch.rand(700, generator=theirs))


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 1.5, "a", True, None])
def test_refused_seeds(seed):
    with pytest.raises((RuntimeError, ValueError)) as theirs:
        torch.Generator().manual_seed(seed)
    with pytest.raises(theirs.type) as caught:
        ours.Generator().manual_seed(seed)
    assert str(caught.value) == str(theirs.value)


def test_a_new_generator_is_seeded_as_pytorchs_is():
    assert ours.Generator().initial_seed() == torch.Generator().initial_seed()
    assert str(ours.Generator().device) == "cpu"


def test_seed_is_random_and_reported():
    generator = ours.Generator()
    first, second = generator.seed(), generator.seed()
    assert first != second
    assert generator.initial_seed() == second


def test_state_goes_both_ways(generator):
    for count in (1, 3, 623, 1, 5000):
        ours.normal(generator, (count,), np.float32)
        torch.randn(count)
        state = torch.get_rng_state()
        other = ours.Generator()
        other.load_state_bytes(state.numpy())
        assert_same_place(other)
        assert_same_bits(ours.normal(other, (9,), np.float64), torch.randn(9, dtype=torch.float64))
        torch.set_rng_state(torch.from_numpy(generator.state_bytes()))
        assert_same_place(generator)


def test_every_place_in_a_block_of_words(generator):
    for _ in range(1300):
        assert_same_bits(ours.randint(generator, (), np.int64, 0, 2**20), torch.randint(0, 2**20, ()))
        assert_same_place(generator)


def test_reading_the_state_changes_nothing(generator):
    before = generator.state_bytes()
    before[:] = 0
    assert_same_place(generator)


@pytest.mark.parametrize("state", [np.zeros(10, np.uint8), np.zeros(5056, np.float32), np.zeros(5056, np.uint8)])
def test_refused_states(state):
    with pytest.raises((RuntimeError, TypeError)) as theirs:
        torch.Generator().set_state(torch.from_numpy(state))
    with pytest.raises(theirs.type) as caught:
        ours.Generator().load_state_bytes(state)
    assert str(caught.value) == str(theirs.value)


def test_offsets_are_refused():
    for call in (lambda g: g.get_offset(), lambda g: g.set_offset(1)):
        with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
            call(ours.Generator())


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g)), ours.Generator.clone_state]
)
def test_a_copy_continues_alone(generator, copied):
    ours.normal(generator, (3,), np.float32)
    twin = copied(generator)
    first = ours.uniform(generator, (5,), np.float32)
    assert np.array_equal(ours.uniform(twin, (5,), np.float32), first)


def test_other_devices_are_refused():
    for kind in ("cuda", "xla"):
        with pytest.raises(RuntimeError):  # a PyTorch built for CUDA names the missing driver instead
            torch.Generator(kind)
        with pytest.raises(RuntimeError, match=f"Cannot get {kind.upper()} generator"):
            ours.Generator(kind)


def test_threads_share_one_stream_without_tearing_it():
    ours.default_generator.manual_seed(3)
    expected = {row.tobytes() for row in ours.normal(None, (400, 16), np.float32)}
    ours.default_generator.manual_seed(3)
    rows: list[bytes] = []

    def draw():
        rows.extend(ours.normal(None, (16,), np.float32).tobytes() for _ in range(100))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(rows) == expected


# --- errors ----------------------------------------------------------------------------------------------------------

F32, I64 = np.dtype(np.float32), np.dtype(np.int64)
REFUSED = [
    ("uniform_", "float32", (1, 0), ours.uniform),
    ("uniform_", "float32", (0, 1e39), ours.uniform),
    ("uniform_", "float32", (-3e38, 3e38), ours.uniform),
    ("uniform_", "float16", (0, 70000), ours.uniform),
    ("uniform_", "int64", (), ours.uniform),
    ("normal_", "float32", (0, -1), ours.normal),
    ("normal_", "int64", (), ours.normal),
    ("random_", "float32", (5, 5), ours.randint),
    ("random_", "uint8", (0, 300), ours.randint),
    ("random_", "uint8", (-1, 30), ours.randint),
    ("random_", "float16", (0, 70000), ours.randint),
    ("random_", "bool", (0, 3), ours.randint),
    ("random_", "int32", (-(2**63), None), ours.randint),
    ("random_", "complex64", (0, 9), ours.randint),
    ("random_", "complex64", (), ours.random_),
    ("random_", "uint32", (), ours.random_),
    ("bernoulli_", "float32", (1.5,), ours.bernoulli),
    ("bernoulli_", "complex64", (), ours.bernoulli),
    ("exponential_", "float32", (0,), ours.exponential),
    ("exponential_", "int64", (1,), ours.exponential),
    ("geometric_", "float32", (1.0,), ours.geometric),
    ("geometric_", "bool", (0.5,), ours.geometric),
    ("cauchy_", "float32", (0, 0), ours.cauchy),
    ("cauchy_", "int64", (0, 1), ours.cauchy),
    ("log_normal_", "float32", (0, 0), ours.log_normal),
    ("log_normal_", "int64", (0, 1), ours.log_normal),
]


@pytest.mark.parametrize("name, dtype, arguments, draw", REFUSED)
def test_refused_parameters(generator, name, dtype, arguments, draw):
    with pytest.raises(Exception) as theirs:
        filled(name, *arguments)((3,), dtype)
    with pytest.raises(theirs.type) as caught:
        draw(generator, (3,), numpy_dtype(dtype), *arguments)
    assert str(caught.value) == str(theirs.value)
    assert_same_place(generator)


NAN = float("nan")
REFUSED_WEIGHTS = [
    (np.int64([1, 2]), 1, False),
    (np.float32([1, 2]), 3, False),
    (np.float32([1, 2]), 0, False),
    (np.float32([1, -2]), 1, False),
    (np.float32([1, NAN]), 1, False),
    (np.float32([0, 0]), 1, False),
    (np.float32([1, -2]), 3, True),
    (np.float32([1, NAN]), 2, True),
    (np.float32([0, 0]), 2, True),
    (np.float32([1, np.inf]), 2, True),
    (np.ones((2, 2, 2), "f4"), 2, True),
    (np.ones((), "f4"), 1, False),
    (np.float32([[1, 2], [0, 0]]), 1, False),
]


@pytest.mark.parametrize("weights, count, replacement", REFUSED_WEIGHTS)
def test_refused_weights(weights, count, replacement):
    with pytest.raises(RuntimeError) as theirs:
        torch.multinomial(torch.from_numpy(weights), count, replacement)
    with pytest.raises(RuntimeError) as caught:
        ours.multinomial(None, weights, count, replacement)
    assert str(caught.value) == str(theirs.value)


REFUSED_ARRAYS = [
    (torch.bernoulli, np.float32([0.1, 2]), lambda p: ours.bernoulli(None, p.shape, F32, p)),
    (torch.bernoulli, np.int64([1, 0]), lambda p: ours.bernoulli(None, p.shape, F32, p)),
    (torch.poisson, np.float32([-1]), lambda p: ours.poisson(None, p)),
    (torch.poisson, np.int64([1]), lambda p: ours.poisson(None, p)),
    (torch._standard_gamma, np.int64([1]), lambda p: ours.standard_gamma(None, p)),
    (torch._sample_dirichlet, np.float16([1]), lambda p: ours.dirichlet(None, p)),
    (lambda n: torch.binomial(n, n), np.int64([1]), lambda n: ours.binomial(None, n, n)),
    (lambda n: torch.binomial(n, n), np.float16([1]), lambda n: ours.binomial(None, n, n)),
]


@pytest.mark.parametrize("theirs, array, draw", REFUSED_ARRAYS)
def test_refused_arrays(theirs, array, draw):
    with pytest.raises((RuntimeError, ValueError)) as expected:
        theirs(torch.from_numpy(array))
    with pytest.raises(expected.type) as caught:
        draw(array)
    assert str(caught.value) == str(expected.value)


def test_integers_beyond_the_dtypes_precision_are_warned_of(generator):
    with pytest.warns(UserWarning) as theirs:
        torch.empty(3, dtype=torch.float16).random_(0, 5000)
    with pytest.warns(UserWarning) as caught:
        ours.randint(generator, (3,), np.dtype(np.float16), 0, 5000)
    assert str(caught[0].message) == str(theirs[0].message).partition(" (Triggered")[0]


def test_a_mean_outside_the_range_is_warned_of(generator):
    with pytest.warns(UserWarning) as theirs:
        torch.nn.init.trunc_normal_(torch.empty(3), 5, 1, -2, 2)
    with pytest.warns(UserWarning) as caught:
        ours.trunc_normal(generator, (3,), F32, 5, 1, -2, 2)
    assert str(caught[0].message) == str(theirs[0].message)
    assert_same_place(generator)
