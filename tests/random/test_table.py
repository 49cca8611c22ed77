"""Every public random operator, in every dtype and size class: the samples and the generator's state after them."""

import contextlib
import warnings

import ml_dtypes
import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import outcome

SIZES = [(0,), (1,), (15,), (16,), (17,), (3, 7), (100_000,)]
REAL = ["float32", "float64", "float16", "bfloat16"]
WIDE = ["float32", "float64"]
INTEGER = ["int64", "int32", "int16", "int8", "uint8"]
COMPLEX = ["complex64", "complex128"]
ANY = [*REAL, *INTEGER, "bool"]
SMALL = 2000  # the number of elements for operators that sample one element at a time in Python

# Pairs of an expression and its dtypes. Expressions use L, F, size, dtype, and `new`, a tensor of that size to fill.
CREATED = [
    ("L.rand(size, dtype=dtype)", REAL + COMPLEX),
    ("L.randn(size, dtype=dtype)", REAL + COMPLEX),
    ("L.randint(7, size, dtype=dtype)", REAL + INTEGER),
    ("L.randint(-100, 100, size, dtype=dtype)", REAL + INTEGER[:4]),
    ("L.randint(-(2**40), 2**41, size, dtype=dtype)", ["int64"]),
    ("L.randperm(size[0], dtype=dtype)", ["int64", "int32", *WIDE]),
    ("L.rand_like(new)", REAL),
    ("L.randn_like(new)", REAL),
    ("L.randint_like(new, 3, 50)", REAL + INTEGER),
    ("L.normal(0.5, 2.0, size, dtype=dtype)", REAL),
    ("L.normal(new.zero_(), 2.0)", REAL),
    ("L.normal(1.0, new.fill_(0.5))", REAL),
    ("L.normal(new.zero_() + 1, new.fill_(0.5))", REAL),
    ("L.bernoulli(new.fill_(0.3))", REAL),
    ("F.dropout(new.fill_(1.5), 0.3)", REAL),
    ("F.alpha_dropout(new.fill_(1.5), 0.3)", REAL),
    ("F.feature_alpha_dropout(new.view(-1, 1, 1).fill_(1.5), 0.3)", WIDE),
    ("F.dropout1d(new.view(-1, 1, 1).fill_(1.5), 0.3)", WIDE),
    ("F.dropout2d(new.view(1, -1, 1, 1).fill_(1.5), 0.3)", WIDE),
    ("F.rrelu(new.fill_(-1.5), training=True)", WIDE),
    ("F.gumbel_softmax(new.fill_(0.5).view(-1, 1), hard=True)", WIDE),
]
SLOW = [
    ("L.poisson(new.fill_(3.0))", REAL),
    ("L.poisson(new.fill_(30.0))", REAL),
    ("L.binomial(new.fill_(20.0), L.full_like(new, 0.3))", WIDE),
    ("L._standard_gamma(new.fill_(0.7))", WIDE),
    ("L._sample_dirichlet(new.fill_(0.7).view(-1, 1).expand(-1, 3))", ["float32"]),
    ("L.multinomial(new.fill_(0.7) + L.arange(new.numel()).view(size) % 3, 1)", WIDE),
    ("L.multinomial(new.fill_(0.7), min(5, new.shape[-1]))", WIDE),
    ("L.multinomial(new.fill_(0.7), 6, True)", WIDE),
]
FILLS = [
    ("uniform_()", REAL + COMPLEX),
    ("uniform_(-1, 3)", REAL),
    ("normal_()", REAL + COMPLEX),
    ("normal_(0.3, 0.7)", REAL),
    ("random_()", ANY),
    ("random_(50)", REAL + INTEGER),
    ("random_(-100, 100)", REAL + INTEGER[:4]),
    ("bernoulli_(0.3)", ANY),
    ("exponential_(2.0)", REAL),
    ("geometric_(0.4)", REAL + INTEGER),
    ("cauchy_(1.0, 2.0)", REAL),
    ("log_normal_(0.5, 0.7)", REAL),
]
LAYOUTS = [
    "L.empty(5, 8, dtype=dtype).t()",
    "L.empty(6, 40, dtype=dtype)[:, ::2]",
    "L.empty(3, 4, 5, dtype=dtype).permute(2, 0, 1)",
    "L.empty(2, 3, 4, 5, dtype=dtype).to(memory_format=L.channels_last)",
    "L.empty(40, dtype=dtype)[3:]",
]
INITS = [
    "uniform_(w)",
    "normal_(w)",
    "trunc_normal_(w)",
    "xavier_uniform_(w)",
    "xavier_normal_(w)",
    "kaiming_uniform_(w)",
    "kaiming_normal_(w)",
    "orthogonal_(w)",
    "sparse_(w, 0.3)",
]


