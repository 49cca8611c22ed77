"""Quantiles, differences, areas, distances between points, search in sorted sequences, and histograms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes.strides import contiguous_strides, normal
from torchlike._engine import Value
from torchlike._engine.trace.batched_values import outermost
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.elementwise.partial_derivatives import between as lerp
from torchlike._ops.reduce.distances import distance
from torchlike._ops.reduce.reduce import root
from torchlike._ops.reduce.sort import ordered
from torchlike._ops.reduce.vector_norm import FLAT_ORDERS, vector_norm
from torchlike._ops.schema import typing_rules
from torchlike._ops.schema.autocast_policies import FULL, FULL_ELSEWHERE, FULL_ON_CPU
from torchlike._ops.schema.checks import CHECKED_AT_ONCE, NUMBERS
from torchlike._ops.schema.declare import (
    EXACT,
    HOST,
    OMITTED,
    ONCE,
    Array,
    Operand,
    Scalar,
    declare,
    namespace,
    operator,
)
from torchlike._ops.schema.namespace import at, fractional, refused, widened
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.typing_rules import (
    Aval,
    Call,
    Typed,
    broadcast,
    reduced_shape,
    through_integers,
    to_real,
    wrap_dim,
)

# -- quantiles ---------------------------------------------------------------------------------------------------------

_BETWEEN = ("linear", "lower", "higher", "midpoint", "nearest")


def _check_quantile(name: str):
    def check(call: Call) -> None:
        if not call.input.numel:
            raise RuntimeError(f"{name}() input tensor must be non-empty")
        if call.input.dtype not in (_dtypes.float32, _dtypes.float64):
            raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
        q = call.q
        if isinstance(q, Aval) and q.ndim > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
        if isinstance(q, Aval) and q.dtype is not call.input.dtype:
            raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
        if call.interpolation not in _BETWEEN:
            raise RuntimeError(
                f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
                f"got {call.interpolation}"
            )

    return check


def _guard_quantile(name: str):
    def guard(input, q, *args, **kwargs) -> None:
        if not (isinstance(q, int | float) or hasattr(q, "aval")):
            return  # the call raises the error
        host = q if isinstance(q, int | float) else outermost(q).peek() if q.aval.ndim < 2 else None
        if host is not None and not np.all((np.asarray(host) >= 0) & (np.asarray(host) <= 1)):
            raise _errors.arithmetic.quantile_range(name, host if isinstance(q, int | float) else None)

    return guard


def _quantile_shape(call: Call) -> list:
    lead = call.q.shape if isinstance(call.q, Aval) else ()
    return [(*lead, *reduced_shape(call.input.shape, call.dim, call.keepdim))]


def _quantiles(x, q, dim, keepdim: bool, between: str, holes: bool):
    xp, shape = namespace(x), reduced_shape(x.shape, dim, keepdim)
    x = x.reshape(-1) if dim is None else xp.moveaxis(x, dim, -1) if x.ndim else x.reshape(1)
    x, _ = ordered(x, -1)
    there = xp.sum(x == x, axis=-1, keepdims=True)  # NaN sorts last
    last = (xp.maximum(there, 1) if holes else xp.asarray(x.shape[-1])) - 1
    place = q.reshape(-1) * last.astype(x.dtype)  # (..., quantiles)
    if not holes:  # with a NaN, every quantile is the last element (NaN), which receives the gradient
        place = xp.where(there < x.shape[-1], last.astype(x.dtype), place)
    low, high = xp.floor(place).astype("int64"), xp.ceil(place).astype("int64")
    if between == "nearest":
        low = high = xp.round(place).astype("int64")
    at = lambda index: xp.take_along_axis(x, xp.broadcast_to(index, (*x.shape[:-1], index.shape[-1])), axis=-1)
    below, above = at(low), at(high)
    if between in ("linear", "midpoint"):
        below = lerp(below, above, place - low if between == "linear" else 0.5)
    out = (above if between == "higher" else below).astype(x.dtype)
    return xp.moveaxis(out, -1, 0).reshape((*q.shape, *shape))


def _quantile_typing(call: Call, promote: Any) -> Typed:
    """Apply the general typing rule. The quantiles are innermost in memory, and are the first dim."""
    typed = typing_rules.general(call, promote)
    (shape,) = [o.shape for o in typed.outputs]
    if isinstance(call.q, Aval) and call.q.ndim:
        *steps, last = contiguous_strides((*shape[1:], shape[0]))
        typed.strides = [normal(tuple(shape), (last, *steps))]
    return typed


_QUANTILE = {
    "remembers": (),
    "shape": _quantile_shape,
    "node": "SqueezeBackward4",
    "chooses": lambda plan: plan.extra.arguments["q"][0] != "array",
}


@declare(
    "operator",
    functools.partial(_quantile_typing, promote=typing_rules.common),
    out=Into(_errors.outs.quantile, called=None),
    autocast=FULL_ON_CPU,
    **_QUANTILE,
    check=_check_quantile("quantile"),
    guard=_guard_quantile("quantile"),
)
def quantile(input: Array, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"):
    """Return the quantiles `q` of the elements along `dim` (default: of all elements).

    The result is NaN if any element is NaN. `q` is a number or a tensor of numbers in [0, 1].

    Args:
      q: a number or a vector of numbers in [0, 1], of the dtype of `input`. A vector adds a first dim to the result.
      dim: the dim to reduce. By default, all elements are used.
      interpolation: "linear", "lower", "higher", "midpoint" or "nearest", for a quantile between two elements.

    >>> torchlike.quantile(torchlike.tensor([1.0, 2.0, 4.0]), 0.5)
    tensor(2.)
    """
    return _quantiles(input, q, dim, keepdim, interpolation, False)


@declare(
    "operator",
    functools.partial(_quantile_typing, promote=typing_rules.common),
    out=Into(_errors.outs.quantile, called=None),
    autocast=FULL_ON_CPU,
    **_QUANTILE,
    check=_check_quantile("nanquantile"),
    guard=_guard_quantile("nanquantile"),
)
def nanquantile(
    input: Array, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
):
    """Return the quantiles `q` of the elements that are not NaN along `dim` (default: of all elements).

    Args:
      q: a number or a vector of numbers in [0, 1], of the dtype of `input`. A vector adds a first dim to the result.
      dim: the dim to reduce. By default, all elements are used.
      interpolation: "linear", "lower", "higher", "midpoint" or "nearest", for a quantile between two elements.
    """
    return _quantiles(input, q, dim, keepdim, interpolation, True)


# -- differences and areas ---------------------------------------------------------------------------------------------


def _diff_shape(call: Call) -> list:
    shape = list(call.input.shape)
    dim = wrap_dim(call.dim, len(shape))
    if call.n:
        shape[dim] = max(0, _length(call) - call.n)
    return [tuple(shape)]


def _length(call: Call) -> int:
    return sum(x.shape[call.dim] for x in (call.prepend, call.input, call.append) if x is not None)


def _check_diff(call: Call) -> None:
    if not call.input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if call.n < 0:
        raise RuntimeError(f"order must be non-negative but got {call.n}")
    dim = wrap_dim(call.dim, call.input.ndim)
    for other in (call.prepend, call.append):
        if other is not None and other.ndim != call.input.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for d, (n, m) in enumerate(zip(other.shape, call.input.shape) if other is not None else ()):
            if n != m and d != dim:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({d}) = {m}, but got tensor.size({d}) = {n}"
                )


@operator(
    out=Into(_errors.dtypes.scalar_type_of_out, called=None),
    shape=_diff_shape,
    check=_check_diff,
    saves=(),
    opmath=False,
    node="SubBackward0",
    loop="add_stub",
)
def diff(input: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None):
    """Return the n-th differences of adjacent elements along `dim`.

    `prepend` and `append` are joined to the input first. The difference of bools is their exclusive or.

    Args:
      n: how often to take differences, at least 0.
      prepend, append: tensors joined to the input at the beginning and at the end of `dim`.

    >>> torchlike.diff(torchlike.tensor([1, 4, 9]))
    tensor([3, 5])
    """
    if not n:
        return input
    xp = namespace(input)
    x = xp.concatenate([x for x in (prepend, input, append) if x is not None], axis=dim)
    for _ in range(n):
        upper, lower = (_cut(x, dim, a, b) for a, b in ((1, None), (None, -1)))
        x = upper ^ lower if x.dtype == bool else upper - lower
    return x


def _cut(x, dim: int, start: int | None, stop: int | None):
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, stop),)]


def _check_areas(call: Call) -> None:
    if any(a.dtype is _dtypes.bool_ for a in call.arrays):
        raise _errors.arithmetic.areas_of_bools(call.op.name, call.x is not None)
    if call.dx is not None and call.x is not None:
        raise _errors.arguments.no_overload(call.op.name, f"Tensor, Tensor, dx={call.dx.__name__}")
    if call.dx in (bool, complex):
        raise RuntimeError(f"{call.op.name}: Currently, we only support dx as a real number.")
    if not call.y.ndim:
        raise _errors.shapes.dim_of_scalar(call.dim)
    length = call.y.shape[wrap_dim(call.dim, call.y.ndim)]
    if call.x is not None and call.x.ndim == 1 and length not in (0, call.x.shape[0]):
        raise RuntimeError(f"{call.op.name}: There must be one `x` value for each sample point")


def _area_shape(call: Call) -> list:
    """Return the shape of the result.

    `trapezoid` removes `dim`, and `cumulative_trapezoid` makes it shorter by 1. If `dim` of `y` has size 0, `trapezoid`
    keeps the dtype of `y`, as in PyTorch.
    """
    shape, dim = list(call.y.shape), wrap_dim(call.dim, call.y.ndim)
    whole = call.op.name == "trapezoid"
    if whole and not shape[dim]:
        del shape[dim]
        return [(tuple(shape), call.y.dtype)]
    shape[dim] = max(shape[dim] - 1, 0)
    if call.x is not None and call.x.ndim > 1:
        steps = [*[1] * (call.y.ndim - call.x.ndim), *call.x.shape]
        steps[dim] = max(steps[dim] - 1, 0)
        shape = list(broadcast([shape, steps]))
    if whole:
        del shape[dim]
    return [tuple(shape)]


_area = functools.partial(
    operator,
    promote=through_integers,
    shape=_area_shape,
    check=_check_areas,
    out=False,
    loop="add_stub",
)


def _area_node(last: str) -> Callable[[Call], str]:
    """Return a function from a call to the name of its gradient node, which is `last` without positions `x`."""
    return lambda call: last if call.x is None else "DivBackward1"


@_area(remembers=(), node=_area_node("MulBackward1"))
def trapezoid(y: Array, x: Array = OMITTED, *, dx: Scalar = OMITTED, dim: int = -1):
    """Return the integral of `y` along `dim` by the trapezoidal rule.

    `x` gives the positions of the points. Without `x`, adjacent points are `dx` apart (default: 1).

    Args:
      y: the values.
      x: the positions of the points. They are broadcast with `y`.
      dx: the distance between points, if `x` is not given. Default: 1.

    >>> torchlike.trapezoid(torchlike.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    xp, dim = namespace(y), dim % y.ndim
    if not y.shape[dim]:
        return xp.sum(y, axis=dim)
    if x is not None or y.shape[dim] < 2:
        return xp.sum(_areas(y, x, dim), axis=dim)
    ends = _cut(y, dim, 0, 1) + _cut(y, dim, y.shape[dim] - 1, None)  # the end points have half weight
    return (xp.sum(fractional(y), axis=dim) - fractional(ends.squeeze(dim)) * 0.5) * (1 if dx is None else dx)


@_area(node=_area_node("CumsumBackward0"))
def cumulative_trapezoid(y: Array, x: Array = OMITTED, *, dx: Scalar = OMITTED, dim: int = -1):
    """Return the cumulative integral of `y` along `dim` by the trapezoidal rule.

    Args:
      y: the values.
      x: the positions of the points. They are broadcast with `y`.
      dx: the distance between points, if `x` is not given. Default: 1.
    """
    dim %= y.ndim
    areas = _areas(y, x, dim)
    return namespace(y).cumsum(areas if dx is None else areas * dx, axis=dim)


def _areas(y, x, dim: int):
    """Return the area under `y` between each two adjacent points. Without `x`, the points are 1 apart."""
    pairs = _cut(y, dim, 1, None) + _cut(y, dim, None, -1)
    if x is None:
        return fractional(pairs) / 2
    if x.ndim == 1:
        x = x.reshape([-1 if d == dim else 1 for d in range(y.ndim)])
    x = x.reshape((1,) * (y.ndim - x.ndim) + x.shape)
    return fractional(pairs * (_cut(x, dim, 1, None) - _cut(x, dim, None, -1))) / 2


# -- distances ---------------------------------------------------------------------------------------------------------

_BY_PRODUCT = 25  # PyTorch computes Euclidean distances of more rows than this with a matrix product


_CDIST_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def _check_cdist(call: Call) -> None:
    a, b = call.x1, call.x2
    if call.compute_mode not in _CDIST_MODES:
        raise ValueError(f"{call.compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", a), ("X2", b)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    for name, x in (("X1", a), ("X2", b)):
        if x.dtype.category != _dtypes.FLOATING:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {scalar_name(x.dtype)}")
    if call.p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if 0 in (*a.shape, *b.shape):
        return
    if a.dtype.itemsize < 4 or (b.dtype.itemsize < 4 and a.dtype is b.dtype):
        raise _errors.dtypes.not_implemented("cdist", a.dtype)
    if a.dtype is not b.dtype:
        differ = _errors.linalg.product_dtypes if _by_product(a, b, call.p, call.compute_mode) else None
        raise (differ or _errors.dtypes.expected_scalar_type)(a.dtype, b.dtype)


def _cdist_shape(call: Call) -> list:
    a, b = call.x1.shape, call.x2.shape
    return [(*broadcast([a[:-2], b[:-2]]), a[-2], b[-2])]


def _cdist_node(call: Call) -> str:
    by_product = _by_product(call.x1, call.x2, call.p, call.compute_mode)
    return "EuclideanDistBackward0" if by_product else "CdistBackward0"


@operator(
    autocast=FULL,
    shape=_cdist_shape,
    check=_check_cdist,
    where=("torch",),
    out=False,
    node=_cdist_node,
    underivable=lambda plan: "_cdist_backward" if plan.node == "CdistBackward0" else "",
    remembers=("inputs", "result"),
    loop="cdist",
)
def cdist(x1: Array, x2: Array, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"):
    """Return the p-norm distance between each row of `x1` and each row of `x2`.

    The shapes are (..., n, k), (..., m, k) -> (..., n, m). The gradient is 0 where two rows are equal.

    Args:
      x1: (..., n, k).
      x2: (..., m, k).
      p: the order of the norm, at least 0.
      compute_mode: "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist":
        whether the 2-norm is computed by a matrix product. If necessary: for more than 25 rows.

    >>> torchlike.cdist(torchlike.tensor([[0.0, 0.0]]), torchlike.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    xp = namespace(x1)
    if not _by_product(x1, x2, p, compute_mode):
        return distance(x1[..., :, None, :] - x2[..., None, :, :], p, ignores_nan=p == math.inf)
    squares = xp.sum(x1 * x1, -1)[..., :, None] + xp.sum(x2 * x2, -1)[..., None, :]
    products = xp.matmul(x1, xp.swapaxes(x2, -1, -2))
    return root(xp.maximum(squares - 2 * products, xp.zeros_like(products)))


def _pdist_shape(call: Call) -> list:
    n = call.input.shape[0]
    return [(n * (n - 1) // 2,)]


@operator(
    shape=_pdist_shape,
    where=(),
    out=False,
    node="PdistBackward0",
    underivable="_pdist_backward",
    remembers=("inputs", "result"),
    loop="pdist",
)
def _pdist(input: Array, p: float = 2.0):
    """Return the p-norm distances of all pairs of rows, in the order (0, 1), (0, 2), ... (n - 2, n - 1)."""
    first, second = np.triu_indices(input.shape[0], 1)
    return distance(input[first] - input[second], p)


def _by_product(a, b, p: float, mode: str) -> bool:
    large = max(a.shape[-2], b.shape[-2]) > _BY_PRODUCT and mode != "donot_use_mm_for_euclid_dist"
    return p == 2 and (large or mode == "use_mm_for_euclid_dist")


def _check_pair(call: Call) -> None:
    broadcast([call.input.shape, call.other.shape])
    bools = [x.dtype is _dtypes.bool_ for x in (call.input, call.other)]
    if any(bools):
        raise _errors.arithmetic.bool_minus_bool() if all(bools) else _errors.arithmetic.bool_minus()
    _errors.linalg.check_norm_dtype_of_input(max(call.input, call.other, key=lambda x: x.dtype.category))


@operator(
    autocast=FULL_ELSEWHERE,
    shape=lambda call: [()],
    check=_check_pair,
    out=False,
    remembers=lambda call: ("inputs", "result", *[ONCE] * (call.p in FLAT_ORDERS)),
    promote=to_real,
    loop="add_stub",
)
def dist(input: Array, other: Array, p: float = 2):
    """Return the p-norm of input - other.

    Args:
      p: the order of the norm.

    >>> torchlike.dist(torchlike.tensor([3.0, 4.0]), torchlike.zeros(2))
    tensor(5.)
    """
    return vector_norm.kernel(input - other, p)


# -- looking up and counting -------------------------------------------------------------------------------------------


def _check_search(call: Call) -> None:
    for a in call.arrays:
        if a.dtype.is_complex:
            raise _errors.dtypes.not_implemented("searchsorted_out_cpu", a.dtype)
    sequence, values = call.sorted_sequence.shape, call.input.shape if isinstance(call.input, Aval) else ()
    if len(sequence) != 1 and (not sequence or not values or sequence[:-1] != values[:-1]):
        raise _errors.arithmetic.sorted_dims(tuple(sequence), tuple(values))


def _search_shape(call: Call) -> list:
    shape = call.input.shape if isinstance(call.input, Aval) else ()
    return [(shape, _dtypes.int32 if call.out_int32 else _dtypes.int64)]


@operator(
    shape=_search_shape,
    check=_check_search,
    opmath=False,
    differentiable=False,
    where=(),
    loop="searchsorted_out_cpu",
    takes=NUMBERS,
)
def searchsorted(sorted_sequence: Array, input: Operand, right: bool, out_int32: bool):
    """Return the index at which to insert each element of `input` so that the sequence stays sorted.

    An element goes before equal elements of the sequence or, if `right`, after them.
    """
    side = "right" if right else "left"
    if namespace(sorted_sequence) is not np:
        return _bisected(sorted_sequence, jnp.asarray(input), right)
    sorted_sequence, input = widened(sorted_sequence), widened(np.asarray(input))  # NumPy does not order other NaN
    if (sorted_sequence != sorted_sequence).any():
        return _bisected(sorted_sequence, input, right)
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, input, side=side)
    rows = [x.reshape(-1, x.shape[-1]) for x in (sorted_sequence, input)]
    return np.reshape([np.searchsorted(s, v, side=side) for s, v in zip(*rows)], input.shape)


def _bisected(sequence, values, right: bool):
    """Return the result of `searchsorted` by bisection.

    A comparison with NaN is false, as in PyTorch. If the sequence contains NaN, the result depends on the elements that
    the bisection visits.
    """
    xp, last = namespace(sequence), sequence.shape[-1] - 1

    def halve(bounds: tuple) -> tuple:
        low, high = bounds
        middle = (low + high) // 2
        place = xp.minimum(middle, last)
        probe = sequence[place] if sequence.ndim == 1 else xp.take_along_axis(sequence, place, -1)
        above = probe > values if right else probe >= values
        move = (low < high) & ~above
        return xp.where(move, middle + 1, low), xp.where(above, middle, high)

    bounds = xp.zeros(values.shape, "int64"), xp.full(values.shape, sequence.shape[-1], "int64")
    if not sequence.size or not values.size:
        return bounds[0]
    is_open = lambda bounds: (bounds[0] < bounds[1]).any()
    if xp is not np:
        return jax.lax.while_loop(is_open, halve, bounds)[0]
    while is_open(bounds):
        bounds = halve(bounds)
    return bounds[0]


@operator(
    host=HOST,
    shape=lambda call: [((call.length,), _dtypes.int64)],
    opmath=False,
    differentiable=False,
    where=(),
    promote=None,
)
def _counts(input: Array, length: int):
    """Return the number of occurrences of each integer from 0 to `length - 1`."""
    xp = namespace(input)
    return np.bincount(input, minlength=length) if xp is np else jnp.bincount(input, length=length)


@operator(
    shape=lambda call: [((call.length,), call.weights.dtype)],
    opmath=False,
    differentiable=False,
    where=(),
    keeps=("input",),
)
def _weighted_counts(input: Array, weights: Array, length: int):
    """Return the sum of the weights at the occurrences of each integer from 0 to `length - 1`."""
    return at(namespace(weights).zeros(length, weights.dtype), input).add(weights)


def _check_histc(call: Call) -> None:
    low, high = call.min, call.max
    if not call.input.dtype.is_floating_point:
        raise _errors.dtypes.not_implemented("histogram_cpu", call.input.dtype)
    if call.bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {call.bins} for dimension 0")
    if not (low <= high and abs(low) != float("inf") and abs(high) != float("inf")):
        raise _errors.arithmetic.histogram_range(low, high)


def _bounded(input: Any = None, bins: int = 100, min: float = 0, max: float = 0) -> None:
    """Guard: raise if `histc` takes its range from the data, and concrete data do not have a finite range."""
    host = outermost(input).peek() if isinstance(input, Value) else None
    if min == max and isinstance(host, np.ndarray) and host.dtype.kind == "f" and 0 < host.size <= CHECKED_AT_ONCE:
        low, high = host.min(), host.max()
        if not np.isfinite(high - low):
            raise _errors.arithmetic.histogram_range(low, high)


@operator(
    out=Into(_errors.outs.counted, called="aten::"),
    shape=lambda call: [(call.bins,)],
    differentiable=False,
    check=_check_histc,
    guard=_bounded,
    opmath=False,
    loop="aminmax_cpu",
)
def histc(input: Array, bins: int = 100, min: float = 0, max: float = 0):
    """Return the number of elements in each of `bins` equal intervals from `min` to `max`.

    If `min` equals `max`, the range is that of the data.

    Args:
      bins: the number of intervals.
      min, max: the lower and the upper bound. Elements outside of them do not count.

    >>> torchlike.histc(torchlike.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    xp = namespace(input)
    x = input.reshape(-1)
    low, high = (xp.asarray(b).astype(x.dtype) for b in (min, max))
    if min == max and x.size:
        low, high = xp.min(x), xp.max(x)
    ends, flat = (low, high), low == high
    low, high = xp.where(flat, low - 1, low), xp.where(flat, high + 1, high)
    # Each step is rounded, as in PyTorch. In half precision this affects the bin of an element.
    inside = (x >= low) & (x <= high)
    place = xp.floor((x - low) * xp.asarray(bins).astype(x.dtype) / (high - low))
    place = xp.clip(xp.where(inside, place, 0), 0, bins - 1).astype("int64")
    found = at(xp.zeros(bins, x.dtype), place).add(inside.astype(x.dtype))
    return refused(found, ~xp.isfinite(ends[1] - ends[0]), lambda: _errors.arithmetic.histogram_range(*ends))


_NOT_SEARCHED = {bool: _dtypes.bool_, complex: _dtypes.complex128}  # classes of numbers that `isin` refuses


def _check_isin(call: Call) -> None:
    for x in (call.elements, call.test_elements):
        dtype = x.dtype if isinstance(x, Aval) else _NOT_SEARCHED.get(x if isinstance(x, type) else type(x))
        if dtype is not None and (dtype is _dtypes.bool_ or dtype.is_complex):
            raise RuntimeError(f"Unsupported input type encountered for isin(): {scalar_name(dtype)}")


@operator(
    shape=lambda call: [(call.elements.shape if isinstance(call.elements, Aval) else (), _dtypes.bool_)],
    check=_check_isin,
    opmath=False,
    differentiable=False,
    where=("torch",),
    out=EXACT,
    loop="isin_default_cpu",
)
def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False):
    """Return whether each element is among the test elements or, if `invert`, whether it is not.

    Args:
      elements: the elements to look up.
      test_elements: the elements of the set.
      assume_unique: has no effect on the result. Both operands have no duplicates.
      invert: return the negation.

    >>> torchlike.isin(torchlike.tensor([1, 2, 3]), torchlike.tensor([2, 5]))
    tensor([False,  True, False])
    """
    xp = namespace(elements)
    return xp.isin(elements, xp.asarray(test_elements).reshape(-1), invert=invert)
