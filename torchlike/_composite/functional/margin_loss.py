"""Loss functions with a margin between scores, distances or similarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._composite.functional.loss import CHECKED_AT_ONCE, reduction_of
from torchlike._engine import when_at_hand
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

# -- classes -----------------------------------------------------------------------------------------------------------


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the multi-class margin loss between scores x, (N, C) or (C,), and class indices t.

    The loss of a sample is the sum over the other classes i of weight[t] max(0, margin - x[t] + x[i])**p, divided by
    the number C of all classes.

    Args:
      input: (N, C) or (C,), scores.
      target: (N,) or (), int64 class indices.
      p: the exponent, 1 or 2.
      margin: the difference of scores from which the loss is 0.
      weight: (C,), a weight for each class, 1 by default.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per sample.

    Raises:
      ValueError: `p` is neither 1 nor 2, or `weight` has not one dim.
      RuntimeError: a class index is out of range and the target is already on the host.

    >>> import torchlike as torch
    >>> torch.nn.functional.multi_margin_loss(torch.tensor([[1.0, 2.0]]), torch.tensor([0])).item()
    1.0
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    made = rows["multi_margin_loss"](input, target, p, margin, weight, reduction)
    _check_classes(target, 0, input, _errors.losses.margin_target)
    return made


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Compute the multi-label margin loss between scores x, (N, C) or (C,), and sets of target classes.

    The class indices before the first -1 are the targets t. The loss of a sample is the sum over t and over the classes
    i that are not targets of max(0, 1 - (x[t] - x[i])), divided by the number C of all classes.

    Args:
      input: (N, C) or (C,), scores.
      target: the shape of `input`, int64 class indices that end with -1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per sample.

    Raises:
      RuntimeError: a class index is out of range and the target is already on the host.

    >>> import torchlike as torch
    >>> torch.nn.functional.multilabel_margin_loss(torch.tensor([1.0, 2.0]), torch.tensor([0, -1])).item()
    1.0
    """
    made = rows["multilabel_margin_loss"](input, target, reduction_of(reduction, size_average, reduce))
    _check_classes(target, -1, input, _errors.losses.margin_targets)
    return made


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the binary cross entropy between logits and 0 or 1 for each class, averaged over the classes.

    Args:
      input: (..., C), logits.
      target: the shape of `input`, 0 or 1.
      weight: (C,), a weight for each class; broadcast.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per sample.

    >>> import torchlike as torch
    >>> torch.nn.functional.multilabel_soft_margin_loss(torch.zeros(1, 2), torch.ones(1, 2))
    tensor(0.6931)
    """
    if size_average is None and reduce is None and reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    reduction = reduction_of(reduction, size_average, reduce)
    of_tensors = isinstance(target, Tensor) and isinstance(weight, Tensor | None)
    if of_tensors and input.shape == target.shape:
        return rows["multilabel_soft_margin_loss"](input, target, weight, reduction)
    loss = -(target * rows["logsigmoid"](input) + (1 - target) * rows["logsigmoid"](-input))
    loss = (loss if weight is None else loss * weight).sum(input.ndim - 1) / input.shape[-1]
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def _check_classes(target: Tensor, least: int, input: Tensor, error: Callable[[], Exception]) -> None:
    if not input.ndim:
        return
    classes = input.shape[-1]

    def check(host: Any) -> None:
        known = isinstance(host, np.ndarray) and 0 < host.size <= CHECKED_AT_ONCE
        if known and (host.min() < least or host.max() >= classes):
            raise error()

    when_at_hand(target._value, check)


# -- pairs and triplets ------------------------------------------------------------------------------------------------


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Compute log(1 + exp(-t x)) for targets t of 1 or -1.

    Args:
      input: any shape, scores x.
      target: a shape that broadcasts with `input`, 1 or -1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.functional.soft_margin_loss(torch.zeros(2), torch.tensor([1.0, -1.0]))
    tensor(0.6931)
    """
    made = broadcast([input.shape, target.shape])
    if made != tuple(input.shape):
        raise _errors.shapes.in_place_shape(input.shape, made)
    return rows["soft_margin_loss"](input, target, reduction_of(reduction, size_average, reduce))


