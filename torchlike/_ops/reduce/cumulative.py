"""Cumulative operators: running sums, products, maxima, minima and log-sum-exp along a dim."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._engine import aval
from torchlike._engine.interpreter.sums import running
from torchlike._ops.elementwise.binary import added_logarithms
from torchlike._ops.reduce.reduce import at
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.checks import EMPTY, REALS, only
from torchlike._ops.schema.declare import HOST, ONCE, Array, Into, declare, namespace, operator
from torchlike._ops.schema.out_rules import COMPUTES
from torchlike._ops.schema.typing_rules import Call, Typed, sum_like, wrap_dim


def _typing(call: Call) -> Typed:
    wrap_dim(call.dim, call.input.ndim)
    result = call.dtype or sum_like(call.input.dtype)[0]
    if result is _dtypes.bool_ and call.input.ndim and 0 not in call.input.shape:
        raise _errors.dtypes.not_implemented(call.op.dtypes.loop, result)
    return Typed([aval(call.input.shape, result, call.device)], result, [None], result)


@declare(
    "operator", _typing, out=COMPUTES, autocast=FULL_ELSEWHERE, host=HOST, saves=(), inplace=True, loop="cumsum_out_cpu"
)
def cumsum(input: Array, dim: int, *, dtype=None):
    """Return the cumulative sum along `dim`. Integers and bools are summed in int64 by default.

    Args:
      dtype: the dtype to which the elements are cast first, and of the result.

    >>> torchlike.cumsum(torchlike.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])
    """
    return _scan(np.add, jnp.cumsum, input, dim)


@declare(
    "operator",
    _typing,
    out=COMPUTES,
    autocast=FULL_ELSEWHERE,
    host=HOST,
    remembers=("inputs", "result", ONCE),  # without zero factors, PyTorch's gradient uses the result twice
    inplace=True,
    chooses=lambda plan: 0 in plan.inputs[0].shape,  # an empty tensor has nothing to differentiate
    loop="cumprod_out_cpu",
)
def cumprod(input: Array, dim: int, *, dtype=None):
    """Return the cumulative product along `dim`. Integers and bools are multiplied in int64 by default.

    Args:
      dtype: the dtype to which the elements are cast first, and of the result.

    >>> torchlike.cumprod(torchlike.tensor([1, 2, 3]), dim=0)
    tensor([1, 2, 6])
    """
    return _scan(np.multiply, jnp.cumprod, input, dim)


def _scan(ufunc: np.ufunc, scan: Callable, x: Array, dim: int) -> Array:
    if not x.ndim:
        return x
    if ufunc is np.add and x.dtype.kind not in "biu":
        x = x + x.dtype.type(0)  # as in PyTorch, a sum is never -0
    return running(ufunc, x, dim) if namespace(x) is np else scan(x, axis=dim)


def _check_dim(call: Call) -> None:
    wrap_dim(call.dim, call.input.ndim)


def _check_logcumsumexp(call: Call) -> None:
    _check_dim(call)
    only("logcumsumexp_out_cpu", _dtypes.FLOATING, _dtypes.COMPLEX)(call)


@operator(
    out=Into(_errors.dtypes.scalar_type_of_out),
    host=HOST,
    remembers=("inputs", "result"),
    shape=lambda call: [call.input.shape],
    check=_check_logcumsumexp,
)
def logcumsumexp(input: Array, dim: int):
    """Return the cumulative log(sum(exp(input))) along `dim`, without overflow.

    >>> torchlike.logcumsumexp(torchlike.tensor([0.0, 0.0]), dim=0)
    tensor([0.0000, 0.6931])
    """
    if not input.ndim or not input.size:
        return input
    if input.dtype.kind == "c":
        return _complex_logcumsumexp(input, dim % input.ndim)
    if namespace(input) is np:
        return np.logaddexp.accumulate(input, axis=dim)
    return _sums_of_exponentials(input, dim % input.ndim)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _sums_of_exponentials(x, axis: int):
    return lax.cumlogsumexp(x, axis)


@_sums_of_exponentials.defjvp
def _sums_of_exponentials_jvp(axis: int, primals: tuple, tangents: tuple) -> tuple:
    """Return the value and the tangent.

    The tangent at j is the sum of exp(x[i] - result[j]) * tangent[i] over i <= j, computed as a linear recurrence whose
    factors are at most 1.
    """
    (x,), (tangent,) = primals, tangents
    result = _sums_of_exponentials(x, axis)
    first, rest = [slice(None)] * x.ndim, [slice(None)] * x.ndim
    first[axis], rest[axis] = slice(1), slice(-1)
    before = jnp.concatenate([jnp.full_like(x[tuple(first)], -jnp.inf), result[tuple(rest)]], axis)
    decay = jnp.where(before == result, 1, jnp.exp(before - result))

    def join(a: Any, b: Any) -> tuple:
        return a[0] * b[0], b[0] * a[1] + b[1]

    return result, lax.associative_scan(join, (decay, jnp.exp(x - result) * tangent), axis=axis)[1]


def _complex_logcumsumexp(x, axis: int):
    """Return the cumulative log-sum-exp of complex numbers."""
    if namespace(x) is not np:
        return lax.associative_scan(added_logarithms, x, axis=axis)
    parts = [np.take(x, [0], axis)]
    for k in range(1, x.shape[axis]):
        parts.append(added_logarithms(parts[-1], np.take(x, [k], axis)))
    return np.concatenate(parts, axis)


def _pair_shape(call: Call) -> list:
    return [(call.input.shape, call.input.dtype), (call.input.shape, _dtypes.int64)]


def _running_extreme(x, dim: int, best, extreme):
    """Return the running extreme and the index of its last occurrence. After a NaN, the extreme stays NaN."""
    xp = namespace(x)
    if not x.ndim or not x.size:
        return x, xp.zeros(x.shape, "int64")
    axis = dim % x.ndim
    counted = xp.arange(x.shape[axis], dtype="int32")  # int32 halves the memory traffic
    steps = xp.broadcast_to(counted.reshape([-1 if d == axis else 1 for d in range(x.ndim)]), x.shape)
    if xp is np:
        leader = best.accumulate(x, axis)
        hit = x == leader
        if (leader != leader).take(-1, axis).any():
            hit |= x != x
        return leader, np.maximum.accumulate(np.where(hit, steps, np.int32(0)), axis)
    leader = extreme(x, axis)
    index = lax.cummax(xp.where((x == leader) | (x != x), steps, 0), axis)
    return at(x, index, axis), index


@operator(
    shape=_pair_shape,
    opmath=False,
    check=_check_dim,
    where=(),
    chooses=True,
    host=HOST,
    remembers=("others",),
    out=Into(_errors.dtypes.scalar_type_of_out),
    takes=(*REALS, EMPTY),
    refuses_complex="cummax",
)
def cummax(input: Array, dim: int):
    """Return the cumulative maximum along `dim`, and the index of its last occurrence so far.

    >>> torchlike.cummax(torchlike.tensor([1, 3, 2]), dim=0).values
    tensor([1, 3, 3])
    """
    return _running_extreme(input, dim, np.maximum, lambda x, axis: _without_gradient(lax.cummax, x, axis))


@operator(
    shape=_pair_shape,
    opmath=False,
    check=_check_dim,
    where=(),
    chooses=True,
    host=HOST,
    remembers=("others",),
    out=Into(_errors.dtypes.scalar_type_of_out),
    takes=(*REALS, EMPTY),
    refuses_complex="cummin",
)
def cummin(input: Array, dim: int):
    """Return the cumulative minimum along `dim`, and the index of its last occurrence so far.

    >>> torchlike.cummin(torchlike.tensor([3, 1, 2]), dim=0).values
    tensor([3, 1, 1])
    """
    return _running_extreme(input, dim, np.minimum, lambda x, axis: _without_gradient(lax.cummin, x, axis))


def _without_gradient(function, x, axis: int):
    # The running extreme is only compared with the elements, so it needs no gradient.
    x = lax.stop_gradient(x)
    return function(x.astype(jnp.uint8), axis).astype(bool) if x.dtype == bool else function(x, axis)
