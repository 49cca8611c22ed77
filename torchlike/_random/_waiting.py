"""Distributions whose samples are computed by a formula from one uniform or normal number each."""

from __future__ import annotations

import math

import numpy as np

from torchlike import _errors
from torchlike._errors.dtypes import c_name, scalar_name

from ._checks import is_floating, require_floating
from ._generator import Generator, default_generator
from ._libm import exp, log, log1p, tan
from ._real import SLAB, standard_normals, uniform64
from ._rounding import fma64, narrow

Size = tuple[int, ...]


def _uniforms(generator: Generator, size: Size) -> np.ndarray:
    with generator.lock:
        return uniform64(generator, math.prod(size)).reshape(size)


def exponential(generator: Generator | None, size: Size, dtype: np.dtype, rate: float = 1.0) -> np.ndarray:
    """Return -log(1 - u) / rate, as `Tensor.exponential_` samples it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not rate > 0:
        raise _errors.random.parameter_of("exponential_", "lambda > 0.0", "lambda", rate)
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    if not is_floating(dtype):
        raise _errors.random.continuous_distribution("Exponential", scalar_name(dtype))
    u = -_uniforms(generator, size)
    logs = log1p(u) if dtype == np.float64 else np.log1p(u)
    return narrow(-1.0 / rate * logs, dtype)


def geometric(generator: Generator | None, size: Size, dtype: np.dtype, p: float) -> np.ndarray:
    """Sample the number of trials until the first success, ceil(log(u) / log(1 - p)), as `Tensor.geometric_` does."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not 0 < p < 1:
        raise _errors.random.probability_of("geometric_", "(0, 1)", p)
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    if dtype.kind in "bc" or dtype.name in ("uint16", "uint32", "uint64"):
        raise _errors.dtypes.not_implemented("geometric_cpu", dtype)
    with np.errstate(divide="ignore"):
        trials = np.ceil(log(_uniforms(generator, size)) / math.log1p(-p))
    return narrow(trials, dtype) if is_floating(dtype) else trials.astype(dtype)


def cauchy(
    generator: Generator | None, size: Size, dtype: np.dtype, median: float = 0.0, sigma: float = 1.0
) -> np.ndarray:
    """Return median + sigma tan(pi (u - 1/2)), as `Tensor.cauchy_` samples it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not sigma > 0:
        raise _errors.random.parameter_of("cauchy_", "sigma > 0.0", "sigma", sigma)
    if not is_floating(dtype):
        raise _errors.random.continuous_distribution("Cauchy", c_name(dtype))
    angle = math.pi * (_uniforms(generator, size) - 0.5)
    tangent = tan(angle) if dtype == np.float64 else np.tan(angle)
    return narrow(fma64(tangent, float(sigma), float(median)), dtype)


def log_normal(
    generator: Generator | None, size: Size, dtype: np.dtype, mean: float = 1.0, std: float = 2.0
) -> np.ndarray:
    """Return exp of a normal number with `mean` and `std`, as `Tensor.log_normal_` samples it."""
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if not std > 0:
        raise _errors.random.parameter_of("log_normal_", "std > 0.0", "std", std)
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    require_floating(dtype, "log_normal_cpu")
    with generator.lock:
        normals = standard_normals(generator, math.prod(size))
    values = np.empty(size, dtype)
    flat = values.reshape(-1)
    for start in range(0, flat.size, SLAB):
        some = fma64(normals[start : start + SLAB], float(std), float(mean))
        with np.errstate(over="ignore"):
            flat[start : start + SLAB] = narrow(exp(some), dtype)
    return values
