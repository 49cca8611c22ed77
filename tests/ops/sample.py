"""Samples: calls of an operator, written once and run under both libraries.

Arrays stand for tensors: each library gets its own tensor of the same dtype, shape and strides. A NumPy type stands for
the dtype of that name.

    SAMPLES = {
        "add": [Sample(normal(2, 3), normal(3), alpha=2), Fails(normal(2), normal(3))],
    }

A key is the name of an operator, or of any other function that both libraries have (`linalg.norm`, `max`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np


class Sample:
    """A call of an operator. Methods such as `loosely` and `without_gradient` relax the tests, and require a reason."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs
        self.tolerance: dict[str, float] = {}
        self.gradient = self.second_gradient = True
        self.stride = True
        self.in_place = True
        self.derivative = True
        self.kinds: dict[int | str, Callable[[Any], Any] | None] = {}

    def loosely(self, why: str, rtol: float, atol: float) -> Sample:
        """Compare values with a larger tolerance than the dtype's rounding."""
        assert why
        self.tolerance = {"rtol": rtol, "atol": atol}
        return self

    def without_gradient(self, why: str) -> Sample:
        """Do not test the gradient."""
        assert why
        self.gradient = False
        return self

    def without_second_gradient(self, why: str) -> Sample:
        """Do not test the second gradient."""
        assert why
        self.second_gradient = False
        return self

    def by_convention(self, why: str) -> Sample:
        """Compare the gradient only with PyTorch's, because both libraries define one that is not the derivative."""
        assert why
        self.derivative = False
        return self

    def taken_as(self, place: int | str, kind: Callable[[Any], Any] | None, why: str) -> Sample:
        """Restrict an argument for numerical differentiation.

        `kind` maps any numbers to valid ones; None makes it a constant.
        """
        assert why
        self.kinds[place] = kind
        return self

    def any_stride(self, why: str) -> Sample:
        """Do not compare the strides of the result."""
        assert why
        self.stride = False
        return self

    def not_in_place(self, why: str) -> Sample:
        """Do not test the in-place variant."""
        assert why
        self.in_place = False
        return self

    def __repr__(self) -> str:
        given = [_short(a) for a in self.args] + [f"{k}={_short(a)}" for k, a in self.kwargs.items()]
        return f"{type(self).__name__}({', '.join(given)})"


class Fails(Sample):
    """A call for which both libraries raise an error of the same type with the same first line."""


def _short(a: Any) -> str:
    if isinstance(a, np.ndarray):
        return f"{a.dtype.name}{list(a.shape)}"
    if isinstance(a, list | tuple):
        return f"[{', '.join(_short(x) for x in a)}]"
    return a.__name__ if isinstance(a, type) else repr(a)


# -- arrays for samples ------------------------------------------------------------------------------------------------


def _generator(*key: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Return normally distributed numbers from a fixed seed."""
    array = _generator("normal", shape, seed).standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * _generator("imaginary", shape, seed).standard_normal(shape)
    return np.asarray(array).astype(dtype)


def uniform(*shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Return uniformly distributed numbers between `low` and `high`."""
    return np.asarray(_generator("uniform", shape, seed).uniform(low, high, shape)).astype(dtype)


def integers(*shape: int, low: int = -5, high: int = 6, dtype: Any = np.int64, seed: int = 0) -> np.ndarray:
    """Return integers from `low` up to, but not including, `high`."""
    return np.asarray(_generator("integers", shape, seed).integers(low, high, shape)).astype(dtype)


def bools(*shape: int, seed: int = 0) -> np.ndarray:
    """Return random booleans."""
    return integers(*shape, low=0, high=2, seed=seed).astype(bool)


def array(*numbers: Any, dtype: Any = np.float32) -> np.ndarray:
    """Return an array of the given numbers."""
    return np.array(numbers, dtype=dtype)


def scalar(number: Any, dtype: Any = np.float32) -> np.ndarray:
    """Return a zero-dim array."""
    return np.array(number, dtype=dtype)


# -- arguments from samples --------------------------------------------------------------------------------------------


def tensor(library: Any, a: np.ndarray) -> Any:
    """Return a tensor of a library with the contents and strides of an array."""
    order = sorted(range(a.ndim), key=lambda d: (-abs(a.strides[d]), d))
    dense = np.array(a.transpose(order), order="C", copy=True)
    if dense.dtype == ml_dtypes.bfloat16:
        made = library.from_numpy(dense.astype(np.float32)).to(library.bfloat16)
    else:
        made = library.from_numpy(dense)
    if order != sorted(order):
        made = made.permute(*np.argsort(order).tolist())
    return made


def made_real(library: Any, a: Any, each: Callable[[Any], Any] = lambda t: t) -> Any:
    """Return a sample's argument with arrays and dtypes replaced by those of a library.

    `each` is applied to every tensor.
    """
    if isinstance(a, np.ndarray):
        return each(tensor(library, a))
    if isinstance(a, list | tuple):
        return type(a)([made_real(library, x, each) for x in a])
    if isinstance(a, type) and issubclass(a, np.generic):
        return getattr(library, np.dtype(a).name)
    return a


def arguments(library: Any, sample: Sample, each: Callable[[Any], Any] = lambda t: t) -> tuple[list, dict]:
    """Return a sample's arguments with arrays and dtypes replaced by those of a library.

    `each` is applied to every tensor that is not a constant.
    """
    args = [made_real(library, a, _unless_constant(sample, place, each)) for place, a in enumerate(sample.args)]
    return args, {k: made_real(library, a, _unless_constant(sample, k, each)) for k, a in sample.kwargs.items()}


def _unless_constant(sample: Sample, place: int | str, each: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return (lambda t: t) if sample.kinds.get(place, each) is None else each


def cotangent(shape: tuple[int, ...], dtype: np.dtype, number: int = 0) -> np.ndarray:
    """Return a fixed random cotangent for a result."""
    return normal(*shape, dtype=dtype, seed=number + 1)
