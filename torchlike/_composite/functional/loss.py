"""Loss functions: each checks its options, then calls its operator."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite.views.shape import broadcast_tensors
from torchlike._engine import when_at_hand
from torchlike._errors.warned import warn
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened

CHECKED_AT_ONCE = 1 << 22  # class indices that are already on the host are checked up to this many


def reduction_of(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """Return the reduction to apply, given the current argument and the two deprecated ones."""
    if size_average is not None or reduce is not None:
        average, all_ = size_average is None or size_average, reduce is None or reduce
        reduction = ("mean" if average else "sum") if all_ else "none"
        message = f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."
        warn(message, site="nn.functional")
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", site="nn.functional")
        return "mean"
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def _weighted(loss: Callable[[str], Tensor], input: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """Reduce a loss with a weight per element; the mean divides by the sum of the weights."""
    if weight is None:
        return loss(reduction)
    if weight.shape != input.shape:
        raise _errors.losses.weight_size()
    each = loss("none") * weight
    if reduction == "none":
        return each
    return each.sum() / weight.sum() if reduction == "mean" else each.sum()


def _warn_sizes(input: Tensor, target: Tensor) -> None:
    if target.shape != input.shape:
        warn(_errors.losses.broadcast_sizes(input.shape, target.shape))
        broadcast_tensors(input, target)  # raises before the other options are checked


# -- classes -----------------------------------------------------------------------------------------------------------


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute the cross entropy, -log softmax(input) at the target class, from logits.

    Args:
      input: (N, C, d1, ...) or (C,), logits.
      target: (N, d1, ...), int64 class indices, or probabilities of the input's shape.
      weight: (C,), a weight for each class.
      size_average: deprecated, see `reduction`.
      ignore_index: the class index that contributes neither loss nor gradient.
      reduce: deprecated, see `reduction`.
      reduction: "none", "mean" or "sum". The mean divides by the sum of the weights of the targets that are not ignored
        or, with probabilities, by the number of targets.
      label_smoothing: from 0 to 1, the share of the target that is spread evenly over all classes.

    Returns:
      A zero-dim tensor, or the shape (N, d1, ...) without reduction.

    Raises:
      IndexError: a class index is out of range and the target is already on the host. Otherwise such an index gives
        NaN.
      RuntimeError: `label_smoothing` is not in [0, 1].
      ValueError: `reduction` is unknown, or the batch sizes differ.

    >>> import torchlike as torch
    >>> round(torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1])).item(), 4)
    0.6931
    """
    try:
        reduction = reduction_of(reduction, size_average, reduce)
        if label_smoothing:
            label_smoothing = _smoothing(label_smoothing)
        if input.shape == target.shape:
            if not hasattr(ignore_index, "__index__"):
                raise _errors.arguments.wrong_type("cross_entropy_loss", "ignore_index", 5, "int", ignore_index)
            if ignore_index >= 0 and target.is_floating_point():
                raise RuntimeError("ignore_index is not supported for floating point target")
            return rows["_cross_entropy_of_probabilities"](input, target, weight, reduction, label_smoothing)
        _check_target_size(input, target)
        made = rows["cross_entropy"](input, target, weight, reduction, ignore_index, label_smoothing)
        _check_target(input, target, ignore_index)
        return made
    except Exception as error:
        raise shortened(error)


