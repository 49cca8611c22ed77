"""Similarities and distances of vectors, and losses that are based on them."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._ops.nn.loss import clamp_below, composed, reduced
from torchlike._ops.nn.norm import vector_norm
from torchlike._ops.schema.autocast_policies import FULL, FULL_ELSEWHERE
from torchlike._ops.schema.declare import Array, Real, constant, each_for_itself, namespace, operator
from torchlike._ops.schema.namespace import fractional
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, Promotion, broadcast, reduced_shape, result_type, through_integers


def _similarity_shape(call: Call) -> list:
    return [reduced_shape(broadcast([call.x1.shape, call.x2.shape]), call.dim, False)]


def _check_minus(call: Call) -> None:
    bools = [x.dtype is _dtypes.bool_ for x in call.arrays[:2]]
    if any(bools):
        raise _errors.arithmetic.bool_minus_bool() if all(bools) else _errors.arithmetic.bool_minus()


def _check_floating(call: Call) -> None:
    dtype = result_type(call.promoted, call.numbers)
    if dtype.category != _dtypes.FLOATING:
        raise _errors.normalization.cosine_dtype(dtype)


def _check_eps(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> None:
    if isinstance(eps, float | int) and not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")


@operator(
    autocast=FULL_ELSEWHERE,
    where=("torch", "nn.functional"),
    shape=_similarity_shape,
    check=_check_floating,
    guard=_check_eps,
    out=False,
    node="SumBackward1",
    opmath=False,
    remembers=each_for_itself("x1", "x2"),
    loop="norm_cpu",
)
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: Real = 1e-8):
    """Return the cosine similarity x1 . x2 / (|x1| |x2|) along a dim.

    Args:
      x1: any shape.
      x2: a shape that broadcasts with that of `x1`.
      dim: the dim of the vectors.
      eps: the smallest norm; smaller norms are replaced by it.

    >>> torchlike.cosine_similarity(torchlike.tensor([[1.0, 0.0]]), torchlike.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    (step, *pair), xp = stepwise(x1, x2), namespace(x1)
    x1, x2 = xp.broadcast_arrays(*pair)
    product = step(_unit(x1, dim, eps, step) * _unit(x2, dim, eps, step))
    return xp.sum(product, axis=dim) if product.ndim else product


def _unit(x, dim: int, eps, step):
    norm = step(vector_norm(x, 2, dim, keepdims=True))
    # A norm that is replaced by eps keeps the gradient of the norm itself.
    return step(x / step(namespace(x).where(norm < eps, eps + (norm - constant(norm)), norm)))


def _to_real(dtype: _dtypes.dtype) -> Promotion:
    """Return the compute and result dtypes of a distance. The result is real, and floating-point even for integers."""
    compute, result = through_integers(dtype)
    return compute, result.to_real()


def _distance_shape(call: Call) -> list:
    shape = broadcast([call.x1.shape, call.x2.shape])
    return [reduced_shape(shape, -1, call.keepdim)]


@operator(
    autocast=FULL_ELSEWHERE,
    where=("torch", "nn.functional"),
    shape=_distance_shape,
    out=False,
    check=_check_minus,
    node="NormBackward1",
    remembers=(),
    promote=_to_real,
    loop="add_stub",
)
def pairwise_distance(x1: Array, x2: Array, p: float = 2.0, eps: Real = 1e-6, keepdim: bool = False):
    """Return the p-norm of x1 - x2 + eps over the last dim.

    Args:
      x1: (..., k).
      x2: a shape that broadcasts with that of `x1`.
      p: the exponent of the norm.
      eps: a small number that is added to each difference, to avoid a norm of 0.
      keepdim: whether to keep the last dim with size 1.
    """
    return vector_norm(fractional(x1 - x2) + eps, p, -1, keepdims=keepdim)


def _rows(call: Call) -> list:
    shape = broadcast([call.arrays[0].shape, call.arrays[1].shape])
    return [tuple(shape[:-1]) if call.reduction == "none" else ()]


def _cosine_shape(call: Call) -> list:
    rows = broadcast([call.input1.shape, call.input2.shape])[:-1]
    shape = broadcast([call.target.shape, rows])
    return [shape if call.reduction == "none" else ()]


def _check_cosine(call: Call) -> None:
    broadcast([call.input1.shape, call.input2.shape])
    if call.target.ndim > 1:
        raise _errors.losses.multi_target()
    if not call.input1.ndim == call.input2.ndim == call.target.ndim + 1:
        raise _errors.losses.cosine_dims(call.target.ndim, call.input1.shape, call.input2.shape)
    if result_type(call.promoted, []).is_complex:
        raise _errors.arithmetic.clamped_complex()


@operator(
    autocast=FULL,
    where=("nn.functional",),
    out=False,
    shape=_cosine_shape,
    keeps=("target",),
    check=_check_cosine,
    promote=through_integers,
    node=composed("AddBackward0"),
    loop="sum_cpu",
)
def cosine_embedding_loss(input1: Array, input2: Array, target: Array, margin: Real = 0.0, reduction: str = "mean"):
    """Compute a loss from the cosine similarity of two vectors.

    The loss is 1 - cos where the target is 1, and max(0, cos - margin) where it is -1.

    Args:
      input1: (N, k) or (k,).
      input2: a shape that broadcasts with that of `input1`.
      target: (N,) or (), 1 or -1.
      margin: the largest similarity without a loss where the target is -1.
      reduction: "none", "mean" or "sum".
    """
    xp, axis = namespace(input1), input1.ndim - 1
    square = lambda x: xp.sum(fractional(x * x), axis=axis) + 1e-12
    cosine = xp.sum(fractional(input1 * input2), axis=axis) / xp.sqrt(square(input1) * square(input2))
    zero = xp.zeros_like(cosine)
    near, far = xp.where(target == 1, 1 - cosine, zero), xp.where(target == -1, clamp_below(cosine - margin), zero)
    return reduced(near + far, reduction)


def _check_triplet(call: Call) -> None:
    anchor, positive, negative = (x.shape for x in call.arrays)
    if any(x.dtype is _dtypes.bool_ for x in call.arrays):
        raise _errors.arithmetic.bool_minus()
    if not len(anchor) == len(positive) == len(negative):
        raise _errors.losses.triplet_dims(len(anchor), len(positive), len(negative))
    broadcast([anchor, positive])
    broadcast([anchor, negative])


@operator(
    autocast=FULL,
    where=("nn.functional",),
    out=False,
    shape=_rows,
    node=composed("ClampMinBackward0"),
    remembers=(),
    check=_check_triplet,
    promote=_to_real,
    loop="add_stub",
)
def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    margin: Real = 1.0,
    p: float = 2.0,
    eps: Real = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
):
    """Compute max(0, margin + |anchor - positive| - |anchor - negative|), in the p-norm over the last dim.

    With `swap`, the smaller of |anchor - negative| and |positive - negative| replaces the second distance.

    Args:
      anchor, positive, negative: (N, k) or (k,). They are broadcast.
      margin: the smallest difference of the distances without a loss.
      p: the order of the norm.
      eps: a small number that is added to the differences.
      swap: use the smaller of both distances to `negative`.
      reduction: "none", "mean" or "sum".
    """
    xp = namespace(anchor)
    near = vector_norm(fractional(anchor - positive) + eps, p, -1)
    far = vector_norm(fractional(anchor - negative) + eps, p, -1)
    if swap:
        far = xp.minimum(far, vector_norm(fractional(positive - negative) + eps, p, -1))
    return reduced(clamp_below(margin + near - far), reduction)
