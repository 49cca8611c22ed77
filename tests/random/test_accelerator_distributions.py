"""The random numbers of accelerators have the right distributions, and are independent.

CPU devices stand in for the accelerator. The seeds are fixed, so the tests are deterministic. A p-value below 0.001
fails. There are more numbers than parallel streams (2**18), so all words of a Philox call are used.
"""

import functools
import math

import jax
import numpy as np
import pytest
from scipy import stats

import torchlike as torch
from torchlike._dtypes.devices import stand_ins

COUNT = 3 * 2**18 + 7


@pytest.fixture(autouse=True)
def accelerator():
    with stand_ins("cuda", jax.devices("cpu")[:1]):
        torch.manual_seed(20)
        yield


def _empty(dtype=torch.float32, count=COUNT):
    return torch.empty(count, device="cuda", dtype=dtype)


CONTINUOUS = {
    "rand": (lambda dtype: torch.rand(COUNT, device="cuda", dtype=dtype), stats.uniform),
    "randn": (lambda dtype: torch.randn(COUNT, device="cuda", dtype=dtype), stats.norm),
    "uniform_": (lambda dtype: _empty(dtype).uniform_(-3, 5), stats.uniform(-3, 8)),
    "normal_": (lambda dtype: _empty(dtype).normal_(2, 3), stats.norm(2, 3)),
    "normal": (lambda dtype: torch.normal(torch.full((COUNT,), 2.0, device="cuda", dtype=dtype), 3), stats.norm(2, 3)),
    "exponential_": (lambda dtype: _empty(dtype).exponential_(2), stats.expon(scale=0.5)),
    "cauchy_": (lambda dtype: _empty(dtype).cauchy_(1, 2), stats.cauchy(1, 2)),
    "log_normal_": (lambda dtype: _empty(dtype).log_normal_(0.5, 0.75), stats.lognorm(0.75, scale=math.exp(0.5))),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_distributions(name, dtype):
    make, due = CONTINUOUS[name]
    x = make(dtype)
    assert x.dtype == dtype and x.shape == (COUNT,)
    host = x.cpu().numpy().astype(np.float64)
    assert stats.kstest(host, due.cdf).pvalue > 0.001
    _check_lags(stats.norm.ppf(np.clip(due.cdf(host), 1e-12, 1 - 1e-12)))


def _check_lags(normal):
    """Check that numbers are not correlated with the numbers some places before them."""
    for lag in (1, 2, 3, 4, 5, 31, 256, 2**18, 2**18 + 1, 2**19):
        a, b = normal[:-lag], normal[lag:]
        assert abs(np.corrcoef(a, b)[0, 1]) * math.sqrt(len(a)) < 4


def _counts(x, categories):
    return np.bincount(x.cpu().numpy().astype(np.int64).ravel(), minlength=categories)


def _fits(counts, probabilities):
    due = np.asarray(probabilities) / np.sum(probabilities) * counts.sum()
    return stats.chisquare(counts, due).pvalue > 0.001


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.float32], ids=str)
def test_random_integers(dtype):
    assert _fits(_counts(torch.randint(0, 10, (COUNT,), device="cuda", dtype=dtype), 10), np.ones(10))
    assert _fits(_counts(_empty(dtype).random_(3, 7) - 3, 4), np.ones(4))


@pytest.mark.parametrize("shift", [0, 24, 48, 60])
def test_wide_integers_have_random_bits_everywhere(shift):
    whole = torch.empty(COUNT, device="cuda", dtype=torch.int64).random_(-(2**63), None)
    assert _fits(_counts((whole >> shift) & 15, 16), np.ones(16))
    beyond = torch.randint(0, 3 * 2**40, (COUNT,), device="cuda")
    assert _fits(_counts(beyond // 2**40, 3), np.ones(3))


def test_full_ranges_of_random():
    assert _fits(_counts(_empty(torch.bool).random_(), 2), np.ones(2))
    assert _fits(_counts(_empty(torch.int8).random_(), 128), np.ones(128))
    top = _empty(torch.float16).random_()
    assert (top.min().item(), top.max().item()) == (0, 2048)


@pytest.mark.parametrize("p", [0.0, 1e-5, 0.3, 0.9999, 1.0])
def test_bernoulli(p):
    for x in (_empty().bernoulli_(p), torch.bernoulli(torch.full((COUNT,), p, device="cuda"))):
        ones = int(x.sum().item())
        assert ones == p * COUNT if p in (0, 1) else stats.binomtest(ones, COUNT, p).pvalue > 0.001


def test_dropout_keeps_the_mean_and_drops_independently():
    x = torch.nn.functional.dropout(torch.ones(COUNT, device="cuda"), 0.25)
    kept = (x != 0).cpu().numpy()
    assert stats.binomtest(int(kept.sum()), COUNT, 0.75).pvalue > 0.001
    _check_lags(kept.astype(np.float64))
    # Pairs of successive calls are independent, too.
    again = torch.nn.functional.dropout(torch.ones(COUNT, device="cuda"), 0.25) != 0
    assert abs(np.corrcoef(kept, again.cpu().numpy())[0, 1]) * math.sqrt(COUNT) < 4


def test_geometric():
    counts = _counts(_empty().geometric_(0.3).clamp(max=20) - 1, 20)
    due = stats.geom(0.3).pmf(np.arange(1, 21))
    assert _fits(counts, [*due[:-1], 1 - due[:-1].sum()])


def test_poisson_and_binomial():
    counts = _counts(torch.poisson(torch.full((COUNT,), 2.5, device="cuda")).clamp(max=10), 11)
    due = stats.poisson(2.5).pmf(np.arange(10))
    assert _fits(counts, [*due, 1 - due.sum()])
    trials, chance = torch.full((COUNT // 8,), 6.0, device="cuda"), torch.full((COUNT // 8,), 0.35, device="cuda")
    assert _fits(_counts(torch.binomial(trials, chance), 7), stats.binom(6, 0.35).pmf(np.arange(7)))


def test_gamma_and_dirichlet():
    gammas = torch._standard_gamma(torch.full((COUNT // 8,), 1.7, device="cuda")).cpu().numpy()
    assert stats.kstest(gammas.astype(np.float64), stats.gamma(1.7).cdf).pvalue > 0.001
    parts = torch._sample_dirichlet(torch.tensor([0.5, 1.0, 2.0], device="cuda").expand(COUNT // 8, 3))
    first = parts[:, 0].cpu().numpy().astype(np.float64)
    assert stats.kstest(first, stats.beta(0.5, 3).cdf).pvalue > 0.001


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial(replacement):
    weights = torch.tensor([1.0, 0.0, 2.0, 5.0], device="cuda")
    draw = functools.partial(torch.multinomial, replacement=replacement)
    first = draw(weights.expand(2**16, 4), 2)
    assert _fits(np.delete(_counts(first[:, 0], 4), 1), [1, 2, 5]) and not (first == 1).any()
    second = np.delete(_counts(first[:, 1], 4), 1)
    after = [1, 2, 5] if replacement else [_second(i) for i in range(3)]
    assert _fits(second, after)
    assert replacement or not (first[:, 0] == first[:, 1]).any()


def _second(i, weights=(1, 2, 5)):
    """Return the probability that the second category drawn without replacement is i."""
    total = sum(weights)
    return sum(w / total * weights[i] / (total - w) for j, w in enumerate(weights) if j != i)


def test_permutations():
    permuted = torch.func.vmap(lambda _: torch.randperm(5, device="cuda"), randomness="different")
    places = permuted(torch.zeros(2000, device="cuda"))
    assert torch.equal(places.sort(1).values, torch.arange(5, device="cuda").expand(2000, 5))
    for column in range(5):
        assert _fits(_counts(places[:, column], 5), np.ones(5))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_stays_in_its_range(dtype):
    x = torch.empty(COUNT, device="cuda", dtype=dtype).uniform_(1, 2)
    assert x.min() >= 1 and x.max() < 2 and abs(x.float().mean().item() - 1.5) < 0.01
    assert abs(torch.randn(COUNT, device="cuda", dtype=dtype).float().std().item() - 1) < 0.01


def test_complex_numbers_have_independent_parts():
    z = torch.randn(COUNT // 2, device="cuda", dtype=torch.complex64).cpu().numpy()
    for part in (z.real, z.imag):
        assert stats.kstest(part.astype(np.float64), stats.norm(scale=math.sqrt(0.5)).cdf).pvalue > 0.001
    assert abs(np.corrcoef(z.real, z.imag)[0, 1]) * math.sqrt(len(z)) < 4