def _drawn(library, expression, **names):
    """Return the result of an expression after one seed, as a NumPy array, and the generator's state afterwards."""

    def program(L):
        found = eval(expression, {"L": L, "F": L.nn.functional, "init": L.nn.init, **names})
        return _bits(found), L.get_rng_state().numpy()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return outcome(program, library)


def _bits(tensor):
    tensor = tensor.detach().contiguous()
    if str(tensor.dtype).endswith("bfloat16"):
        return tensor.view(torch.int16 if isinstance(tensor, torch.Tensor) else torchlike.int16).numpy()
    return tensor.numpy()


def _of(library, dtype, **more):
    return {"dtype": getattr(library, dtype), **more}


def _compare(expression, dtype, made="L.empty(size, dtype=dtype)", **names):
    """Check that the generators end in equal states, and that samples differ by at most one unit in the last place."""
    found = []
    for library in (torchlike, torch):
        known = _of(library, dtype, **names)
        known["new"] = eval(made, {"L": library, **known})
        found.append(_drawn(library, expression, **known))
    ours, theirs = found
    assert ours.sentence == theirs.sentence
    if theirs.error is None:
        (mine, my_state), (due, their_state) = ours.result, theirs.result
        assert (mine.dtype, mine.shape) == (due.dtype, due.shape)
        assert np.array_equal(my_state, their_state), f"{expression} {dtype}: the state differs"
        if mine.tobytes() != due.tobytes():
            _nearly(mine, due, dtype)


def _nearly(mine, due, dtype):
    if dtype == "bfloat16":
        mine, due = (a.view(ml_dtypes.bfloat16) for a in (mine, due))
    eps = ml_dtypes.finfo(mine.dtype).eps if mine.dtype.kind in "fcV" else 0
    np.testing.assert_allclose(mine.astype(np.complex128), due.astype(np.complex128), rtol=1.01 * float(eps), atol=0)


EACH = [pytest.param(e, d, id=f"{e.replace(' ', '')}-{d}") for e, dtypes in CREATED for d in dtypes]


@pytest.mark.parametrize(("expression", "dtype"), EACH)
def test_new_tensors(expression, dtype):
    for size in SIZES:
        _compare(expression, dtype, size=size)


@pytest.mark.parametrize(("expression", "dtype"), [(e, d) for e, dtypes in SLOW for d in dtypes])
def test_samples_by_rejection_or_choice(expression, dtype):
    for size in [*SIZES[:-1], (SMALL,)]:
        _compare(expression, dtype, size=size)


@pytest.mark.parametrize(("fill", "dtype"), [(e, d) for e, dtypes in FILLS for d in dtypes])
def test_fills(fill, dtype):
    for size in SIZES:
        _compare(f"new.{fill}", dtype, size=size)
    for layout in LAYOUTS:
        _compare(f"new.{fill}", dtype, made=layout)


SHAPES = [(3, 5), (17, 16), (4, 3, 3, 3)]
STARTS = [(fill, shape) for fill in INITS for shape in SHAPES if len(shape) == 2 or not fill.startswith("sparse")]


@pytest.mark.parametrize(("fill", "shape"), STARTS, ids=str)
def test_initialisers(fill, shape):
    if fill.startswith("orthogonal"):  # the last digits of a matrix decomposition may differ
        ours, theirs = (_drawn(L, f"init.{fill}", w=L.empty(shape)) for L in (torchlike, torch))
        np.testing.assert_allclose(ours.result[0], theirs.result[0], rtol=1e-4, atol=1e-6)
        assert np.array_equal(ours.result[1], theirs.result[1])
    else:
        _compare(f"init.{fill.replace('w', 'new')}", "float32", size=shape)


@contextlib.contextmanager
def _seeded(library):
    with library.random.fork_rng():
        library.manual_seed(3)
        yield


def test_draws_in_one_order_from_one_stream():
    """Run operators of all kinds one after the other, sometimes with half of a normal pair cached."""
    program = [e for e, d in CREATED + SLOW if "float32" in d] + [f"new.{f}" for f, d in FILLS if "float32" in d]
    states = []
    for library in (torchlike, torch):
        with _seeded(library):
            for i, expression in enumerate(program):
                names = {"L": library, "F": library.nn.functional, "size": (5 + i,), "dtype": library.float32}
                eval(expression, {**names, "new": library.empty(5 + i)})
            states.append(library.get_rng_state().numpy())
    assert np.array_equal(*states)
