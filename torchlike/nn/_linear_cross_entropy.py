"""`linear_cross_entropy`: a linear layer and cross entropy in one function, optionally in chunks of the batch."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _dtypes, _errors, cross_entropy, linear, modes, warn


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Chunking options of `linear_cross_entropy`. Logits are computed for one chunk of the batch at a time.

    Args:
      allow_retain_graph: ignored. Backward may always be run again.
      batch_chunk_size: the number of rows of a chunk.
      chunking_method: "aspect_ratio:n" chooses the number of rows such that the logits of a chunk take about 1/n of the
        input's memory. "auto" means "aspect_ratio:2", or no method if `batch_chunk_size` is given.
      acc_policy: "accurate", "balanced", "compact" or "auto". All of them mean "accurate" here.
      acc_dtype: the dtype of logits and sums. The default for a half-precision input is float32.

    Raises:
      ValueError: an option has an unknown value.

    >>> import torchlike as torch
    >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=128).chunking_method
    'auto'
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise _errors.losses.chunk_option("acc_policy", self.acc_policy)
        name, colon, factor = str(self.chunking_method).partition(":")
        known = name == "aspect_ratio" and (not colon or (factor.isdigit() and int(factor) > 0))
        if self.chunking_method not in (None, "auto") and not known:
            raise _errors.losses.chunk_option("chunking_method", self.chunking_method)
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise _errors.losses.chunk_size(size)


def _rows_at_once(options: Any, batch: int, features: int, classes: int) -> int:
    size, method = options.batch_chunk_size, options.chunking_method
    if method is None or (method == "auto" and size is not None):
        return max(1, min(size or batch, batch))
    method = "aspect_ratio:2" if method == "auto" else method
    aim = -(-batch // -(-classes // max(features, 1)))
    found = min((1 << max(aim - 1, 0).bit_length()) // int(method.partition(":")[2] or 1), batch)
    if size not in (None, found):
        raise ValueError(
            f"batch_chunk_size (={size}) and chunking_method ('{method}') give different chunk sizes "
            f"({size} vs {found}); pass only one."
        )
    return max(found, 1)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """Compute `cross_entropy(linear(input, linear_weight, linear_bias), target, ...)`.

    Args:
      input: shape (N, K) or (K,).
      linear_weight: shape (C, K), or (C, d1, ..., K) for logits of shape (N, C, d1, ...).
      target: class indices of shape (N, d1, ...), or class probabilities of the logits' shape.
      linear_bias: shape (C, d1, ...).
      weight, reduction, ignore_index, label_smoothing: see `cross_entropy`.
      options: compute the logits in chunks of the batch, see `LinearCrossEntropyOptions`. The logits of the whole batch
        never exist at once. Backward recomputes the logits of each chunk. Options are ignored, with a warning, unless
        the weight is a matrix, the target contains int64 class indices, and there is no label smoothing.

    Raises:
      RuntimeError: `ignore_index` is given for a target of probabilities.

    >>> import torchlike as torch
    >>> torch.nn.functional.linear_cross_entropy(torch.ones(1, 3), torch.zeros(2, 3), torch.tensor([1]))
    tensor(0.6931)
    """
    _errors.losses.check_linear_cross_entropy(input, linear_weight, linear_bias)
    shape = (*input.shape[:-1], linear_weight.shape[0], *linear_weight.shape[1:-1])
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    rest: dict[str, Any] = {"ignore_index": -100 if ignore_index is None else ignore_index}
    if (
        options is not None
        and input.numel()
        and _in_parts(linear_weight, target, linear_bias, reduction, label_smoothing)
    ):
        return _by_parts(input, linear_weight, target, linear_bias, weight, reduction, options, **rest)
    rows = math.prod(linear_weight.shape[:-1])
    bias = None if linear_bias is None else linear_bias.reshape(rows)
    logits = linear(input, linear_weight.reshape(rows, linear_weight.shape[-1]), bias).reshape(shape)
    return cross_entropy(logits, target, weight, reduction=reduction, label_smoothing=label_smoothing, **rest)


def _in_parts(linear_weight: Tensor, target: Tensor, bias: Tensor | None, reduction: str, smoothing: float) -> bool:
    fits = (
        linear_weight.ndim == 2
        and reduction in ("mean", "sum", "none")
        and smoothing == 0.0
        and target.dtype is _dtypes.int64
    )
    if not fits:
        out, shape = tuple(linear_weight.shape[1:-1]), None if bias is None else tuple(bias.shape)
        warn(_errors.losses.options_ignored(reduction, smoothing, target.dtype, out, shape))
    return fits


def _by_parts(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    bias: Tensor | None,
    weight: Tensor | None,
    reduction: str,
    options: Any,
    ignore_index: int,
) -> Tensor:
    from torchlike.utils.checkpoint import checkpoint  # imported here to avoid an import cycle

    x, t = (input, target) if input.ndim == 2 else (input.unsqueeze(0), target.unsqueeze(0))
    dtype = options.acc_dtype or (_dtypes.opmath(x.dtype))
    wide: Any = lambda y: None if y is None else y.to(dtype)
    how = "none" if reduction == "none" else "sum"

    def part(rows: Tensor, classes: Tensor) -> Tensor:
        logits = linear(wide(rows), wide(linear_weight), wide(bias))
        return cross_entropy(logits, classes, wide(weight), ignore_index=ignore_index, reduction=how)

    size = _rows_at_once(options, x.shape[0], x.shape[1], linear_weight.shape[0])
    places = range(0, x.shape[0], size)
    # `acc_dtype` takes precedence over autocast.
    region = torchlike.autocast(x.device.type, enabled=False) if modes.local.autocast else contextlib.nullcontext()
    with region:
        losses = [checkpoint(part, x[i : i + size], t[i : i + size], use_reentrant=False) for i in places]
    if reduction == "none":
        made = torchlike.cat(losses)
        return (made if input.ndim == 2 else made.squeeze(0)).to(input.dtype)
    total = torchlike.stack(losses).sum()
    if reduction == "mean":
        counted = t != ignore_index
        ones = counted if weight is None else wide(weight)[torchlike.where(counted, t, 0)] * counted
        total = total / ones.sum()
    return total.to(input.dtype)