def _smoothing(given: Any) -> float:
    """Return the share of the smoothed labels. PyTorch ignores a negative number and NaN."""
    if not isinstance(given, float | int | np.number):
        raise _errors.arguments.wrong_type("cross_entropy_loss", "label_smoothing", 6, "float", given)
    if given > 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {given:g}")
    return float(given) if given > 0 else 0.0


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the negative log-likelihood, -weight[t] input[t] at the target class t, from log-probabilities.

    Args:
      input: (N, C, d1, ...) or (C,), log-probabilities.
      target: (N, d1, ...) or (), int64 class indices.
      weight: (C,), a weight for each class, 1 by default.
      ignore_index: the class index that contributes neither loss nor gradient.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "none", "mean" or "sum". The mean divides by the sum of the weights of targets that are not ignored.

    Returns:
      A zero-dim tensor, or the shape of `target` without reduction.

    Raises:
      IndexError: a class index is out of range and the target is already on the host. Otherwise such an index gives
        NaN.

    >>> import torchlike as torch
    >>> torch.nn.functional.nll_loss(torch.tensor([[-1.0, -3.0]]), torch.tensor([1])).item()
    3.0
    """
    reduction = reduction_of(reduction, size_average, reduce)
    _check_target_size(input, target)
    made = rows["nll_loss"](input, target, weight, reduction, ignore_index)
    _check_target(input, target, ignore_index)
    return made


def _check_target_size(input: Tensor, target: Tensor) -> None:
    if input.ndim == target.ndim == 1 and target.shape[0] != 1 and not target.is_floating_point():
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")


def _check_target(input: Tensor, target: Tensor, ignore_index: int) -> None:
    if not input.ndim:
        return
    classes = input.shape[1 if input.ndim > 1 else 0]

    def check(host: Any) -> None:
        if not isinstance(host, np.ndarray) or host.dtype.kind not in "iu" or host.size > CHECKED_AT_ONCE:
            return
        wrong = (host < 0) | (host >= classes)
        if wrong.any() and (wrong := wrong & (host != ignore_index)).any():
            raise _errors.losses.target_out_of_bounds(int(host[wrong].flat[0]))

    when_at_hand(target._value, check)


# -- differences -------------------------------------------------------------------------------------------------------


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute the squared error (input - target)**2.

    Args:
      input, target: any shapes that broadcast. Different shapes give a warning.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      weight: a factor for each element, of the shape of `input`. The mean divides by the sum of the weights.

    >>> import torchlike as torch
    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])).item()
    2.0
    """
    _warn_sizes(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    return _weighted(lambda r: rows["mse_loss"](input, target, r), input, weight, reduction)


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Compute the absolute error |input - target|.

    Args:
      input, target: any shapes that broadcast. Different shapes give a warning.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      weight: a factor for each element, of the shape of `input`. The mean divides by the sum of the weights.

    >>> import torchlike as torch
    >>> torch.nn.functional.l1_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0])).item()
    1.0
    """
    _warn_sizes(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    return _weighted(lambda r: rows["l1_loss"](input, target, r), input, weight, reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Compute the smooth L1 loss.

    With d = input - target, the loss is 0.5 d**2 / beta where |d| < beta, and |d| - 0.5 beta elsewhere.

    Args:
      input, target: any shapes that broadcast. Different shapes give a warning.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      beta: the largest difference with a quadratic loss. With 0, the loss is that of `l1_loss`.

    Raises:
      RuntimeError: `beta` is negative.

    >>> import torchlike as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([1.0, 3.0]), torch.zeros(2), reduction="none").tolist()
    [0.5, 2.5]
    """
    _warn_sizes(input, target)
    reduction = reduction_of(reduction, size_average, reduce)
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return rows["l1_loss"](input, target, reduction)
    return rows["smooth_l1_loss"](input, target, reduction, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Compute the Huber loss.

    With d = input - target, the loss is 0.5 d**2 where |d| < delta, and delta (|d| - 0.5 delta) elsewhere.

    Args:
      input, target: any shapes that broadcast. Different shapes give a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      delta: the largest difference with a quadratic loss.
      weight: a factor for each element, of the shape of `input`. The mean divides by the sum of the weights.

    Raises:
      RuntimeError: `delta` is not positive.

    >>> import torchlike as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([1.0, 3.0]), torch.zeros(2), delta=2.0, reduction="none").tolist()
    [0.5, 4.0]
    """
    _warn_sizes(input, target)
    if not isinstance(delta, float | int | np.number | Tensor):
        raise _errors.arguments.wrong_type("huber_loss", "delta", 4, "float", delta)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    reduction = reduction_of(reduction)
    return _weighted(lambda r: rows["huber_loss"](input, target, r, delta), input, weight, reduction)


# -- probabilities -----------------------------------------------------------------------------------------------------


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the binary cross entropy, -weight (t log p + (1 - t) log(1 - p)), from probabilities p and targets t.

    Each logarithm is clamped to at least -100.

    Args:
      input: any shape, probabilities from 0 to 1.
      target: the same shape, numbers from 0 to 1.
      weight: a factor for each element; broadcast.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.

    Raises:
      ValueError: the shapes differ.
      RuntimeError: an element of `input` or `target` is not in [0, 1] and is already on the host.

    >>> import torchlike as torch
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise _errors.losses.batch_shape(input.shape, target.shape)
    if target.dtype is input.dtype:  # the operator refuses different dtypes
        for name, given in (("input", input), ("target", target)):
            when_at_hand(given._value, functools.partial(_check_probabilities, name))
    return rows["binary_cross_entropy"](input, target, _narrowed(weight, input), reduction)


def _check_probabilities(name: str, host: Any) -> None:
    if isinstance(host, np.ndarray) and host.size and not ((host >= 0) & (host <= 1)).all():
        raise RuntimeError(f"all elements of {name} should be between 0 and 1")


def _narrowed(weight: Tensor | None, *like: Tensor) -> Tensor | None:
    """Return a weight in the dtype of the loss, which PyTorch multiplies in place."""
    if weight is None or not weight.is_floating_point():
        return weight
    dtype = functools.reduce(_dtypes.promote_types, [each.dtype for each in like])
    wide = dtype.category == weight.dtype.category and dtype.itemsize < weight.dtype.itemsize
    return weight.to(dtype) if wide else weight


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Compute the binary cross entropy of sigmoid(x) and targets t, from logits x.

    The loss is -weight (pos_weight t log sigmoid(x) + (1 - t) log(1 - sigmoid(x))). It does not overflow.

    Args:
      input: any shape, logits.
      target: the same shape, numbers from 0 to 1.
      weight: a factor for each element; broadcast.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      pos_weight: a factor for the first term, usually (C,), one per class; broadcast.

    Raises:
      ValueError: the shapes differ.

    >>> import torchlike as torch
    >>> torch.nn.functional.binary_cross_entropy_with_logits(torch.zeros(1), torch.ones(1))
    tensor(0.6931)
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise _errors.losses.logits_shape(input.shape, target.shape)
    weight, pos_weight = _narrowed(weight, input, target), _narrowed(pos_weight, input, target)
    return rows["binary_cross_entropy_with_logits"](input, target, weight, pos_weight, reduction)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Compute the Kullback-Leibler divergence, target (log target - input), where `input` holds log-probabilities.

    Args:
      input: any shape, log-probabilities.
      target: a shape that broadcasts with `input`, probabilities.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "none", "mean", "sum" or "batchmean", the sum divided by the size of dim 0. The mean over all elements,
        the default, gives a warning.
      log_target: whether `target` holds log-probabilities.

    >>> import torchlike as torch
    >>> p = torch.tensor([[0.5, 0.5]])
    >>> torch.nn.functional.kl_div(p.log(), p, reduction="batchmean").item()
    0.0
    """
    if size_average is None and reduce is None and reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release."
        )
    batchmean = reduction == "batchmean"
    reduction = reduction_of("sum" if batchmean else reduction, size_average, reduce)
    if input.shape != target.shape:
        broadcast_tensors(target, input)  # raises with the sizes in PyTorch's order
    loss = rows["kl_div"](input, target, reduction, log_target)
    return loss / input.shape[0] if batchmean and input.ndim else loss


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compute the negative log-likelihood of targets t under a Poisson distribution.

    The loss is exp(x) - t x or, if `log_input` is False, x - t log(x + eps).

    Args:
      input: any shape, x, the logarithm of the rate or the rate.
      target: a shape that broadcasts with `input`, counts.
      log_input: whether `input` is the logarithm of the rate.
      full: add Stirling's approximation of log t! where t > 1.
      size_average, reduce: deprecated forms of `reduction`. Setting one gives a warning.
      reduction: "mean", "sum", or "none" for one loss per element.
      eps: keeps the logarithm of a rate of 0 finite.

    >>> import torchlike as torch
    >>> torch.nn.functional.poisson_nll_loss(torch.zeros(1), torch.tensor([2.0])).item()
    1.0
    """
    reduction = reduction_of(reduction, size_average, reduce)
    if not log_input and input.shape != target.shape:
        broadcast_tensors(target, input)  # raises with the sizes in PyTorch's order
    return rows["poisson_nll_loss"](input, target, log_input, full, eps, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Compute the negative log-likelihood of targets t under a normal distribution of mean x and variance `var`.

    The loss is 0.5 (log v + (x - t)**2 / v), where v = max(var, eps).

    Args:
      input: any shape, the means.
      target: a shape that broadcasts with `input`.
      var: the variances: a float, or a tensor of the shape of `input`, without its last dim, or with one dim of size 1.
      full: add the constant 0.5 log(2 pi).
      eps: the least variance. The clamp does not affect gradients.
      reduction: "mean", "sum", or "none" for one loss per element.

    Raises:
      ValueError: a variance is negative and is already on the host, the shape of `var` does not fit, or `reduction` is
        unknown.

    >>> import torchlike as torch
    >>> torch.nn.functional.gaussian_nll_loss(torch.zeros(1), torch.tensor([2.0]), torch.ones(1)).item()
    2.0
    """
    spread: Any = var
    if isinstance(var, float):
        if var < 0:
            raise _errors.losses.negative_variance()
        spread = input.detach() * 0 + var
    elif spread.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(spread.shape):
            spread = spread.unsqueeze(-1)
        elif input.ndim != spread.ndim or sum(m for n, m in zip(input.shape, spread.shape) if n != m) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")

    def check(host: Any) -> None:
        if isinstance(host, np.ndarray) and (host < 0).any():
            raise _errors.losses.negative_variance()

    when_at_hand(spread._value, check)
    return rows["gaussian_nll_loss"](input, target, spread, bool(full), eps, reduction)
