"""Every random operator in every dtype, at the sizes where PyTorch's kernels change.

After one seed, the numbers and the state of the generator must equal PyTorch's.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
import torch

import torchlike

DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex128",
)
SIZES = (0, 1, 15, 16, 17, 10_000)
MANY = 1_000_000

# By name, functions that sample `n` numbers of `dtype`. torchlike must refuse a dtype if PyTorch does.
DRAWS = {
    "rand": lambda L, n, dtype: L.rand(n, dtype=dtype),
    "randn": lambda L, n, dtype: L.randn(n, dtype=dtype),
    "randint": lambda L, n, dtype: L.randint(0, 2, (n,), dtype=dtype),
    "randint, wide": lambda L, n, dtype: L.randint(-(2**40), 2**40, (n,), dtype=dtype),
    "randperm": lambda L, n, dtype: L.randperm(n, dtype=dtype),
    "rand_like": lambda L, n, dtype: L.rand_like(L.empty(n, dtype=dtype)),
    "randn_like": lambda L, n, dtype: L.randn_like(L.empty(n, dtype=dtype)),
    "randint_like": lambda L, n, dtype: L.randint_like(L.empty(n, dtype=dtype), 0, 2),
    "uniform_": lambda L, n, dtype: L.empty(n, dtype=dtype).uniform_(-1, 3),
    "normal_": lambda L, n, dtype: L.empty(n, dtype=dtype).normal_(1, 2),
    "random_": lambda L, n, dtype: L.empty(n, dtype=dtype).random_(),
    "random_(0, 2)": lambda L, n, dtype: L.empty(n, dtype=dtype).random_(0, 2),
    "bernoulli_": lambda L, n, dtype: L.empty(n, dtype=dtype).bernoulli_(0.3),
    "bernoulli": lambda L, n, dtype: L.bernoulli(L.full((n,), 0.3, dtype=dtype)),
    "exponential_": lambda L, n, dtype: L.empty(n, dtype=dtype).exponential_(2.0),
    "geometric_": lambda L, n, dtype: L.empty(n, dtype=dtype).geometric_(0.4),
    "cauchy_": lambda L, n, dtype: L.empty(n, dtype=dtype).cauchy_(1, 2),
    "log_normal_": lambda L, n, dtype: L.empty(n, dtype=dtype).log_normal_(0, 0.5),
    "normal of means": lambda L, n, dtype: L.normal(L.ones(n, dtype=dtype), 2.0),
    "normal of both": lambda L, n, dtype: L.normal(L.ones(n, dtype=dtype), L.ones(n, dtype=dtype)),
    "poisson": lambda L, n, dtype: L.poisson(L.full((n,), 3, dtype=dtype)),
    "poisson, many rates": lambda L, n, dtype: L.poisson((L.arange(n) % 60).to(dtype)),
    "_standard_gamma": lambda L, n, dtype: L._standard_gamma((L.arange(n) % 7 * 0.5 + 0.2).to(dtype)),
    "_sample_dirichlet": lambda L, n, dtype: L._sample_dirichlet(L.full((n, 2), 0.7).to(dtype)),
    "binomial": lambda L, n, dtype: L.binomial(*((L.arange(n) % m * f).to(dtype) for m, f in ((60, 1), (11, 0.1)))),
    "multinomial": lambda L, n, dtype: L.multinomial(L.ones(max(n, 1), dtype=dtype), 1),
    "multinomial, replaced": lambda L, n, dtype: L.multinomial(L.ones(5, dtype=dtype), max(n, 1), True),
    "dropout": lambda L, n, dtype: L.nn.functional.dropout(L.ones(n, dtype=dtype), 0.3),
    "alpha_dropout": lambda L, n, dtype: L.nn.functional.alpha_dropout(L.ones(n, dtype=dtype), 0.3, True),
    "dropout2d": lambda L, n, dtype: L.nn.functional.dropout2d(L.ones(1, n, 2, 2, dtype=dtype), 0.3),
    "feature_alpha_dropout": lambda L, n, dtype: L.nn.functional.feature_alpha_dropout(
        L.ones(2, n, dtype=dtype), 0.3, True
    ),
    "rrelu": lambda L, n, dtype: L.nn.functional.rrelu(-L.ones(n, dtype=dtype), training=True),
    "gumbel_softmax": lambda L, n, dtype: L.nn.functional.gumbel_softmax(L.ones(n, dtype=dtype)),
    "kaiming_uniform_": lambda L, n, dtype: L.nn.init.kaiming_uniform_(L.empty(n, 3, dtype=dtype)),
    "xavier_normal_": lambda L, n, dtype: L.nn.init.xavier_normal_(L.empty(n, 3, dtype=dtype)),
    "trunc_normal_": lambda L, n, dtype: L.nn.init.trunc_normal_(L.empty(max(n, 1), dtype=dtype)),
    "orthogonal_": lambda L, n, dtype: L.nn.init.orthogonal_(L.empty(min(n, 17), 3, dtype=dtype)),
    "sparse_": lambda L, n, dtype: L.nn.init.sparse_(L.empty(min(n, 17), 3, dtype=dtype), 0.3),
}

FILLS = {
    "uniform_": lambda x: x.uniform_(-1, 3),
    "normal_": lambda x: x.normal_(1, 2),
    "random_": lambda x: x.random_(),
    "bernoulli_": lambda x: x.bernoulli_(0.3),
    "exponential_": lambda x: x.exponential_(),
    "geometric_": lambda x: x.geometric_(0.4),
    "cauchy_": lambda x: x.cauchy_(),
    "log_normal_": lambda x: x.log_normal_(),
}

# Tolerances of samples that are results of matrix factorizations and sums, which round differently. All other samples
# must agree to within one unit in the last place.
ROUNDED = {
    "orthogonal_": 1e-5,
    "gumbel_softmax": 1e-5,
    "alpha_dropout": 1e-6,
    "feature_alpha_dropout": 1e-6,
    "_sample_dirichlet": 1e-15,
}
COARSE = {"float16": 1e-3, "bfloat16": 1.6e-2}  # replace the tolerances of `ROUNDED`, because intermediates are rounded


def drawn(library, draw):
    """Return the samples, or the error, and the state of the generator afterwards."""
    library.manual_seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = draw(library)
        except (RuntimeError, ValueError, TypeError, NotImplementedError, ZeroDivisionError) as error:
            found = error
    return found, library.random.get_rng_state().numpy()


def compare(name, draw):
    (theirs, state), (ours, own_state) = drawn(torch, draw), drawn(torchlike, draw)
    if isinstance(theirs, Exception) or isinstance(ours, Exception):
        assert isinstance(theirs, Exception) and isinstance(ours, Exception), (theirs, ours)
        return
    assert str(theirs.dtype) == str(ours.dtype) and tuple(theirs.shape) == tuple(ours.shape)
    rounded = name in ROUNDED and COARSE.get(str(theirs.dtype).removeprefix("torch."), ROUNDED[name])
    same_numbers(
        theirs.to(torch.float64) if theirs.dtype == torch.bfloat16 else theirs,
        ours.to(torchlike.float64) if ours.dtype == torchlike.bfloat16 else ours,
        rounded,
    )
    np.testing.assert_array_equal(state, own_state)


def same_numbers(theirs, ours, rounded):
    theirs, ours = theirs.numpy(), ours.detach().numpy()
    if rounded:
        np.testing.assert_allclose(ours, theirs, rtol=rounded, atol=rounded)
    elif theirs.dtype.kind in "biu" or theirs.dtype == np.float16:
        np.testing.assert_array_equal(ours, theirs)
    else:
        kind = np.float32 if theirs.dtype == np.complex64 else np.float64
        parts = (x.view(kind) if x.dtype.kind == "c" else x for x in (ours, theirs))
        np.testing.assert_array_max_ulp(*parts, maxulp=1)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", DRAWS)
def test_draws(name, dtype):
    for n in SIZES:
        compare(name, lambda L, n=n: DRAWS[name](L, n, getattr(L, dtype)))


QUICK = [("rand", "float32"), ("randn", "float32"), ("randint", "int64"), ("bernoulli_", "float32")]


@pytest.mark.parametrize("name, dtype", QUICK)
def test_a_million(name, dtype):
    """Compare samples of a million numbers. `python -m tests.random` covers the remaining cases."""
    compare(name, lambda L: DRAWS[name](L, MANY, getattr(L, dtype)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64"])
@pytest.mark.parametrize("name", FILLS)
def test_fills_of_strided_tensors(name, dtype):
    ways = [lambda x: x.t(), lambda x: x[:, ::2], lambda x: x[1:], lambda x: x.unsqueeze(1).expand(-1, 1, -1)]
    for shape, way in product([(5, 6), (3, 40), (17, 1)], ways):
        compare(name, lambda L, shape=shape, way=way: FILLS[name](way(L.zeros(shape, dtype=getattr(L, dtype)))))
