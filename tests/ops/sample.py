"""Samples: calls of an operator, written once and made under both libraries.

Arrays stand for tensors: each library gets its own, of the same dtype, shape and strides. A NumPy type stands for the
dtype of that name.

    SAMPLES = {
        "add": [Sample(normal(2, 3), normal(3), alpha=2), Fails(normal(2), normal(3))],
    }

A key is a row's name, or the name of any function that PyTorch has too (`linalg.norm`, `max`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np


class Sample:
    """One call. `loosely` and `without_gradient` ask for less than everything, and say why."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs
        self.tolerance: dict[str, float] = {}
        self.gradient = self.second_gradient = True
        self.stride = True
        self.in_place = True
        self.derivative = True
        self.kinds: dict[int | str, Callable[[Any], Any] | None] = {}

    def loosely(self, why: str, rtol: float, atol: float) -> Sample:
        """Compare values less closely than the dtype's rounding."""
        assert why
        self.tolerance = {"rtol": rtol, "atol": atol}
        return self

    def without_gradient(self, why: str) -> Sample:
        """Leave the gradient unjudged."""
        assert why
        self.gradient = False
        return self

    def without_second_gradient(self, why: str) -> Sample:
        """Leave the gradient of the gradient unjudged."""
        assert why
        self.second_gradient = False
        return self

    def by_convention(self, why: str) -> Sample:
        """Judge the gradient beside PyTorch's alone: both define one that is not the derivative."""
        assert why
        self.derivative = False
        return self

    def taken_as(self, place: int | str, kind: Callable[[Any], Any] | None, why: str) -> Sample:
        """Differentiate within what an argument is taken to be: `kind` makes it of any numbers; None is a constant."""
        assert why
        self.kinds[place] = kind
        return self

    def any_stride(self, why: str) -> Sample:
        """Leave the strides of the result unjudged."""
        assert why
        self.stride = False
        return self

    def not_in_place(self, why: str) -> Sample:
        """Leave the in-place twin unjudged."""
        assert why
        self.in_place = False
        return self

    def __repr__(self) -> str:
        given = [_short(a) for a in self.args] + [f"{k}={_short(a)}" for k, a in self.kwargs.items()]
        return f"{type(self).__name__}({', '.join(given)})"


class Fails(Sample):
    """A call that both libraries refuse, with an error of one type and one first line."""


def _short(a: Any) -> str:
    if isinstance(a, np.ndarray):
        return f"{a.dtype.name}{list(a.shape)}"
    if isinstance(a, list | tuple):
        return f"[{', '.join(_short(x) for x in a)}]"
    return a.__name__ if isinstance(a, type) else repr(a)


# -- arrays to write samples with --------------------------------------------------------------------------------------


def _generator(*key: Any) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Normally distributed numbers, always the same ones."""
    array = _generator("normal", shape, seed).standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * _generator("imaginary", shape, seed).standard_normal(shape)
    return np.asarray(array).astype(dtype)


def uniform(*shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    """Numbers spread evenly between `low` and `high`."""
    return np.asarray(_generator("uniform", shape, seed).uniform(low, high, shape)).astype(dtype)


def integers(*shape: int, low: int = -5, high: int = 6, dtype: Any = np.int64, seed: int = 0) -> np.ndarray:
    """Whole numbers from `low` up to, not including, `high`."""
    return np.asarray(_generator("integers", shape, seed).integers(low, high, shape)).astype(dtype)


def bools(*shape: int, seed: int = 0) -> np.ndarray:
    """True and False."""
    return integers(*shape, low=0, high=2, seed=seed).astype(bool)


def array(*numbers: Any, dtype: Any = np.float32) -> np.ndarray:
    """These numbers."""
    return np.array(numbers, dtype=dtype)


def scalar(number: Any, dtype: Any = np.float32) -> np.ndarray:
    """A zero-dim array."""
    return np.array(number, dtype=dtype)


# -- samples made real -------------------------------------------------------------------------------------------------


def tensor(library: Any, a: np.ndarray) -> Any:
    """The tensor of one library that an array stands for, strides included."""
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
    """An argument of a sample as one library takes it; `each` is called with every tensor made."""
    if isinstance(a, np.ndarray):
        return each(tensor(library, a))
    if isinstance(a, list | tuple):
        return type(a)([made_real(library, x, each) for x in a])
    if isinstance(a, type) and issubclass(a, np.generic):
        return getattr(library, np.dtype(a).name)
    return a


def arguments(library: Any, sample: Sample, each: Callable[[Any], Any] = lambda t: t) -> tuple[list, dict]:
    """The arguments of a sample as one library takes them; `each` is called with every tensor that is no constant."""
    args = [made_real(library, a, _unless_constant(sample, place, each)) for place, a in enumerate(sample.args)]
    return args, {k: made_real(library, a, _unless_constant(sample, k, each)) for k, a in sample.kwargs.items()}


def _unless_constant(sample: Sample, place: int | str, each: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return (lambda t: t) if sample.kinds.get(place, each) is None else each


def cotangent(shape: tuple[int, ...], dtype: np.dtype, number: int = 0) -> np.ndarray:
    """A fixed random gradient for a result."""
    return normal(*shape, dtype=dtype, seed=number + 1)
