"""Margin losses over the classes, from scores of shape (N, C) or (C,)."""

from __future__ import annotations

from torchlike import _dtypes, _errors
from torchlike._dtypes import float32, float64
from torchlike._ops.elementwise.activation import log1p_exp
from torchlike._ops.nn.loss import clamp_below, composed, reduced
from torchlike._ops.schema.autocast_policies import FULL, FULL_ELSEWHERE
from torchlike._ops.schema.checks import EMPTY, REAL_FLOATS
from torchlike._ops.schema.declare import Array, Kept, Real, namespace, operator, pointwise
from torchlike._ops.schema.namespace import refused
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, broadcast


@pointwise(where=(), name="_clamp_below", inplace=False, node="ClampMinBackward0")
def _clamp_below(input: Array):
    """Return max(x, 0), with a gradient of 1 at 0."""
    return clamp_below(input)


def _shape(call: Call) -> list:
    return [tuple(call.input.shape[:-1]) if call.reduction == "none" else ()]


def _check_input(call: Call) -> tuple:
    shape = tuple(call.input.shape)
    if len(shape) > 2 or 0 in shape[-1:]:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    return shape


def _check_classes(call: Call) -> None:
    if call.target.dtype is not _dtypes.int64:
        raise _errors.dtypes.expected_scalar_type(_dtypes.int64, call.target.dtype)


def _check_multi(call: Call) -> None:
    shape, target, weight = _check_input(call), call.target, call.weight
    batch = shape[0] if len(shape) == 2 else 1
    if target.ndim > 1 or target.numel != batch:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
            f"(batch size). Expected target size [{batch}], but got {list(target.shape)}. Input has shape "
            f"{list(shape)}."
        )
    classes = shape[-1] if shape else 1
    if weight is not None and weight.numel != classes:
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    _check_classes(call)
    if weight is not None and weight.dtype is not call.input.dtype:
        raise _errors.dtypes.expected_scalar_type(call.input.dtype, weight.dtype)


def _check_multilabel(call: Call) -> None:
    shape = _check_input(call)
    fits = (
        call.target.shape == shape if len(shape) == 2 else call.target.ndim < 2 and call.target.numel == (*shape, 1)[0]
    )
    if not fits:
        raise RuntimeError(f"inconsistent target size: {list(call.target.shape)} for input of size: {list(shape)}")
    _check_classes(call)


def _vectors(input, target):
    """Return the arguments with 0-dim tensors as vectors of one class."""
    return (input.reshape(1), target.reshape(1)) if not input.ndim else (input, target)


@operator(
    autocast=FULL,
    where=("nn.functional",),
    out=False,
    keeps=("target",),
    shape=_shape,
    check=_check_multi,
    without_gradient={"weight": "multi_margin_loss"},
    loop="multi_margin_loss_cpu_kernel",
    takes=(float32, float64),
)
def multi_margin_loss(
    input: Array,
    target: Array,
    p: float = 1,
    margin: Real = 1.0,
    weight: Array | None = None,
    reduction: str = "mean",
):
    """Compute the multi-class margin loss between scores x and class indices t.

    The loss of a sample is the sum over the other classes i of w[t] max(0, margin - x[t] + x[i])**p, divided by the
    number C of all classes.

    Args:
      input: (N, C) or (C,), scores.
      target: (N,) or (), class indices.
      p: 1 or 2.
      margin: the smallest difference of scores without a loss.
      weight: (C,), a weight for each class.
      reduction: "none", "mean" or "sum".
    """
    (x, target), xp = _vectors(input, target), namespace(input)
    own = xp.expand_dims(target.reshape(x.shape[:-1]), -1) == xp.arange(x.shape[-1], dtype=target.dtype)
    zero = xp.zeros_like(x)
    gap = margin - xp.sum(xp.where(own, x, zero), axis=-1, keepdims=True) + x
    each = xp.where((gap > 0) & ~own, gap if p == 1 else gap * gap, zero)
    if weight is not None:
        each = each * xp.sum(xp.where(own, weight, zero), axis=-1, keepdims=True)
    wrong = ((target < 0) | (target >= x.shape[-1])).reshape(x.shape[:-1])
    return reduced(refused(xp.sum(each, axis=-1), wrong, _errors.losses.margin_target) / x.shape[-1], reduction)


@operator(
    autocast=FULL,
    where=("nn.functional",),
    out=False,
    keeps=("target",),
    shape=_shape,
    check=_check_multilabel,
    loop="multilabel_margin_loss_forward_out_frame",
    takes=(float32, float64, EMPTY),
)
def multilabel_margin_loss(input: Array, target: Array, reduction: str = "mean"):
    """Compute the multi-label margin loss between scores x and sets of target classes.

    The loss of a sample is the sum over its targets t and over the other classes i of max(0, 1 - (x[t] - x[i])),
    divided by the number C of all classes. Other classes are those that are not targets.

    Args:
      input: (N, C) or (C,), scores.
      target: the shape of `input`; the class indices before the first -1 are the targets.
      reduction: "none", "mean" or "sum".
    """
    (x, target), xp = _vectors(input, target), namespace(input)
    target = target.reshape(x.shape)
    listed = xp.cumsum((target < 0).astype("int32"), axis=-1) == 0  # (..., C): True before the first -1
    classes = xp.arange(x.shape[-1], dtype=target.dtype)
    chosen = listed[..., None] & (target[..., None] == classes)  # (..., target, class)
    is_target = xp.any(chosen, axis=-2)
    zero = xp.zeros(chosen.shape, x.dtype)
    at_target = xp.sum(xp.where(chosen, x[..., None, :], zero), axis=-1)
    gap = 1 - at_target[..., :, None] + x[..., None, :]
    counted = listed[..., :, None] & ~is_target[..., None, :] & (gap > 0)
    wrong = xp.any((target < -1) | (target >= x.shape[-1]), axis=-1)
    each = refused(xp.sum(xp.where(counted, gap, zero), axis=(-2, -1)), wrong, _errors.losses.margin_targets)
    return reduced(each / x.shape[-1], reduction)


def _check_soft(call: Call) -> None:
    if call.target.dtype is _dtypes.bool_ and call.input.dtype.is_floating_point:
        raise _errors.arithmetic.bool_minus()
    if call.weight is not None:
        broadcast([call.input.shape, call.weight.shape])


@operator(
    autocast=FULL_ELSEWHERE,
    where=("nn.functional",),
    out=False,
    shape=_shape,
    check=_check_soft,
    remembers=(Kept("input", only_for="input"), Kept("target", only_for="input"), "weight"),
    node=composed("DivBackward0"),
    opmath=False,
    loop="log_sigmoid_cpu",
    takes=REAL_FLOATS,
)
def multilabel_soft_margin_loss(input: Array, target: Array, weight: Array | None = None, reduction: str = "mean"):
    """Compute the binary cross entropy between logits and 0 or 1 for each class, averaged over the classes.

    The loss of a sample is the mean over all classes of w (t log(1 + exp(-x)) + (1 - t) log(1 + exp(x))).

    Args:
      input: (N, C) or (C,), logits x.
      target: the shape of `input`, t of 0 or 1 for each class.
      weight: (C,), a weight for each class.
      reduction: "none", "mean" or "sum".
    """
    step, x, target, weight = stepwise(input, target, weight)
    loss = step(step(target * step(log1p_exp(-x))) + step(step(1 - target) * step(log1p_exp(x))))
    if weight is not None:
        loss = step(loss * weight)
    of_sample = step(step(namespace(loss).sum(loss, axis=-1)) / loss.shape[-1])
    return reduced(of_sample, reduction)
