"""Windows, symmetric by default; with `sym=False` one period of a longer one, as spectral analysis wants it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import modes
from torchlike._tensor import factories
from torchlike._tensor.tensor import Tensor


def _made(
    name: str,
    formula: Callable,
    M: int,
    sym: bool = True,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """The window `formula(k, steps)` for k = 0 ... M - 1, where `steps` is the distance of the ends."""
    if not hasattr(M, "__index__"):
        raise _errors.arguments.wrong_type("linspace", "steps", None, "int", M)
    if not isinstance(requires_grad, bool):
        raise _errors.arguments.wrong_type("tensor", "requires_grad", None, "bool", requires_grad)
    dtype = dtype or modes.default_dtype
    _errors.making.check_window(name, M, layout, dtype, (_dtypes.float32, _dtypes.float64))
    found = np.ones(M) if M < 2 else formula(np.arange(M), M - 1 if sym else M)
    return factories.tensor(found, dtype=dtype, device=device, requires_grad=requires_grad)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A triangle that is 0 at its ends."""
    return _made("bartlett", lambda k, steps: 1 - np.abs(2 * k / steps - 1), M, sym, **options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a period of a sine."""
    return _made("cosine", lambda k, steps: np.sin(np.pi * (k + 0.5) / (steps + 1)), M, sym, **options)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """exp(-|k - center| / tau)."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = lambda steps: steps / 2 if center is None else center
    return _made("exponential", lambda k, steps: np.exp(-np.abs(k - middle(steps)) / tau), M, sym, **options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """exp(-(d / std)**2 / 2) at the distance d from the middle."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _made("gaussian", lambda k, steps: np.exp(-(((k - steps / 2) / std) ** 2) / 2), M, sym, **options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """i0(beta * sqrt(1 - x**2)) / i0(beta) for x from -1 to 1."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    arch = lambda k, steps: np.sqrt(np.maximum(0, 1 - (2 * k / steps - 1) ** 2))
    return _made("kaiser", lambda k, steps: np.i0(beta * arch(k, steps)) / np.i0(beta), M, sym, **options)


def _cosines(a: Iterable[float], k: np.ndarray, steps: int) -> Any:
    return sum((-1) ** i * w * np.cos(2 * np.pi * i * k / steps) for i, w in enumerate(a))


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """The sum over i of (-1)**i * a[i] * cos(i x) for x from 0 to 2 pi."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return _made("general_cosine", functools.partial(_cosines, a), M, sym, **options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """alpha - (1 - alpha) * cos(x) for x from 0 to 2 pi."""
    return general_cosine(M, a=(alpha, 1 - alpha), sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """The Hamming window: 0.54 - 0.46 * cos(x)."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """The Hann window: a raised cosine."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """The Blackman window: two cosines."""
    return _made("blackman", functools.partial(_cosines, (0.42, 0.5, 0.08)), M, sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """The minimum 4-term Blackman-Harris window after Nuttall."""
    return general_cosine(M, a=(0.3635819, 0.4891775, 0.1365995, 0.0106411), sym=sym, **options)


__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]