def _choosing(target: Any) -> Any:
    """Return a target without history: the loss only compares it with numbers."""
    return target.detach() if getattr(target, "requires_grad", False) else target


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute x where the target is 1, and max(0, margin - x) where it is -1.

    Args:
      input: any shape, distances x.
      target: a shape that broadcasts with `input`, 1 or -1.
      margin: the distance from which dissimilar pairs have a loss of 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.

    >>> import torchlike as torch
    >>> torch.nn.functional.hinge_embedding_loss(torch.tensor([0.5, 0.5]), torch.tensor([1, -1])).item()
    0.5
    """
    if input.shape != target.shape:
        broadcast([target.shape, input.shape])  # raises with the sizes in PyTorch's order
    return rows["hinge_embedding_loss"](input, _choosing(target), margin, reduction_of(reduction, size_average, reduce))


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute max(0, margin - t (x1 - x2)), where t = 1 ranks x1 above x2 and t = -1 ranks it below.

    Args:
      input1, input2: scores of the same number of dims, which broadcast.
      target: t, with the same number of dims.
      margin: the difference of scores from which the loss is 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.

    Raises:
      RuntimeError: the numbers of dims differ.

    >>> import torchlike as torch
    >>> x1, x2, t = torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1])
    >>> torch.nn.functional.margin_ranking_loss(x1, x2, t).item()
    2.0
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise _errors.losses.ranking_dims(input1.shape, input2.shape, target.shape)
    return rows["margin_ranking_loss"](input1, input2, target, margin, reduction)


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute 1 - cos(x1, x2) where the target is 1, and max(0, cos(x1, x2) - margin) where it is -1.

    Args:
      input1, input2: (N, D) or (D,).
      target: (N,) or (), 1 or -1.
      margin: the cosine up to which dissimilar pairs have a loss of 0.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per sample.

    >>> import torchlike as torch
    >>> x1, x2 = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    >>> torch.nn.functional.cosine_embedding_loss(x1, x2, torch.tensor([1])).item()
    1.0
    """
    reduction = reduction_of(reduction, size_average, reduce)
    return rows["cosine_embedding_loss"](input1, input2, _choosing(target), margin, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute max(0, margin + |anchor - positive| - |anchor - negative|), in the p-norm over the last dim.

    Args:
      anchor, positive, negative: (N, D) or (D,), or other shapes that broadcast.
      margin: the difference of distances from which the loss is 0; positive.
      p: the exponent of the norm.
      eps: is added to each difference, as in `pairwise_distance`.
      swap: use the smaller of |anchor - negative| and |positive - negative| as the second distance.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per sample.

    Raises:
      ValueError: `margin` is not positive.

    >>> import torchlike as torch
    >>> a, p, n = torch.zeros(1, 1), torch.ones(1, 1), torch.tensor([[3.0]])
    >>> torch.nn.functional.triplet_margin_loss(a, p, n, margin=3.0)
    tensor(1.)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if margin <= 0:
        raise _errors.losses.triplet_margin(margin)
    return rows["triplet_margin_loss"](anchor, positive, negative, margin, p, eps, swap, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[..., Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Compute max(0, margin + d(anchor, positive) - d(anchor, negative)) with a given distance function d.

    Args:
      anchor, positive, negative: tensors with the same number of dims.
      distance_function: d, a function of two tensors, by default `pairwise_distance`.
      margin: the difference of distances from which the loss is 0; positive.
      swap: use the smaller of d(anchor, negative) and d(positive, negative) as the second distance.
      reduction: "mean", "sum", or "none" for one loss per sample.

    Raises:
      ValueError: `margin` is not positive, or `reduction` is unknown.
      RuntimeError: the numbers of dims differ.

    >>> import torchlike as torch
    >>> a, p, n = torch.zeros(1), torch.ones(1), torch.tensor([3.0])
    >>> distance = lambda x, y: (x - y).abs()
    >>> torch.nn.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=distance, margin=3.0).item()
    1.0
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise _errors.losses.triplet_margin(margin)
    distance: Any = distance_function if distance_function is not None else rows["pairwise_distance"]
    dims = {anchor.ndim, positive.ndim, negative.ndim}
    if len(dims) > 1:
        raise _errors.losses.triplet_dims(anchor.ndim, positive.ndim, negative.ndim)
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = rows["minimum"](far, distance(positive, negative))
    loss = rows["_clamp_below"](margin + near - far)
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss
