"""Distributions by rejection sampling. An element takes a random number of words, so sampling is sequential."""

from __future__ import annotations

import math

import numpy as np

from torchlike import _errors

from ._binomial import binomials
from ._blocks import worth_compiling
from ._checks import is_floating, require_floating
from ._gamma import F32_BOUND, F32_THIRD, gammas
from ._generator import Generator, default_generator
from ._poisson import poissons
from ._real import uniform64
from ._rejection_steps import STIRLING_REMAINDERS
from ._rounding import narrow


class UniformReader:
    """A reader of single float64 uniforms.

    It samples them in chunks; the exit of the `with` block gives back the unused ones.
    """

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._chunk: list[float] = []
        self._used = 0

    def __call__(self) -> float:
        if self._used == len(self._chunk):
            self._before = self._generator.state_bytes()
            self._chunk = uniform64(self._generator, 64 if not self._chunk else 1024).tolist()
            self._used = 0
        self._used += 1
        return self._chunk[self._used - 1]

    def normal(self) -> float:
        """Return a standard normal number. The generator stores the other half of its pair for the next call."""
        spare, self._generator.spare_normal = self._generator.spare_normal, None
        if spare is not None:
            return spare
        u1, u2 = self(), self()
        radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), 2.0 * math.pi * u1
        self._generator.spare_normal = radius * math.sin(theta)
        return radius * math.cos(theta)

    def __enter__(self) -> UniformReader:
        self._generator.lock.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._give_back()
        finally:
            self._generator.lock.release()

    def _give_back(self) -> None:
        if self._used < len(self._chunk):
            spare = self._generator.spare_normal
            self._generator.load_state_bytes(self._before)
            self._generator.raw64(self._used)
            self._generator.spare_normal = spare


def poisson(generator: Generator | None, rates: np.ndarray) -> np.ndarray:
    """Return Poisson counts with the given rates, in the dtype of the rates, as `torch.poisson` samples them.

    Rates of ten and more use Hoermann's transformed rejection. For a smaller rate, uniforms are multiplied until their
    product is at most exp(-rate).
    """
    generator = generator or default_generator
    require_floating(rates.dtype, "poisson_cpu")
    flat = rates.ravel().astype(np.float64)
    if ((flat >= 0) & (flat < np.inf)).all() and worth_compiling(flat.size):
        with generator.lock:
            return narrow(poissons(generator, flat), rates.dtype).reshape(rates.shape)
    with UniformReader(generator) as uniform:
        counts = [_poisson_count(rate, uniform) for rate in flat.tolist()]
    return narrow(np.array(counts, np.float64), rates.dtype).reshape(rates.shape)


def standard_gamma(generator: Generator | None, shapes: np.ndarray) -> np.ndarray:
    """Return gamma samples of scale 1 with the given shape parameters, in their dtype (Marsaglia and Tsang, 2000)."""
    generator = generator or default_generator
    _require_single_or_double(shapes.dtype, "gamma_cpu")
    return _gamma_numbers(generator, shapes, exact=shapes.dtype == np.float64)


def _gamma_numbers(generator: Generator, shapes: np.ndarray, exact: bool) -> np.ndarray:
    """Return gamma samples. If `exact` is False, large arrays may differ from PyTorch in the last bits of float64."""
    alphas, one = shapes.ravel(), shapes.dtype.type(1)
    boosted = alphas < 1  # sampled with shape + 1 and then scaled, because the acceptance rate is higher
    d = (np.where(boosted, alphas + one, alphas) - shapes.dtype.type(F32_THIRD)).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(boosted, one / alphas, 0).astype(np.float64)
    if ((alphas > 0) & (alphas < np.inf) & (powers < np.inf)).all() and worth_compiling(alphas.size):
        with generator.lock:
            values = gammas(generator, d, powers, exact)
    else:
        values = _one_by_one(generator, alphas, d, powers)
    return np.maximum(values.astype(shapes.dtype), np.finfo(shapes.dtype).tiny).reshape(shapes.shape)


