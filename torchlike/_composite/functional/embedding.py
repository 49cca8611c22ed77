"""Bilinear maps, embedding tables, one-hot vectors, and similarities of vectors, as functions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._composite.nn.functions import check_flag
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._engine import to_numpy, when_at_hand
from torchlike._sparse import of_rows
from torchlike._tensor import binding, factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x1 W x2 + bias, where W is each of the n matrices of `weight`.

    Args:
      input1: (..., k1).
      input2: (..., k2).
      weight: (n, k1, k2).
      bias: (n,).

    Returns:
      (..., n).

    >>> import torchlike as torch
    >>> torch.nn.functional.bilinear(torch.ones(2), torch.ones(3), torch.ones(1, 2, 3)).tolist()
    [6.0]
    """
    if not input1.ndim and not input2.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    return rows["bilinear"](input1, input2, weight, bias)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return weight[input], the rows of a table that the indices select.

    Args:
      input: integer indices of any shape.
      weight: (V, D), the table.
      padding_idx: the index of a row that gets no gradient.
      max_norm: selected rows with a larger norm are first scaled down to this norm, in place.
      norm_type: the exponent p of the norm.
      scale_grad_by_freq: if True, divide the gradient of each row by the number of times that it was selected.
      sparse: if True, the gradient of `weight` is a sparse tensor with one entry per selection.

    Raises:
      IndexError: an index is out of range and `input` is already on the host. Otherwise such an index gives NaN.

    >>> import torchlike as torch
    >>> torch.nn.functional.embedding(torch.tensor([1]), torch.tensor([[1., 2.], [3., 4.]])).tolist()
    [[3.0, 4.0]]
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        if not weight.ndim:
            raise _errors.shapes.dim_of_scalar(0)
        if not -weight.shape[0] <= padding_idx < weight.shape[0]:
            raise AssertionError("Padding_idx must be within num_embeddings")
        if padding_idx.__class__ is bool:
            raise _errors.arguments.wrong_type("embedding", "padding_idx", 3, "int", padding_idx)
        padding_idx %= weight.shape[0]
    if sparse is not False:
        check_flag("embedding", "sparse", 5, sparse)
    check_rows(input, weight)
    renorm(weight, input, max_norm, norm_type)
    return rows_of(weight, input, padding_idx, scale_grad_by_freq, sparse)


def rows_of(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Return weight[indices], as `torch.embedding` does."""
    found = rows["embedding"](weight, indices, padding_idx, scale_grad_by_freq)
    return of_rows(found, weight, indices, padding_idx, scale_grad_by_freq) if sparse else found


def renorm(weight: Tensor, indices: Tensor, max_norm: float | None, norm_type: float) -> None:
    """Scale the selected rows whose norm is greater than `max_norm` down to this norm, in place."""
    if max_norm is not None:
        with modes.no_grad():
            binding.assign(weight, rows["_renormed"](weight.detach(), indices, float(max_norm), float(norm_type)))


def check_rows(indices: Tensor, weight: Tensor) -> None:
    """Raise IndexError if an index is out of range and the indices are already on the host."""
    if weight.ndim != 2:
        return
    rows = weight.shape[0]

    def check(host: Any) -> None:
        if (
            isinstance(host, np.ndarray)
            and host.dtype.kind == "i"
            and host.size
            and (host.min() < 0 or host.max() >= rows)
        ):
            raise _errors.indexing.index_out_of_range()

    when_at_hand(indices._value, check)


def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 one-hot vectors in a new last dim, 1 at each class index and 0 elsewhere.

    Args:
      input: int64 class indices of any shape.
      num_classes: the size of the new dim. With -1 it is the largest index plus 1, which is read on the host.

    Raises:
      RuntimeError: an index is negative, or is not smaller than `num_classes`, or the dtype is not int64.

    >>> import torchlike as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    if input.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not hasattr(num_classes, "__index__"):
        raise _errors.arguments.wrong_type("one_hot", "num_classes", None, "int", num_classes)
    if not input.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return rows["_one_hot"](input, num_classes)
    if num_classes == -1:
        host = to_numpy(input._value)
        _check_classes(int(host.max()) + 1, host)
        return rows["_one_hot"](input, int(host.max()) + 1)
    check = functools.partial(_check_classes, num_classes)
    if current().capture is None:
        check(to_numpy(factories.all_examples(input)._value))
    else:
        when_at_hand(input._value, check)
    return rows["_one_hot"](input, num_classes)


def _check_classes(count: int, host: Any) -> None:
    if host.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if host.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return x1 . x2 / (|x1| |x2|) over a dim, with norms below `eps` replaced by `eps`.

    Args:
      x1, x2: shapes that broadcast.
      dim: the dim of the vectors. It is not part of the result.
      eps: the least norm.

    >>> import torchlike as torch
    >>> torch.nn.functional.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[2.0, 0.0]])).tolist()
    [1.0]
    """
    return rows["cosine_similarity"](x1, x2, dim, eps)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """Return the p-norm of x1 - x2 + eps over the last dim.

    Args:
      x1, x2: (..., D), shapes that broadcast.
      p: the exponent of the norm.
      eps: is added to each difference.
      keepdim: keep the last dim with size 1.

    >>> import torchlike as torch
    >>> torch.nn.functional.pairwise_distance(torch.tensor([3.0, 4.0]), torch.zeros(2), eps=0.0).item()
    5.0
    """
    return rows["pairwise_distance"](x1, x2, p, eps, keepdim)
