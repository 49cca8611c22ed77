"""Distributions made from one uniform or normal number each by a formula, and Poisson counts."""

from __future__ import annotations

import math

import numpy as np

from torchlike import _errors

from ._checks import is_floating, require_floating
from ._generator import Generator, default_generator
from ._real import standard_normals, uniform64
from ._rounding import exp, fma64, libm, narrow

Size = tuple[int, ...]


def _uniforms(generator: Generator, size: Size) -> np.ndarray:
    with generator.lock:
        return uniform64(generator, math.prod(size)).reshape(size)


def exponential(generator: Generator | None, size: Size, dtype: np.dtype, rate: float = 1.0) -> np.ndarray:
    """-log(1 - u) / rate, as `Tensor.exponential_` draws it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not rate > 0:
        raise _errors.parameter_of("exponential_", "lambda > 0.0", "lambda", rate)
    if not is_floating(dtype):
        raise _errors.continuous_distribution("Exponential", _errors.scalar_name(dtype))
    u = -_uniforms(generator, size)
    logs = libm(math.log1p, u) if dtype == np.float64 else np.log1p(u)
    return narrow(-1.0 / rate * logs, dtype)


def geometric(generator: Generator | None, size: Size, dtype: np.dtype, p: float) -> np.ndarray:
    """ceil(log(u) / log(1 - p)): how many trials until the first success, as `Tensor.geometric_` draws it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not 0 < p < 1:
        raise _errors.probability_of("geometric_", "(0, 1)", p)
    if dtype.kind in "bc" or dtype.name in ("uint16", "uint32", "uint64"):
        raise _errors.kernel_not_implemented("geometric_cpu", dtype)
    with np.errstate(divide="ignore"):
        trials = np.ceil(np.log(_uniforms(generator, size)) / math.log1p(-p))
    return narrow(trials, dtype) if is_floating(dtype) else trials.astype(dtype)


def cauchy(
    generator: Generator | None, size: Size, dtype: np.dtype, median: float = 0.0, sigma: float = 1.0
) -> np.ndarray:
    """median + sigma tan(pi (u - 1/2)), as `Tensor.cauchy_` draws it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not sigma > 0:
        raise _errors.parameter_of("cauchy_", "sigma > 0.0", "sigma", sigma)
    if not is_floating(dtype):
        raise _errors.continuous_distribution("Cauchy", _errors.c_name(dtype))
    angle = math.pi * (_uniforms(generator, size) - 0.5)
    tangent = libm(math.tan, angle) if dtype == np.float64 else np.tan(angle)
    return narrow(fma64(tangent, float(sigma), float(median)), dtype)


def log_normal(
    generator: Generator | None, size: Size, dtype: np.dtype, mean: float = 1.0, std: float = 2.0
) -> np.ndarray:
    """exp of a normal number with `mean` and `std`, as `Tensor.log_normal_` draws it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not std > 0:
        raise _errors.parameter_of("log_normal_", "std > 0.0", "std", std)
    require_floating(dtype, "log_normal_cpu")
    with generator.lock:
        normals = standard_normals(generator, math.prod(size))
    return narrow(exp(fma64(normals, float(std), float(mean))), dtype).reshape(size)


def poisson(generator: Generator | None, rates: np.ndarray) -> np.ndarray:
    """Counts with the given mean rates, in their dtype, as `torch.poisson` draws them.

    Rates of ten and more go by Hoermann's transformed rejection, smaller ones by multiplying uniforms; how many words
    an element takes is itself random, so elements are drawn one after another.
    """
    generator = generator or default_generator
    require_floating(rates.dtype, "poisson_cpu")
    flat = rates.ravel().astype(np.float64).tolist()
    with generator.lock:
        uniforms = UniformReader(generator)
        counts = [_poisson_count(rate, uniforms) for rate in flat]
        uniforms.close()
    return narrow(np.array(counts, np.float64), rates.dtype).reshape(rates.shape)


class UniformReader:
    """Float64 uniforms one at a time, read ahead in chunks; `close` gives back what was read and not used."""

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

    def close(self) -> None:
        if self._used < len(self._chunk):
            self._generator.load_state_bytes(self._before)
            self._generator.raw64(self._used)


def _poisson_count(rate: float, uniform: UniformReader) -> int:
    if not rate >= 0:
        raise _errors.poisson_rate()
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
