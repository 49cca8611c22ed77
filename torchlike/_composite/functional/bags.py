"""Sums, means and maxima over bags of embedding rows, as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._composite.functional.embedding import renorm
from torchlike._composite.nn.functions import check_flag
from torchlike._dtypes import FLOATING, INTEGER
from torchlike._engine import when_at_hand
from torchlike._errors.warned import warn
from torchlike._sparse import of_bags
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def _padding_row(padding_idx: int | None, count: int) -> int:
    """Return the index of the padding row, counted from the start, or -1 without padding."""
    if padding_idx is None:
        return -1
    if padding_idx.__class__ is bool:
        raise _errors.arguments.wrong_type("embedding_bag", "padding_idx", 9, "int", padding_idx)
    if not -count <= padding_idx < count:
        raise _errors.embedding.bag_padding(count, padding_idx)
    return padding_idx % count


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or maximum of the rows of a table that each bag of indices selects, (B, D).

    Args:
      input: (B, L), with one bag per row, or (N,), where bag i starts at `offsets[i]`.
      weight: (V, D), the table.
      offsets: (B,), the starts of the bags, for a 1-dim `input`.
      max_norm: selected rows with a larger norm are first scaled down to this norm, in place.
      norm_type: the exponent p of the norm.
      scale_grad_by_freq: if True, divide the gradient of each row by the number of times that it was selected.
      mode: "sum", "mean" or "max"; an empty bag gives zeros.
      sparse: if True, the gradient of `weight` is a sparse tensor ("sum" and "mean" only).
      per_sample_weights: a factor for each index, of the shape of `input` ("sum" only).
      include_last_offset: if True, `offsets` has one more element, the end of the last bag.
      padding_idx: the index of a row that does not contribute.

    >>> import torchlike as torch
    >>> table = torch.tensor([[1., 2.], [3., 4.]])
    >>> torch.nn.functional.embedding_bag(torch.tensor([0, 1, 1]), table, torch.tensor([0, 2])).tolist()
    [[2.0, 3.0], [3.0, 4.0]]
    """
    if weight.dtype.category == INTEGER and input.dtype.category == FLOATING:
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
            "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`."
        )
        weight, input = input, weight
    _check_bags(input, weight, offsets, per_sample_weights)
    _check_mode(mode, scale_grad_by_freq, sparse, per_sample_weights)
    if sparse is not False:
        check_flag("embedding_bag", "sparse", 6, sparse)
    if include_last_offset is not False:
        if offsets is not None:
            check_flag("embedding_bag", "include_last_offset", 8, include_last_offset)
        include_last_offset = offsets is not None and include_last_offset
    renorm(weight, input, max_norm, norm_type)
    place = _padding_row(padding_idx, weight.shape[0])
    if offsets is not None:
        _check_offsets(offsets, input.shape[0])
    made = rows["_embedding_bag"](
        weight,
        input,
        offsets,
        per_sample_weights,
        mode,
        place,
        scale_grad_by_freq,
        include_last_offset,
    )
    _check_numbers(input, weight.shape[0])
    if sparse:
        return of_bags(made, weight, input, offsets, per_sample_weights, mode, place, scale_grad_by_freq)
    return made


def _check_bags(input: Tensor, weight: Tensor, offsets: Any, weights: Tensor | None) -> None:
    if weights is not None and weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({weights.shape}) is not None, then it must have the same shape "
            f"as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2 and offsets is not None:
        raise _errors.embedding.bag_offsets_unasked(str(type(offsets)).replace("torchlike._tensor.tensor", "torch"))
    if input.ndim == 1 and (offsets is None or offsets.ndim != 1):
        raise ValueError(f"offsets has to be a 1D Tensor{' but got None' if (offsets is None) else ''}")
    if input.ndim not in (1, 2):
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")


def _check_mode(mode: str, scale_grad_by_freq: bool, sparse: bool, weights: Tensor | None) -> None:
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise _errors.embedding.bag_maximum("scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise _errors.embedding.bag_maximum("sparse weights")
    if weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )


def _check_offsets(offsets: Tensor, length: int) -> None:
    def check(host: Any) -> None:
        if isinstance(host, np.ndarray) and host.dtype.kind == "i" and host.size:
            if host[0] != 0:
                raise RuntimeError(
                    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
                    f"0. However, got {int(host[0])}"
                )
            if host[-1] > length:
                raise _errors.embedding.bag_last_offset(length, int(host[-1]))
            if (np.diff(host) < 0).any():
                raise RuntimeError("offsets must not decrease: each is the start of a bag")

    when_at_hand(offsets._value, check)


def _check_numbers(input: Tensor, count: int) -> None:
    def check(host: Any) -> None:
        if isinstance(host, np.ndarray) and host.dtype.kind == "i" and host.size:
            wrong = ((host < 0) | (host >= count)).reshape(-1)
            if wrong.any():
                first = int(wrong.argmax())
                raise _errors.embedding.bag_index(first, int(host.reshape(-1)[first]), count)

    when_at_hand(input._value, check)
