"""Window functions.

Windows are symmetric by default. With `sym=False`, they are periodic, which is suitable for spectral analysis.
"""

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
    """Return the window `formula(k, steps)` for k = 0, ..., M - 1.

    `steps` is M - 1 for a symmetric window and M for a periodic window.
    """
    if not hasattr(M, "__index__"):
        raise _errors.arguments.wrong_type("linspace", "steps", None, "int", M)
    if not isinstance(requires_grad, bool):
        raise _errors.arguments.wrong_type("tensor", "requires_grad", None, "bool", requires_grad)
    dtype = dtype or modes.default_dtype
    _errors.making.check_window(name, M, layout, dtype, (_dtypes.float32, _dtypes.float64))
    found = np.ones(M) if M < 2 else formula(np.arange(M), M - 1 if sym else M)
    return factories.tensor(found, dtype=dtype, device=device, requires_grad=requires_grad)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Bartlett window, a triangle that is 0 at its ends.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return _made("bartlett", lambda k, steps: 1 - np.abs(2 * k / steps - 1), M, sym, **options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the cosine window, half a period of a sine.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return _made("cosine", lambda k, steps: np.sin(np.pi * (k + 0.5) / (steps + 1)), M, sym, **options)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """Compute the exponential window exp(-|k - center| / tau).

    Args:
        M: the number of points in the window.
        center: the center of the window. Default: the middle. It must be None for a symmetric window.
        tau: the decay constant, which must be positive.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = lambda steps: steps / 2 if center is None else center
    return _made("exponential", lambda k, steps: np.exp(-np.abs(k - middle(steps)) / tau), M, sym, **options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Gaussian window exp(-(d / std)**2 / 2), where d is the distance from the middle.

    Args:
        M: the number of points in the window.
        std: the standard deviation, which must be positive.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _made("gaussian", lambda k, steps: np.exp(-(((k - steps / 2) / std) ** 2) / 2), M, sym, **options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Kaiser window i0(beta * sqrt(1 - x**2)) / i0(beta) for x from -1 to 1.

    Args:
        M: the number of points in the window.
        beta: the shape parameter, which must be non-negative.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    arch = lambda k, steps: np.sqrt(np.maximum(0, 1 - (2 * k / steps - 1) ** 2))
    return _made("kaiser", lambda k, steps: np.i0(beta * arch(k, steps)) / np.i0(beta), M, sym, **options)


def _cosines(a: Iterable[float], k: np.ndarray, steps: int) -> Any:
    return sum((-1) ** i * w * np.cos(2 * np.pi * i * k / steps) for i, w in enumerate(a))


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """Compute the general cosine window, the sum of (-1)**i * a[i] * cos(i * x) over i, for x from 0 to 2 pi.

    Args:
        M: the number of points in the window.
        a: the coefficients.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    return _made("general_cosine", functools.partial(_cosines, a), M, sym, **options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """Compute the general Hamming window alpha - (1 - alpha) * cos(x) for x from 0 to 2 pi.

    Args:
        M: the number of points in the window.
        alpha: the window coefficient.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return general_cosine(M, a=(alpha, 1 - alpha), sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Hamming window 0.54 - 0.46 * cos(x) for x from 0 to 2 pi.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Hann window 0.5 - 0.5 * cos(x) for x from 0 to 2 pi.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the Blackman window 0.42 - 0.5 * cos(x) + 0.08 * cos(2 * x) for x from 0 to 2 pi.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
    return _made("blackman", functools.partial(_cosines, (0.42, 0.5, 0.08)), M, sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Compute the minimum 4-term Blackman-Harris window according to Nuttall.

    Args:
        M: the number of points in the window.
        sym: if True, return a symmetric window; if False, return a periodic window for spectral analysis.
        options: `dtype`, `layout`, `device` and `requires_grad` of the result.
    """
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
