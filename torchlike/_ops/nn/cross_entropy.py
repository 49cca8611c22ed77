"""Classification losses. Classes are dim 1 of (N, C, d1, ...), or dim 0 of (C,).

The entry of the target class is selected by a comparison of the target with 0 to C - 1, not by a gather. The loss and
its gradient are therefore each computed in one fused pass over the logits. A class out of range gives NaN, or an error
if NumPy runs the operator.
"""

from __future__ import annotations

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._errors.shapes import dim_out_of_range
from torchlike._ops.nn.loss import reduced
from torchlike._ops.schema.autocast_policies import FULL
from torchlike._ops.schema.checks import REAL_FLOATS
from torchlike._ops.schema.declare import Array, Index, Scalar, constant, namespace, operator
from torchlike._ops.schema.namespace import refused
from torchlike._ops.schema.node_names import Nodes
from torchlike._ops.schema.rounding import stepwise, total_in_cascade, unchanged
from torchlike._ops.schema.typing_rules import Call


def class_axis(x) -> int:
    """Return the dim of the classes."""
    return 1 if x.ndim > 1 else 0


def by_class(weight, x):
    """Reshape a weight per class so that it broadcasts over `x`."""
    shape = [1] * x.ndim
    shape[class_axis(x)] = -1
    return weight.reshape(shape)


def _is_class(x, target):
    """Return a mask of shape (N, C, d1, ...), True at the class of each target."""
    axis = class_axis(x)
    classes = by_class(namespace(x).arange(x.shape[axis], dtype=target.dtype), x)
    return namespace(x).expand_dims(target, axis) == classes


def log_sum_exp(x, axis: int, step=unchanged):
    """Return log(sum(exp(x))) over `axis`, and the shift that was subtracted from `x` first.

    PyTorch rounds the sum and its logarithm to the dtype of `x` if `axis` is the last dim. `step` applies that
    rounding.
    """
    xp, step = namespace(x), step if axis == x.ndim - 1 else unchanged
    shift = constant(xp.max(x, axis=axis, keepdims=True))
    return step(xp.log(step(xp.sum(xp.exp(x - shift), axis=axis)))), shift


def reduce_weighted(loss, weights, reduction: str, step=unchanged):
    """Reduce losses that are already multiplied by `weights`; the mean divides by the sum of the weights."""
    if reduction == "none":
        return loss
    total = total_in_cascade(loss, step)
    return total if reduction == "sum" else total / total_in_cascade(weights, step)


def _pick(x, target, weight, ignore_index):
    """Return the entry of `x` for each target, its weight (0 if ignored), and whether the target is not ignored."""
    xp, axis = namespace(x), class_axis(x)
    hit = _is_class(x, target)
    entry = xp.sum(xp.where(hit, x, xp.zeros_like(x)), axis=axis)
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= x.shape[axis]))
    entry = refused(entry, wrong, lambda: _errors.losses.target_out_of_bounds(int(target[wrong].flat[0])))
    if weight is None:
        return entry, counts.astype(x.dtype), counts
    picked = xp.sum(xp.where(hit, by_class(weight, x), xp.zeros_like(x)), axis=axis)
    return entry, xp.where(counts, picked, xp.zeros_like(picked)), counts


def _shape(call: Call) -> list:
    shape = list(call.input.shape)
    del shape[1 if len(shape) > 1 else 0]
    return [tuple(shape) if call.reduction == "none" else ()]


def check_classes(call: Call) -> None:
    """Raise PyTorch's errors for wrong shapes or dtypes of a loss with class indices."""
    x, target, weight = call.input, call.target, call.weight
    if x.ndim < 1:
        raise dim_out_of_range(1, 1) if call.op.name == "cross_entropy" else _errors.losses.class_input_dims(x.ndim)
    if x.ndim > 1 and target.ndim and x.shape[0] != target.shape[0]:
        raise _errors.losses.batch_sizes(x.shape[0], target.shape[0])
    rest = tuple(x.shape[:1]) + tuple(x.shape[2:]) if x.ndim > 1 else ()
    if x.dtype.category != _dtypes.FLOATING:
        raise _errors.dtypes.not_implemented(_KERNELS.get((call.op.name, x.ndim <= 2), "nll_loss_out_frame"), x.dtype)
    if x.ndim <= 2 and target.ndim > 1:
        raise _errors.losses.multi_target()
    if tuple(target.shape) != rest and not (x.ndim == 1 and tuple(target.shape) == (1,)):
        raise RuntimeError(f"Expected target size {list(rest)}, got {list(target.shape)}")
    if target.dtype.name not in ("int64", "uint8"):
        raise _errors.losses.target_dtype(target.dtype)
    classes = x.shape[1 if x.ndim > 1 else 0]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise _errors.losses.class_weights(classes, weight.shape)
    if weight is not None and weight.dtype is not x.dtype:
        raise _errors.dtypes.expected_scalar_type(x.dtype, weight.dtype)


def _node(call: Call) -> str:
    if call.label_smoothing:
        return "AddBackward0"
    logs = Nodes("LogSoftmaxBackward0", "input")
    return Nodes(_picking_node(call), Nodes("ViewBackward0", logs) if call.input.ndim == 3 else logs, passes=True)


def _picking_node(call: Call) -> str:
    return "NllLoss2DBackward0" if call.input.ndim > 2 else "NllLossBackward0"


def _picking(ndim: int) -> str:
    return "nll_loss2d_forward" if ndim > 2 else "nll_loss_forward"


