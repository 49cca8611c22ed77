"""Reductions: sums, means, products, extremes, hashes, log-sum-exp, variances and logical tests."""

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
from torchlike._engine.xla.jax_private import is_symbolic
from torchlike._engine.xla.target import for_cpu
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.elementwise.float8 import cast
from torchlike._ops.elementwise.partial_derivatives import with_mask
from torchlike._ops.elementwise.truncation import is_float, truncated
from torchlike._ops.schema.autocast_policies import FULL, FULL_ELSEWHERE
from torchlike._ops.schema.checks import not_complex
from torchlike._ops.schema.declare import (
    EXACT,
    HOST_REDUCES,
    OMITTED,
    UNSQUEEZED,
    Array,
    Into,
    constant,
    namespace,
    operator,
    reduction,
)
from torchlike._ops.schema.namespace import sum_of, widened
from torchlike._ops.schema.node_names import by_dim
from torchlike._ops.schema.out_rules import CASTABLE, COMPUTES
from torchlike._ops.schema.typing_rules import Call, reduced_dims, reduced_shape, sum_like, to_float, to_int64, to_real

Dims = tuple | int | None
_INT32_MAX = 2**31 - 1
_LARGE = 1 << 16  # the number of elements from which faster formulas replace NumPy's


def axes(input: Array, dim: Any) -> tuple[int, ...]:
    """Return NumPy's `axis` argument for a `dim` argument."""
    return reduced_dims(input.ndim, dim)


def count(input: Array, dim: object) -> int:
    """Return the number of elements reduced into each result."""
    return math.prod(input.shape[d] for d in axes(input, dim))


# -- sums --------------------------------------------------------------------------------------------------------------


_KEEPING = {"keepdim": "dim"}