def _one_by_one(generator: Generator, alphas: np.ndarray, d: np.ndarray, powers: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        c = 1.0 / np.sqrt(9.0 * d)
    rows = zip((alphas > 0).tolist(), d.tolist(), c.tolist(), powers.tolist())
    with UniformReader(generator) as uniform:
        return np.array([_gamma(d, c, power, uniform) if positive else 0.0 for positive, d, c, power in rows])


def dirichlet(generator: Generator | None, concentration: np.ndarray) -> np.ndarray:
    """Return Dirichlet samples of shape (..., K): gamma samples divided by their sum over the last dim.

    All values are strictly inside (0, 1). The float64 sum does not use PyTorch's order, so the last bit may differ.
    Float32 results are equal to PyTorch's.
    """
    _require_single_or_double(concentration.dtype, "dirichlet")
    exact = concentration.dtype == np.float64
    drawn = _gamma_numbers(generator or default_generator, concentration.astype(np.float64), exact)
    values = (drawn / drawn.sum(axis=-1, keepdims=True)).astype(concentration.dtype)
    one = concentration.dtype.type(1)
    return np.clip(values, np.finfo(concentration.dtype).tiny, np.nextafter(one, 0 * one))


def binomial(generator: Generator | None, counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Sample the numbers of successes in `counts` trials with the given probabilities, as `torch.binomial` does.

    The result has the dtype of `counts`.
    """
    generator = generator or default_generator
    for name, array in (("count", counts), ("prob", probabilities)):
        if not is_floating(array.dtype):
            raise _errors.random.binomial_dtype(name, array.dtype)
    _require_single_or_double(counts.dtype, "binomial_cpu")
    counts, probabilities = np.broadcast_arrays(counts, probabilities)
    n, p = counts.ravel(), probabilities.ravel()
    plain = (n >= 0) & (n < np.inf) & (p >= 0) & (p <= 1) if counts.dtype == probabilities.dtype else np.zeros(1, bool)
    if plain.all() and worth_compiling(n.size):
        with generator.lock:
            drawn = _many_successes(generator, n, p)
    else:
        with UniformReader(generator) as uniform:
            drawn = np.array([_successes(n, p, uniform) for n, p in zip(n, p)], counts.dtype)
    return drawn.astype(counts.dtype).reshape(counts.shape)


def _require_single_or_double(dtype: np.dtype, kernel: str) -> None:
    if dtype not in (np.float32, np.float64):
        raise _errors.dtypes.not_implemented(kernel, dtype)


def _poisson_count(rate: float, uniform: UniformReader) -> int:
    if not rate >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate >= 10:
        return _poisson_by_rejection(rate, uniform)
    return _poisson_by_products(rate, uniform) if rate > 0 else 0


def _poisson_by_products(rate: float, uniform: UniformReader) -> int:
    count, product, limit = 0, uniform(), math.exp(-rate)
    while product > limit:
        count += 1
        product *= uniform()
    return count


def _poisson_by_rejection(rate: float, uniform: UniformReader) -> int:
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    accept = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        count = math.floor((2 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= accept:
            return count
        if count < 0 or (distance < 0.013 and v > distance):
            continue
        log_bound = math.log(v) + math.log(inverse_alpha) - math.log(a / (distance * distance) + b)
        if log_bound <= -rate + count * math.log(rate) - math.lgamma(count + 1):
            return count


def _gamma(d: float, c: float, power: float, uniform: UniformReader) -> float:
    """Return a gamma sample with shape parameter d + 1/3, where c is 1 / sqrt(9 d).

    The sample is multiplied by a uniform sample raised to `power`, unless `power` is 0.
    """
    scale = (1 - uniform()) ** power if power else 1.0
    normal = uniform.normal
    while True:
        x = normal()
        while (y := 1.0 + c * x) <= 0:
            x = normal()
        v, u, square = y * y * y, 1 - uniform(), x * x
        if u < 1.0 - F32_BOUND * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v


def _many_successes(generator: Generator, counts: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return numbers of successes, as `_successes` does for one element.

    If the probability is above one half, failures are sampled instead. Elements with probability one take no samples.
    """
    failures = p > 0.5
    fewer = np.where(failures, (1.0 - p.astype(np.float64)).astype(p.dtype), p)
    drawn = binomials(generator, np.where(p < 1, counts, 0), fewer)
    return np.where(failures, counts - drawn, drawn)


def _successes(count: np.floating, p: np.floating, uniform: UniformReader) -> float:
    if count <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return float(count)
    if p > 0.5:
        return float(count) - _fewer_successes(count, p.dtype.type(1.0 - float(p)), uniform)
    return _fewer_successes(count, p, uniform) if p <= 0.5 else math.nan


def _fewer_successes(count: np.floating, p: np.floating, uniform: UniformReader) -> float:
    """Return the number of successes for a probability of at most one half."""
    return _by_transformed_rejection(count, p, uniform) if count * p >= 10 else _by_gaps(count, p, uniform)


def _by_gaps(count: np.floating, p: np.floating, uniform: UniformReader) -> float:
    """Sample the number of successes by adding up the geometric gaps between them."""
    log_failure, trials, successes = float(p.dtype.type(math.log1p(-p))), 0.0, 0.0
    while True:
        u = uniform()
        trials += math.ceil(math.log(u) / log_failure) if u else math.inf
        if trials > count:
            return successes
        successes += 1


def _by_transformed_rejection(count: np.floating, p: np.floating, uniform: UniformReader) -> float:
    """Sample the number of successes with Hoermann's BTRS (1993).

    Intermediate results are rounded to the dtype of `count` at the same points as in PyTorch.
    """
    one = p.dtype.type(1)
    deviation = float(np.sqrt(count * p * (one - p)))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    centre, accept = float(count * p) + 0.5, 0.92 - 4.2 / b
    odds, alpha = float(p / (one - p)), (2.83 + 5.1 / b) * deviation
    n, mode = float(count), float(np.floor((count + one) * p))
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        k = float(np.floor((2 * a / distance + b) * u + centre)) if distance else -1.0
        if not 0 <= k <= n:
            continue
        if distance >= 0.07 and v <= accept:
            return k
        if v == 0 or math.log(v * alpha / (a / (distance * distance) + b)) <= _log_ratio(n, k, mode, odds):
            return k


def _log_ratio(n: float, k: float, mode: float, odds: float) -> float:
    """Return the logarithm of the probability of `k` divided by the probability of the mode."""
    return (
        (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
        + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
        + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
        + _stirling_rest(mode)
        + _stirling_rest(n - mode)
        - _stirling_rest(k)
        - _stirling_rest(n - k)
    )


def _stirling_rest(k: float) -> float:
    """Return log(k!) minus Stirling's approximation."""
    if k < len(STIRLING_REMAINDERS):
        return STIRLING_REMAINDERS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