_KERNELS = {
    ("cross_entropy", True): "log_softmax_lastdim_kernel_impl",
    ("cross_entropy", False): "log_softmax_kernel_impl",
}


@operator(
    autocast=FULL,
    where=(),
    out=False,
    keeps=("target",),
    shape=_shape,
    check=check_classes,
    node=_picking_node,
    edges=("input",),
    vanishing=("input",),
    without_gradient={"weight": _picking},
    name="nll_loss",
    in_errors="nll_loss_nd",
    loop="nll_loss_out_frame",
    opmath=False,
    takes=REAL_FLOATS,
)
def nll_loss(
    input: Array, target: Array, weight: Array | None = None, reduction: str = "mean", ignore_index: Index = -100
):
    """Compute the negative log-likelihood loss, -w[t] x[t], from log-probabilities x and class indices t.

    Args:
      input: (N, C, d1, ...) or (C,), log-probabilities.
      target: (N, d1, ...) or (), class indices.
      weight: (C,), a weight for each class.
      ignore_index: the target value that contributes neither loss nor gradient.
      reduction: "none", "mean" or "sum". The mean divides by the sum of the weights of the targets that are not
        ignored.
    """
    (step, x, weight), target = stepwise(input, weight), _aligned(input, target)
    entry, weights, counts = _pick(x, target, weight, ignore_index)
    loss = step(namespace(x).where(counts, -entry * weights, namespace(x).zeros_like(entry)))
    return reduce_weighted(loss, weights, reduction, step)


def _aligned(x, target):
    """Return the target as int64. The target of a single logit vector, of shape () or (1,), is reshaped to ()."""
    target = target.reshape(()) if x.ndim == 1 else target
    return target.astype(np.int64) if target.dtype == np.uint8 else target


@operator(
    autocast=FULL,
    remembers=("target", "weight"),
    where=(),
    out=False,
    keeps=("target",),
    shape=_shape,
    check=check_classes,
    node=_node,
    edges=("input",),
    special={"label_smoothing": (0.0,)},
    name="cross_entropy",
    in_errors="cross_entropy_loss",
    without_gradient={"weight": _picking},
    opmath=False,
)
def cross_entropy(
    input: Array,
    target: Array,
    weight: Array | None = None,
    reduction: str = "mean",
    ignore_index: Index = -100,
    label_smoothing: Scalar = 0.0,
):
    """Compute the cross entropy, -w[t] log softmax(x)[t], from logits x and class indices t.

    With a label smoothing of s, the target distribution gives s / C to every class, and a further 1 - s to the target
    class.

    Args:
      input: (N, C, d1, ...) or (C,), logits.
      target: (N, d1, ...) or (), class indices.
      weight: (C,), a weight for each class.
      ignore_index: the target value that contributes neither loss nor gradient.
      reduction: "none", "mean" or "sum". The mean divides by the sum of the weights of the targets that are not
        ignored.
      label_smoothing: s, from 0 to 1.
    """
    (step, x, weight), target = stepwise(input, weight), _aligned(input, target)
    xp, axis = namespace(x), class_axis(x)
    log_sum, shift = log_sum_exp(x, axis, step)
    entry, weights, counts = _pick(x, target, weight, ignore_index)
    zero = xp.zeros_like(log_sum)
    loss = step(xp.where(counts, step(log_sum - (entry - xp.squeeze(shift, axis))) * weights, zero))
    if isinstance(label_smoothing, int | float) and label_smoothing == 0:
        return reduce_weighted(loss, weights, reduction, step)
    log_p = (x - shift) - xp.expand_dims(log_sum, axis)
    spread = -xp.sum(log_p if weight is None else log_p * by_class(weight, x), axis=axis)
    share = label_smoothing / x.shape[axis]
    mixed = loss * (1 - label_smoothing) + xp.where(counts, spread, zero) * share
    return reduce_weighted(mixed, weights, reduction)


def _check_probabilities(call: Call) -> None:
    x, target, weight = call.input, call.target, call.weight
    if target.dtype.category != _dtypes.FLOATING:
        raise _errors.losses.probabilities_dtype(target.dtype)
    if x.dtype.category != _dtypes.FLOATING:
        raise _errors.dtypes.not_implemented(_KERNELS["cross_entropy", x.ndim <= 2], x.dtype)
    classes = x.shape[1 if x.ndim > 1 else 0]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise _errors.losses.class_weights(classes, weight.shape)


@operator(
    autocast=FULL,
    where=(),
    out=False,
    shape=_shape,
    check=_check_probabilities,
    node=lambda call: "DivBackward1" if call.reduction == "mean" else "NegBackward0",
    special={"label_smoothing": (0.0,)},
    name="_cross_entropy_of_probabilities",
    in_errors="cross_entropy_loss",
)
def _cross_entropy_of_probabilities(
    input: Array, target: Array, weight: Array | None = None, reduction: str = "mean", label_smoothing: Scalar = 0.0
):
    """Compute the cross entropy, -(sum over classes of w p log softmax(x)), from logits x and class probabilities p.

    The mean divides by the number of samples, not by the sum of the weights.
    """
    xp, axis = namespace(input), class_axis(input)
    if not (isinstance(label_smoothing, int | float) and label_smoothing == 0):
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
    log_sum, shift = log_sum_exp(input, axis)
    log_p = (input - shift) - xp.expand_dims(log_sum, axis)
    loss = -xp.sum(log_p * target if weight is None else log_p * target * by_class(weight, input), axis=axis)
    return reduced(loss, reduction)