@reduction(
    out=COMPUTES,
    requires=_KEEPING,
    autocast=FULL_ELSEWHERE,
    host=HOST_REDUCES,
    promote=sum_like,
    saves=(),
    node=by_dim("Sum"),
)
def sum(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """Return the sum of the elements over `dim` (default: all dims).

    Integers and bools are summed in int64.

    >>> torchlike.sum(torchlike.tensor([[1, 2], [3, 4]]), dim=1)
    tensor([3, 7])
    """
    return sum_of(input, axes(input, dim), keepdim)


def _mean_into(input: Any, dim: Any = None, *_: Any) -> Into:
    return Into(cast=_errors.outs.mean if dim is None else CASTABLE.cast, overloads=dim is None)


@reduction(
    out=_mean_into,
    requires=_KEEPING,
    host=HOST_REDUCES,
    saves=(),
    check=_errors.arithmetic.check_mean,
    node=by_dim("Mean"),
    loop="sum_cpu",
)
def mean(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """Return the mean of the elements over `dim` (default: all dims).

    The input, or `dtype` if it is given, must be floating point or complex.

    >>> torchlike.mean(torchlike.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([2., 3.])
    """
    return sum_of(input, axes(input, dim), keepdim) / _divisor(input, dim)


def _divisor(input: Array, dim: object):
    # The count is an array, so that a mean over zero elements is NaN instead of an error.
    return namespace(input).asarray(count(input, dim)).astype(input.dtype)


@reduction(
    out=COMPUTES,
    requires=_KEEPING,
    autocast=FULL,
    host=HOST_REDUCES,
    remembers=("all", "result", UNSQUEEZED),
    promote=sum_like,
    node=by_dim("Prod"),
    loop="prod_out_cpu",
)
def prod(input: Array, dim: int = OMITTED, keepdim: bool = False, *, dtype=None):
    """Return the product of the elements over `dim` (default: all dims).

    Integers and bools are multiplied in int64.

    >>> torchlike.prod(torchlike.tensor([[1, 2], [3, 4]]), dim=1)
    tensor([ 2, 12])
    """
    xp = namespace(input)
    if not input.ndim:  # a 0-d tensor: the gradient passes through unchanged
        return input
    if xp is jnp and input.dtype.kind in "fV" and input.size:
        input = _factors(input)
    over = axes(input, dim)
    if xp is np and is_row(input, over):
        found = _product(input.reshape(1, -1) if len(over) == input.ndim else input)
        return found.reshape(reduced_shape(input.shape, dim, keepdim))
    return xp.prod(input, axis=over, keepdims=keepdim)


def is_row(x: np.ndarray, over: tuple[int, ...]) -> bool:
    """Return whether a large array is reduced along its last dim or over all dims."""
    return x.size >= _LARGE and x.ndim > 0 and (len(over) == x.ndim or over == (x.ndim - 1,))


def _product(x: np.ndarray) -> np.ndarray:
    """Return the product along the last axis, computed in parallel lanes.

    NumPy multiplies rows with vector instructions, but the elements within one row one at a time.
    """
    lanes = 256
    whole = x.shape[-1] // lanes * lanes
    found = x[..., :whole].reshape(*x.shape[:-1], -1, lanes).prod(-2).prod(-1)
    return found * x[..., whole:].prod(-1)


@jax.custom_jvp
def _factors(x):
    """Return x, with the gradient that PyTorch gives the factors of a product.

    PyTorch divides the product by each factor, so the gradient of an infinite factor is NaN.
    """
    return x


@_factors.defjvp
def _factors_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    divided = jnp.all(x != 0)  # with a zero factor, PyTorch multiplies the other factors instead
    return x, dx * jnp.where(divided & jnp.isinf(x), jnp.asarray(jnp.nan, x.dtype), jnp.asarray(1, x.dtype))


def _check_nansum(call: Call) -> None:
    if call.input.dtype.is_complex:
        raise RuntimeError("nansum on CPU does not support complex inputs")


_PRESENT = Into(computes=True, called="nansum", first=_errors.outs.no_loop("nansum_cpu"))


def _nansum_into(input: Any, *_: Any) -> Into:
    return _PRESENT if input.dtype.category >= _dtypes.FLOATING else COMPUTES


def _present(x):
    return x if x.dtype.kind in "iub" else _without_nan(x)


_without_nan = with_mask(
    lambda x: namespace(x).where(namespace(x).isnan(x), namespace(x).zeros_like(x), x), lambda x: x == x
)


def _after_nan(requested: _dtypes.dtype) -> tuple[_dtypes.dtype | None, _dtypes.dtype]:
    """Return the dtypes for an explicit `dtype=`: the kernel replaces NaN before it casts to an integer dtype."""
    return requested if requested.category >= _dtypes.FLOATING else None, requested


@reduction(
    out=_nansum_into,
    host=HOST_REDUCES,
    promote=sum_like,
    of_requested=_after_nan,
    check=_check_nansum,
    chooses=True,
)
def nansum(input: Array, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """Return the sum of the elements that are not NaN over `dim` (default: all dims).

    >>> torchlike.nansum(torchlike.tensor([1.0, torchlike.nan]))
    tensor(1.)
    """
    if dtype is not None and dtype.category < _dtypes.FLOATING:
        present = _present(input)
        whole = is_float(input) and dtype is not _dtypes.bool_
        return sum_of(truncated(present, dtype) if whole else cast(present, dtype), axes(input, dim), keepdim)
    if namespace(input) is np:  # fast path: usually no element is NaN
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
    """Return the mean of the elements that are not NaN over `dim` (default: all dims).

    >>> torchlike.nanmean(torchlike.tensor([1.0, torchlike.nan, 3.0]))
    tensor(2.)
    """
    xp, over = namespace(input), axes(input, dim)
    there = xp.sum((input == input).astype(input.dtype), axis=over, keepdims=keepdim)
    found = xp.sum(_present(input), axis=over, keepdims=keepdim) / there
    if xp is np:
        return found
    of_none = xp.where(there == 0, xp.nan, 0)  # as in PyTorch, the gradient of a mean over zero elements is NaN
    return xp.where(there == 0, xp.sum(input, axis=over, keepdims=keepdim) * of_none, found)


def _counted(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    return dtype, _dtypes.int64


@reduction(host=HOST_REDUCES, promote=_counted, opmath=False, differentiable=False, out=False, loop="nonzero_count_cpu")
def count_nonzero(input: Array, dim: Dims = None):
    """Return the number of nonzero elements over `dim` (default: all dims).

    Args:
      dim: the dim or dims to reduce. By default, all dims are reduced.

    >>> torchlike.count_nonzero(torchlike.tensor([0, 5, 6]))
    tensor(2)
    """
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
    """Return the exclusive or of the bits of all elements over `dim`, in uint64.

    Elements are first converted to int64 or float64.

    Args:
      mode: 0, the only mode.
    """
    xp, over = namespace(input), axes(input, dim)
    wide = input.astype("int64" if input.dtype.kind in "biu" else "float64")
    bits = wide.view("uint64") if xp is np else jax.lax.bitcast_convert_type(wide, jnp.uint64)
    if xp is np:
        return np.bitwise_xor.reduce(bits, axis=over, keepdims=keepdim)
    made = jax.lax.reduce(bits, np.uint64(0), jax.lax.bitwise_xor, over)
    return jnp.expand_dims(made, over) if keepdim else made


# -- logic -------------------------------------------------------------------------------------------------------------


def _truth(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    # PyTorch returns uint8 for uint8 inputs, as it did before it had a bool dtype.
    return dtype, _dtypes.uint8 if dtype is _dtypes.uint8 else _dtypes.bool_


def _truth_shape(call: Call) -> list:
    # With an empty tuple of dims, PyTorch reduces nothing.
    return [call.input.shape if call.dim == () else reduced_shape(call.input.shape, call.dim, call.keepdim)]


def _truth_axes(input: Array, dim: Any) -> tuple[int, ...]:
    return () if dim == () else axes(input, dim)


@reduction(
    out=Into(_errors.outs.truth("any"), overloads=True),
    shape=_truth_shape,
    host=HOST_REDUCES,
    promote=_truth,
    opmath=False,
    differentiable=False,
    float8=FLOAT8,
)
def any(input: Array, dim: Dims = None, keepdim: bool = False):
    """Return whether any element over `dim` is nonzero (default: all dims; an empty tuple: no dim).

    >>> torchlike.any(torchlike.tensor([[False, True], [False, False]]), dim=1)
    tensor([ True, False])
    """
    return namespace(input).any(input != 0, axis=_truth_axes(input, dim), keepdims=keepdim)


@reduction(
    out=Into(_errors.outs.truth("all"), overloads=True),
    shape=_truth_shape,
    host=HOST_REDUCES,
    promote=_truth,
    opmath=False,
    differentiable=False,
    float8=FLOAT8,
)
def all(input: Array, dim: Dims = None, keepdim: bool = False):
    """Return whether all elements over `dim` are nonzero (default: all dims; an empty tuple: no dim).

    >>> torchlike.all(torchlike.tensor([[True, True], [False, True]]), dim=1)
    tensor([ True, False])
    """
    return namespace(input).all(input != 0, axis=_truth_axes(input, dim), keepdims=keepdim)


# -- extremes ----------------------------------------------------------------------------------------------------------


def _extreme_check(name: str, kernel: str):
    refuse_complex = not_complex(kernel)

    def check(call: Call) -> None:
        _errors.arithmetic.check_extreme(name, call)
        if call.input.numel:
            refuse_complex(call)

    return check


def _pair_check(name: str) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        _errors.arithmetic.check_extreme(name, call)
        if call.input.dtype.is_complex:
            raise _errors.arithmetic.complex_extreme(name)

    return check


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3, 4))
def evenly(x: Array, select: Callable, over: tuple, nan: bool, masked: bool):
    """Return `select(x)`, with one element for each slice (dims kept).

    The elements equal to the selected one share its gradient evenly. If the selected element is NaN, all NaN elements
    share the gradient if `nan`, else all gradients are NaN, as in PyTorch. If `masked` is False, the gradients of the
    other elements are 0 times the incoming one.
    """
    return select(x)


@evenly.defjvp
def _evenly_jvp(select, over, nan, masked, primals, tangents):
    (x,), (dx,) = primals, tangents
    value = evenly(x, select, over, nan, masked)
    equal = ((x == value) | ((x != x) & (value != value) & nan)).astype(x.dtype)
    count = jnp.sum(equal, axis=over, keepdims=True)
    # XLA simplifies 0 / count to 0 even if count is 0, so the NaN is explicit.
    shares = jnp.where(count == 0, jnp.nan, equal / count)
    changes = jnp.where(equal == 0, 0, shares * dx) if masked else shares * dx
    return value, jnp.sum(changes, axis=over, keepdims=True)


def extreme(x, function: str, dim, keepdim: bool, nan: bool = False, masked: bool = False):
    """Return the maximum or minimum over `dim`. See `evenly` for its gradient."""
    xp, over = namespace(x), axes(x, dim)
    if xp is not jnp or x.dtype.kind in "biu" or not x.size:
        return getattr(xp, function)(x, axis=over, keepdims=keepdim)
    value = evenly(x, lambda x: getattr(jnp, function)(x, axis=over, keepdims=True), over, nan, masked)
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
    """Return the maximum over `dim` (default: all dims).

    Elements equal to the maximum share the gradient evenly.

    >>> torchlike.amax(torchlike.tensor([[1, 5], [4, 2]]), dim=1)
    tensor([5, 4])
    """
    return extreme(input, "max", dim, keepdim)


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
    """Return the minimum over `dim` (default: all dims).

    Elements equal to the minimum share the gradient evenly.

    >>> torchlike.amin(torchlike.tensor([[1, 5], [4, 2]]), dim=1)
    tensor([1, 2])
    """
    return extreme(input, "min", dim, keepdim)


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
    """Return the maximum of all elements.

    Elements equal to the maximum share the gradient evenly.
    """
    return extreme(input, "max", None, False, nan=True, masked=True)


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
    """Return the minimum of all elements.

    Elements equal to the minimum share the gradient evenly.
    """
    return extreme(input, "min", None, False, nan=True, masked=True)


def position(x: Array, function: str, dim: int | None):
    """Return the index of the first extreme element along `dim`, or in the flattened array if `dim` is None."""
    xp = namespace(x)
    if dim is None or not x.ndim:
        x, dim = x.reshape(-1), 0
    if xp is not jnp or is_symbolic(x.shape[dim]) or x.shape[dim] >= _INT32_MAX or not x.size:
        return getattr(xp, function)(x, axis=dim)
    # XLA's CPU backend vectorizes these two plain reductions, but not its own argmax.
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
    """Return the index of the first maximum along `dim`, or in the flattened tensor if `dim` is None.

    >>> torchlike.argmax(torchlike.tensor([[1, 5], [4, 2]]), dim=1)
    tensor([1, 0])
    """
    return _index_of(input, "argmax", dim, keepdim)


@reduction(
    out=EXACT, host=HOST_REDUCES, promote=to_int64, opmath=False, differentiable=False, check=_arg_check("argmin")
)
def argmin(input: Array, dim: int | None = None, keepdim: bool = False):
    """Return the index of the first minimum along `dim`, or in the flattened tensor if `dim` is None.

    >>> torchlike.argmin(torchlike.tensor([[1, 5], [4, 2]]), dim=1)
    tensor([0, 1])
    """
    return _index_of(input, "argmin", dim, keepdim)


def pair_shape(call: Call) -> list:
    """Return the shapes and dtypes of the values and indices of a reduction over one dim."""
    shape = reduced_shape(call.input.shape, call.dim, call.keepdim)
    return [(shape, call.input.dtype), (shape, _dtypes.int64)]


def at(x: Array, index: Array, dim: int):
    """Return the elements along `dim` at `index`, which has size 1 in that dim."""
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
    check=_pair_check("max"),
    where=(),
    name="max",
    host=HOST_REDUCES,
    remembers=("others",),
    chooses=True,
    out=EXACT,
)
def max_(input: Array, dim: int, keepdim: bool = False):
    """Return the maximum along `dim` and its index.

    The first of several equal elements is selected and gets the whole gradient.
    """
    return _pair(input, "argmax", dim, keepdim)


@operator(
    shape=pair_shape,
    opmath=False,
    check=_pair_check("min"),
    where=(),
    name="min",
    host=HOST_REDUCES,
    remembers=("others",),
    chooses=True,
    out=EXACT,
)
def min_(input: Array, dim: int, keepdim: bool = False):
    """Return the minimum along `dim` and its index.

    The first of several equal elements is selected and gets the whole gradient.
    """
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
    """Return the minimum and the maximum along `dim` (default: of all elements)."""
    return extreme(input, "min", dim, keepdim), extreme(input, "max", dim, keepdim)


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
    """Return log(sum(exp(input))) over `dim`, without overflow.

    >>> torchlike.logsumexp(torchlike.tensor([0.0, 0.0]), dim=0)
    tensor(0.6931)
    """
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


def _double(x):
    """Return x in float64 or complex128 on the CPU, where PyTorch computes the spread in double precision."""
    if x.dtype.itemsize >= 8 + 8 * (x.dtype.kind == "c") or not for_cpu():
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _spread(x, dim, correction, keepdim):
    """Return the variance and the mean, in double precision on the CPU.

    The barrier makes XLA convert the input in each of the two passes. Otherwise XLA stores the converted input.
    """
    xp, over = namespace(x), axes(x, dim)
    wide = _double(x)
    center = sum_of(wide, over, True) / _divisor(wide, dim)
    gap = wide - center if xp is np or wide is x else _double(jax.lax.optimization_barrier(x)) - center
    squares = gap * gap if x.dtype.kind != "c" else gap.real * gap.real + gap.imag * gap.imag
    number = count(x, dim) - correction
    freedom = jnp.maximum(0.0, number) if is_symbolic(number) else xp.asarray(builtins.max(0.0, number))
    variance = sum_of(squares, over, keepdim) / freedom.astype(squares.dtype)
    return variance, center if keepdim else xp.squeeze(center, over)


def root(x):
    """Return the square root, with gradient 0 at 0."""
    xp = namespace(x)
    zero = x == 0
    return xp.where(zero, xp.zeros_like(x), xp.sqrt(xp.where(zero, xp.ones_like(x), x)))


def _deviation(variance, input):
    """Return the standard deviation of `input`. For complex numbers PyTorch rounds the variance first."""
    dtype = input.real.dtype
    return root(variance.astype(dtype) if input.dtype.kind == "c" else variance).astype(dtype)


@reduction(promote=to_real, check=_check_spread, where=(), loop="std_cpu")
def var(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """Return the variance over `dim` (default: all dims).

    The divisor of the sum of squared deviations is the number of elements minus `correction`.
    """
    return _spread(input, dim, correction, keepdim)[0].astype(input.real.dtype)


@reduction(remembers=("inputs", "result"), promote=to_real, check=_check_spread, where=())
def std(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """Return the standard deviation, the square root of `var`.

    The gradient at 0 is 0.
    """
    return _deviation(_spread(input, dim, correction, keepdim)[0], input)


def _with_mean_shape(call: Call) -> list:
    shape = reduced_shape(call.input.shape, call.dim, call.keepdim)
    return [(shape, call.input.dtype.to_real()), (shape, call.input.dtype)]


@operator(shape=_with_mean_shape, check=_check_spread, where=(), loop="std_cpu")
def var_mean(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """Return the variance and the mean over `dim`."""
    variance, center = _spread(input, dim, correction, keepdim)
    return variance.astype(input.real.dtype), center.astype(input.dtype)


@operator(shape=_with_mean_shape, check=_check_spread, where=(), loop="std_cpu", remembers=("inputs", "first"))
def std_mean(input: Array, dim: Dims = None, correction: float = 1, keepdim: bool = False):
    """Return the standard deviation and the mean over `dim`."""
    variance, center = _spread(input, dim, correction, keepdim)
    return _deviation(variance, input), center.astype(input.dtype)
