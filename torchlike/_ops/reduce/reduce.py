"""Reductions: many elements become one."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._engine.interpreter.sums import total as numpy_total
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema.casts import FULL, FULL_ELSEWHERE
from torchlike._ops.schema.checks import not_complex
from torchlike._ops.schema.declare import EXACT, HOST_REDUCES, Array, Into, constant, namespace, operator, reduction
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.node_names import by_dim
from torchlike._ops.schema.out_rules import CASTABLE, COMPUTES
from torchlike._ops.schema.typing_rules import Call, reduced_dims, reduced_shape, sum_like, to_float, to_int64, to_real

Dims = tuple | int | None
_INT32_MAX = 2**31 - 1
_LARGE = 1 << 16  # elements from which NumPy is helped


def axes(input: Array, dim: Any) -> tuple[int, ...]:
    """NumPy's axis argument for a `dim` argument."""
    return reduced_dims(input.ndim, dim)


def count(input: Array, dim: object) -> int:
    """How many elements go into each result."""
    return math.prod(input.shape[d] for d in axes(input, dim))


# -- sums --------------------------------------------------------------------------------------------------------------


@reduction(out=COMPUTES, autocast=FULL_ELSEWHERE, host=HOST_REDUCES, promote=sum_like, saves=(), node=by_dim("Sum"))
def sum(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """The sum over `dim` (every dim by default); integers are summed in int64."""
    return _total(input, axes(input, dim), keepdim)


def _mean_into(input: Any, dim: Any = None, *_: Any) -> Into:
    return Into(cast=_errors.outs.mean if dim is None else CASTABLE.cast, overloads=dim is None)


@reduction(
    out=_mean_into,
    host=HOST_REDUCES,
    saves=(),
    check=_errors.arithmetic.check_mean,
    node=by_dim("Mean"),
    loop="sum_cpu",
)
def mean(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """The mean over `dim` (every dim by default); of floating-point or complex tensors."""
    return _total(input, axes(input, dim), keepdim) / _divisor(input, dim)


def _total(x, over: tuple[int, ...], keepdim: bool):
    xp = namespace(x)
    return numpy_total(x, over, keepdim) if xp is np else xp.sum(x, axis=over, keepdims=keepdim)


def _divisor(input: Array, dim: object):
    # A true zero of the array's dtype: nothing divided by nothing is NaN, not an error.
    return namespace(input).asarray(count(input, dim)).astype(input.dtype)


@reduction(
    out=COMPUTES,
    autocast=FULL,
    host=HOST_REDUCES,
    remembers=("all", "result", "result.unsqueezed"),
    promote=sum_like,
    node=by_dim("Prod"),
    loop="prod_out_cpu",
)
def prod(input: Array, dim: int | None = None, keepdim: bool = False, *, dtype=None):
    """The product over `dim` (every dim by default); integers are multiplied in int64."""
    xp = namespace(input)
    if not input.ndim:  # its gradient is the one that comes
        return input
    if xp is jnp and input.dtype.kind in "fV" and input.size:
        input = _factors(input)
    over = axes(input, dim)
    if xp is np and is_row(input, over):
        found = _product(input.reshape(1, -1) if len(over) == input.ndim else input)
        return found.reshape(reduced_shape(input.shape, dim, keepdim))
    return xp.prod(input, axis=over, keepdims=keepdim)


def is_row(x: np.ndarray, over: tuple[int, ...]) -> bool:
    """Whether a large array is reduced along rows that lie together in memory."""
    return x.size >= _LARGE and x.ndim > 0 and (len(over) == x.ndim or over == (x.ndim - 1,))


def _product(x: np.ndarray) -> np.ndarray:
    """The product along the last axis, in lanes: NumPy multiplies rows by vectors, but the numbers of a row singly."""
    lanes = 256
    whole = x.shape[-1] // lanes * lanes
    found = x[..., :whole].reshape(*x.shape[:-1], -1, lanes).prod(-2).prod(-1)
    return found * x[..., whole:].prod(-1)


@jax.custom_jvp
def _factors(x):
    """x. PyTorch divides the product by a factor for its gradient: of an infinite one it is NaN."""
    return x


@_factors.defjvp
def _factors_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    divided = jnp.all(x != 0)  # else it multiplies the others
    return x, dx * jnp.where(divided & jnp.isinf(x), jnp.asarray(jnp.nan, x.dtype), jnp.asarray(1, x.dtype))


def _check_nansum(call: Call) -> None:
    if call.input.dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")


_PRESENT = Into(computes=True, called="nansum", first=_errors.outs.no_loop("nansum_cpu"))


def _nansum_into(input: Any, *_: Any) -> Into:
    return _PRESENT if input.dtype.category >= _dtypes.FLOATING else COMPUTES


def _present(x):
    xp = namespace(x)
    return x if x.dtype.kind in "iu" else xp.where(xp.isnan(x), xp.zeros_like(x), x)


@reduction(out=_nansum_into, host=HOST_REDUCES, promote=sum_like, check=_check_nansum, chooses=True)
def nansum(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """The sum of the elements that are not NaN."""
    if namespace(input) is np:  # most often there is none
        total = np.sum(input, axis=axes(input, dim), keepdims=keepdim)
        if (total == total).all():
            return total
    return namespace(input).sum(_present(input), axis=axes(input, dim), keepdims=keepdim)


def _check_nanmean(call: Call) -> None:
    if call.input.dtype.category < _dtypes.FLOATING:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {scalar_name(call.input.dtype)}"
        )
    _check_nansum(call)


@reduction(out=_PRESENT, check=_check_nanmean, chooses=True, node="DivBackward0", loop="nansum_cpu")
def nanmean(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """The mean of the elements that are not NaN."""
    xp, over = namespace(input), axes(input, dim)
    there = xp.sum((input == input).astype(input.dtype), axis=over, keepdims=keepdim)
    found = xp.sum(_present(input), axis=over, keepdims=keepdim) / there
    if xp is np:
        return found
    of_none = xp.where(there == 0, xp.nan, 0)  # the gradient of a mean of nothing is NaN, as PyTorch's is
    return xp.where(there == 0, xp.sum(input, axis=over, keepdims=keepdim) * of_none, found)


def _counted(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    return dtype, _dtypes.int64


@reduction(host=HOST_REDUCES, promote=_counted, opmath=False, differentiable=False, out=False, loop="nonzero_count_cpu")
def count_nonzero(input: Array, dim: Dims = None):
    """How many elements are not zero."""
    xp, over = namespace(input), axes(input, dim)
    if xp is np and len(over) < input.ndim:
        return (input != 0).sum(over)
    return xp.count_nonzero(input, axis=over if xp is jnp else None)


# -- hashes ------------------------------------------------------------------------------------------------------------


def _check_hash(call: Call) -> None:
    if call.mode:
        raise RuntimeError(f"Unknown hash_tensor mode: {call.mode}")
    _errors.arithmetic.check_extreme("hash_tensor", call)
    not_complex("xor_sum_cpu")(call)


@reduction(
    promote=lambda dtype: (dtype, _dtypes.uint64),
    opmath=False,
    differentiable=False,
    check=_check_hash,
    out=Into(_errors.outs.hashed),
)
def hash_tensor(input: Array, dim: Dims = None, *, keepdim: bool = False, mode: int = 0):
    """The elements' bits (as 64-bit numbers, whole ones or floating-point) joined by exclusive or, in uint64."""
    xp, over = namespace(input), axes(input, dim)
    wide = input.astype("int64" if input.dtype.kind in "biu" else "float64")
    bits = wide.view("uint64") if xp is np else jax.lax.bitcast_convert_type(wide, jnp.uint64)
    if xp is np:
        return np.bitwise_xor.reduce(bits, axis=over, keepdims=keepdim)
    made = jax.lax.reduce(bits, np.uint64(0), jax.lax.bitwise_xor, over)
    return jnp.expand_dims(made, over) if keepdim else made


# -- logic -------------------------------------------------------------------------------------------------------------


def _truth(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    # The one integer type for which PyTorch kept the dtype, from before it had bools.
    return dtype, _dtypes.uint8 if dtype is _dtypes.uint8 else _dtypes.bool_


@reduction(
    out=Into(_errors.outs.truth("any"), overloads=True),
    host=HOST_REDUCES,
    promote=_truth,
    opmath=False,
    differentiable=False,
    float8=FLOAT8,
)
def any(input: Array, dim: Dims = None, keepdim: bool = False):
    """Whether any element is nonzero."""
    return namespace(input).any(input != 0, axis=axes(input, dim), keepdims=keepdim)


@reduction(
    out=Into(_errors.outs.truth("all"), overloads=True),
    host=HOST_REDUCES,
    promote=_truth,
    opmath=False,
    differentiable=False,
    float8=FLOAT8,
)
def all(input: Array, dim: Dims = None, keepdim: bool = False):
    """Whether every element is nonzero."""
    return namespace(input).all(input != 0, axis=axes(input, dim), keepdims=keepdim)


# -- extremes ----------------------------------------------------------------------------------------------------------


def _extreme_check(name: str, kernel: str):
    refuse_complex = not_complex(kernel)

    def check(call: Call) -> None:
        _errors.arithmetic.check_extreme(name, call)
        if call.input.numel:
            refuse_complex(call)

    return check


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def evenly(x: Array, select: Callable, over: tuple, nan: bool):
    """`select(x)`, an element for each slice (dims kept); elements equal to it share the gradient.

    Where it is NaN every NaN has a share if `nan`, else all gradients are NaN, as PyTorch has it.
    """
    return select(x)


@evenly.defjvp
def _evenly_jvp(select, over, nan, primals, tangents):
    (x,), (dx,) = primals, tangents
    value = evenly(x, select, over, nan)
    equal = ((x == value) | ((x != x) & (value != value) & nan)).astype(x.dtype)
    count = jnp.sum(equal, axis=over, keepdims=True)
    # Said in so many words: XLA takes 0 / count for 0 even where count is 0.
    shares = jnp.where(count == 0, jnp.nan, equal / count)
    return value, jnp.sum(shares * dx, axis=over, keepdims=True)


def _extreme(x, function: str, dim, keepdim: bool, nan: bool = False):
    xp, over = namespace(x), axes(x, dim)
    if xp is not jnp or x.dtype.kind in "biu" or not x.size:
        return getattr(xp, function)(x, axis=over, keepdims=keepdim)
    value = evenly(x, lambda x: getattr(jnp, function)(x, axis=over, keepdims=True), over, nan)
    return value if keepdim else jnp.squeeze(value, over)


@reduction(
    remembers=("inputs", "result"),
    opmath=False,
    check=_extreme_check("amax", "max_values_cpu"),
    host=HOST_REDUCES,
    refuses_complex="amax",
    chooses=True,
    out=Into(_errors.dtypes.unlike_out),
)
def amax(input: Array, dim: Dims | None = (), keepdim: bool = False):
    """The largest element over `dim` (every dim by default); equal ones share the gradient evenly."""
    return _extreme(input, "max", dim, keepdim)


@reduction(
    remembers=("inputs", "result"),
    opmath=False,
    check=_extreme_check("amin", "min_values_cpu"),
    host=HOST_REDUCES,
    refuses_complex="amin",
    chooses=True,
    out=Into(_errors.dtypes.unlike_out),
)
def amin(input: Array, dim: Dims | None = (), keepdim: bool = False):
    """The smallest element over `dim` (every dim by default); equal ones share the gradient evenly."""
    return _extreme(input, "min", dim, keepdim)


@reduction(
    host=HOST_REDUCES,
    opmath=False,
    check=_extreme_check("max", "max_all"),
    where=(),
    node="MaxBackward1",
    name="_max_of_all",
    remembers=("inputs", "result"),
    chooses=True,
)
def _max_of_all(input: Array):
    """The largest element."""
    return _extreme(input, "max", None, False, nan=True)


@reduction(
    host=HOST_REDUCES,
    opmath=False,
    check=_extreme_check("min", "min_all"),
    where=(),
    node="MinBackward1",
    name="_min_of_all",
    remembers=("inputs", "result"),
    chooses=True,
)
def _min_of_all(input: Array):
    """The smallest element."""
    return _extreme(input, "min", None, False, nan=True)


def position(x: Array, function: str, dim: int | None):
    """The index of the first extreme element of a dim, or of all of them flattened."""
    xp = namespace(x)
    if dim is None or not x.ndim:
        x, dim = x.reshape(-1), 0
    if xp is not jnp or x.shape[dim] >= _INT32_MAX or not x.size:
        return getattr(xp, function)(x, axis=dim)
    # Two plain reductions, which XLA's CPU backend vectorises; its own argmax goes element by element.
    extreme = constant((jnp.max if function == "argmax" else jnp.min)(x, axis=dim, keepdims=True))
    here = (x == extreme) | (x != x)
    places = jax.lax.broadcasted_iota(jnp.int32, x.shape, dim % x.ndim)
    return jnp.min(jnp.where(here, places, x.shape[dim] - 1), axis=dim).astype(jnp.int64)


def _arg_check(name: str):
    def check(call: Call) -> None:
        for kind in ("bool", "complex"):
            if kind in call.input.dtype.name:
                raise RuntimeError(f"{name}(): does not support {kind} input")
        _errors.arithmetic.check_extreme(name, call, IndexError, "")

    return check


def _index_of(input: Array, function: str, dim: int | None, keepdim: bool):
    found = position(input, function, dim)
    return found.reshape(reduced_shape(input.shape, dim, True)) if keepdim else found


@reduction(
    out=EXACT, host=HOST_REDUCES, promote=to_int64, opmath=False, differentiable=False, check=_arg_check("argmax")
)
def argmax(input: Array, dim: int | None = None, keepdim: bool = False):
    """The index of the first largest element along `dim`, or among all elements flattened."""
    return _index_of(input, "argmax", dim, keepdim)


@reduction(
    out=EXACT, host=HOST_REDUCES, promote=to_int64, opmath=False, differentiable=False, check=_arg_check("argmin")
)
def argmin(input: Array, dim: int | None = None, keepdim: bool = False):
    """The index of the first smallest element along `dim`, or among all elements flattened."""
    return _index_of(input, "argmin", dim, keepdim)


def pair_shape(call: Call) -> list:
    """Values and indices of a reduction over one dim."""
    shape = reduced_shape(call.input.shape, call.dim, call.keepdim)
    return [(shape, call.input.dtype), (shape, _dtypes.int64)]


def at(x: Array, index: Array, dim: int):
    """The elements of one dim at `index`, which has size one there."""
    if not x.ndim:
        return x
    xp = namespace(x)
    return xp.take_along_axis(x, index, axis=dim)


def _pair(input: Array, function: str, dim: int, keepdim: bool):
    xp = namespace(input)
    if not input.ndim:
        return input, xp.zeros((), "int64")
    index = xp.expand_dims(position(input, function, dim), dim)
    values = at(input, index, dim)
    return (values, index) if keepdim else (xp.squeeze(values, dim), xp.squeeze(index, dim))


@operator(
    shape=pair_shape,
    opmath=False,
    check=_extreme_check("max", "max"),
    where=(),
    name="max",
    host=HOST_REDUCES,
    remembers=("others",),
    chooses=True,
    out=EXACT,
)
def max_(input: Array, dim: int, keepdim: bool = False):
    """The largest element along `dim` and its index, the first of equal ones; it alone has the gradient."""
    return _pair(input, "argmax", dim, keepdim)


@operator(
    shape=pair_shape,
    opmath=False,
    check=_extreme_check("min", "min"),
    where=(),
    name="min",
    host=HOST_REDUCES,
    remembers=("others",),
    chooses=True,
    out=EXACT,
)
def min_(input: Array, dim: int, keepdim: bool = False):
    """The smallest element along `dim` and its index, the first of equal ones; it alone has the gradient."""
    return _pair(input, "argmin", dim, keepdim)


def _both_shape(call: Call) -> list:
    return [(reduced_shape(call.input.shape, call.dim, call.keepdim), call.input.dtype)] * 2


def _both_check(call: Call) -> None:
    if not call.input.numel and call.dim is None:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    _extreme_check("aminmax", "aminmax_cpu")(call)


@operator(
    host=HOST_REDUCES,
    shape=_both_shape,
    opmath=False,
    check=_both_check,
    where=(),
    chooses=True,
    out=EXACT,
    remembers=("inputs", "results"),
)
def aminmax(input: Array, *, dim: int | None = None, keepdim: bool = False):
    """The smallest and the largest element."""
    return _extreme(input, "min", dim, keepdim), _extreme(input, "max", dim, keepdim)


# -- exponentials ------------------------------------------------------------------------------------------------------


@reduction(
    out=Into(_errors.outs.logsumexp),
    autocast=FULL_ELSEWHERE,
    remembers=("inputs", "result"),
    promote=to_float,
    where=("torch", "Tensor", "special"),
    opmath=False,
    loop="max_values_cpu",
)
def logsumexp(input: Array, dim: tuple | int, keepdim: bool = False):
    """log(sum(exp(input))) over `dim`, without overflow."""
    xp, over = namespace(input), axes(input, dim)
    if not input.size:
        return xp.log(xp.sum(widened(input), axis=over, keepdims=keepdim))
    input = input if xp is np else widened(input)  # PyTorch rounds each step to half precision, as NumPy does
    top = constant(xp.max(input.real if input.dtype.kind == "c" else input, axis=over, keepdims=True))
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    summed = xp.sum(widened(xp.exp(input - top)), axis=over, keepdims=True)
    total = xp.log(summed.astype(input.dtype)) + top
    return total if keepdim else xp.squeeze(total, over)


# -- spread ------------------------------------------------------------------------------------------------------------


def _check_spread(call: Call) -> None:
    if call.input.dtype.category < _dtypes.FLOATING:
        raise RuntimeError("std and var only support floating point and complex dtypes")


def _variance(x, dim, correction, keepdim):
    xp, over = namespace(x), axes(x, dim)
    gap = x - _total(x, over, True) / _divisor(x, dim)
    squares = gap * gap if x.dtype.kind != "c" else gap.real * gap.real + gap.imag * gap.imag
    freedom = xp.asarray(builtins.max(0.0, count(x, dim) - correction)).astype(squares.dtype)
    return _total(squares, over, keepdim) / freedom


def root(x):
    """The square root, with gradient 0 at 0."""
    xp = namespace(x)
    zero = x == 0
    return xp.where(zero, xp.zeros_like(x), xp.sqrt(xp.where(zero, xp.ones_like(x), x)))


@reduction(promote=to_real, check=_check_spread, where=(), loop="std_cpu")
def var(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """The sum of squared distances from the mean over (number of elements - correction)."""
    return _variance(input, dim, correction, keepdim)


@reduction(remembers=("inputs", "result"), promote=to_real, check=_check_spread, where=())
def std(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """The square root of `var`; its gradient at 0 is 0."""
    return root(_variance(input, dim, correction, keepdim))


def _with_mean_shape(call: Call) -> list:
    shape = reduced_shape(call.input.shape, call.dim, call.keepdim)
    return [(shape, call.input.dtype.to_real()), (shape, call.input.dtype)]


@operator(shape=_with_mean_shape, check=_check_spread, where=(), loop="std_cpu")
def var_mean(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """`var` and `mean`."""
    return _variance(input, dim, correction, keepdim), mean.kernel(input, dim, keepdim)


@operator(shape=_with_mean_shape, check=_check_spread, where=(), loop="std_cpu", remembers=("inputs", "first"))
def std_mean(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """`std` and `mean`."""
    return root(_variance(input, dim, correction, keepdim)), mean.kernel(input, dim, keepdim)
