"""Utilities for distributions: broadcasting, conversion between probabilities and logits, and packed triangles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import functional as F

from . import _errors

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Broadcast tensors and numbers to one shape.

    Numbers get the dtype and device of the first tensor. If there is no tensor, they get the default dtype.

    >>> [t.shape for t in broadcast_all(torchlike.zeros(3, 1), 1.0)]
    [torch.Size([3, 1]), torch.Size([3, 1])]
    """
    if not all(isinstance(v, Tensor | Number) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((v for v in values if isinstance(v, Tensor)), None)
    options: dict = {"dtype": torchlike.get_default_dtype()}
    if first is not None:
        options = {"dtype": first.dtype, "device": first.device}
    made = [v if isinstance(v, Tensor) else torchlike.tensor(v, **options) for v in values]
    return tuple(torchlike.broadcast_tensors(*made))


def shape_of(*values: Any) -> torchlike.Size:
    """Return the batch shape of broadcast parameters: the shape of the first tensor, or () if all are numbers."""
    return next((v.shape for v in values if isinstance(v, Tensor)), torchlike.Size())


def one_of(probs: Any, logits: Any) -> Any:
    """Return `probs` or `logits`, whichever is not None. Raise ValueError if both or neither are None."""
    if (probs is None) == (logits is None):
        raise _errors.probs_or_logits()
    return logits if probs is None else probs


def standard_normal(shape: Sequence[int], like: Tensor) -> Tensor:
    """Return standard normal samples with the dtype and device of `like`."""
    options: dict = {"dtype": like.dtype, "device": like.device}
    return torchlike.normal(torchlike.zeros(shape, **options), torchlike.ones(shape, **options))


def sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """Return the sum over the last `dim` dims."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return the sigmoid of log-odds if `is_binary`, else the softmax over the last dim."""
    return torchlike.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities to [eps, 1 - eps], where eps is the machine epsilon of the dtype."""
    eps = torchlike.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the log-odds if `is_binary`, else the logarithms. The probabilities are clamped by `clamp_probs`."""
    inside = clamp_probs(probs)
    return torchlike.log(inside) - torchlike.log1p(-inside) if is_binary else torchlike.log(inside)


class lazy_property:
    """A property that is computed on first use and then stored as an instance attribute."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        made: Any = self
        functools.update_wrapper(made, wrapped)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with torchlike.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements on and below diagonal `diag`, row by row.

    For diagonal 0: (..., n, n) -> (..., n (n + 1) / 2).
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torchlike.tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return the lower triangular matrix with these elements: the inverse of `tril_matrix_to_vec`."""
    count, shift = vec.shape[-1], 2 * diag + 1
    n = (-shift + ((shift * shift) + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torchlike.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    size = round(n)
    matrix = torchlike.zeros(vec.shape[:-1] + (size, size), dtype=vec.dtype, device=vec.device)
    rows, columns = torchlike.tril_indices(size, size, diag, device=vec.device)
    matrix[..., rows, columns] = vec
    return matrix


def _standard_normal(shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    return standard_normal(shape, torchlike.empty(0, dtype=dtype, device=device))


_sum_rightmost = sum_rightmost
