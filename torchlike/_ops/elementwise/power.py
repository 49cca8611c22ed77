"""Powers of tensors and numbers, in every combination."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.custom_derivatives import SymbolicZero

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._ops.elementwise.partial_derivatives import with_slopes
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.checks import exponent_in_range, not_bool, not_wide
from torchlike._ops.schema.declare import Operand, declare, namespace
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.typing_rules import Aval, Call, Typed, common, result_type
from torchlike._ops.schema.typing_rules import pointwise as pointwise_typing

# Exponents with a special formula or, for integers, an error.
FORMULAS = (0, 0.5, 1, 2, 3, -0.5, -1, -2, -3, -4)


def _check(call: Call) -> None:
    exponent = call.exponent
    whole = result_type(call.arrays, call.numbers).category <= _dtypes.INTEGER
    if whole and isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if isinstance(exponent, Aval):
        not_bool("pow")(call)
    elif exponent not in (0, 1):  # PyTorch returns ones for 0 and a copy for 1
        not_wide("pow")(call)


def _node(call: Call) -> str:
    """Return the name of the gradient node; PyTorch numbers its overloads."""
    if not isinstance(call.exponent, Aval):
        return "PowBackward0"
    return "PowBackward1" if isinstance(call.input, Aval) else "PowBackward2"


def _typing(call: Call, promote: Callable = common) -> Typed:
    typed = pointwise_typing(call, promote)
    if not isinstance(call.input, Aval):  # in PyTorch, the result is row-major if the base is a number
        typed.strides = [None]
    return typed


def _keeps(call: Call) -> tuple[str, ...]:
    """Return the tensors saved for backward.

    The gradient of the exponent uses the result, which PyTorch saves whenever the exponent is a tensor.
    """
    return ("all", "result") if isinstance(call.exponent, Aval) else ("all",)


def _lasts(plan: Any, order: int) -> bool:
    """Return whether PyTorch differentiates a constant: its gradient of this order is a multiple of x ** 0."""
    where, exponent = plan.extra.arguments["exponent"]
    return where == "static" and exponent == order


@declare(
    "pointwise",
    _typing,
    inplace=True,
    autocast=FULL_ELSEWHERE,
    remembers=_keeps,
    special={"exponent": FORMULAS},
    lasts=_lasts,
    check=_check,
    guard=exponent_in_range,
    node=_node,
    loop="pow",
)
def pow(input: Operand, exponent: Operand):
    """Return input ** exponent.

    Common small exponents use special formulas. Where `input` is 0, the gradient with respect to a non-negative
    exponent is 0. A negative power of an integer is 0, except for the integers 1 and -1.

    Args:
      exponent: a number or a tensor that is broadcast. Integers to the power of a negative number (not a tensor) are an
        error.

    >>> torchlike.pow(torchlike.tensor([1, 2, 3]), 2)
    tensor([1, 4, 9])
    """
    if type(exponent) in (int, float, bool):  # a static number; an isinstance test would include numpy.float64
        return _formula(input, exponent)
    return _whole_power(input, exponent) if input.dtype.kind in "iu" else _power(input, exponent)


def _formula(x, n):
    xp = namespace(x)
    if n == 0.5:
        return xp.sqrt(x)
    if n == -0.5:
        return _inverse_root(x)
    if n == 0:
        return xp.ones_like(x)
    return _product(x, int(n)) if n >= -1 else with_slopes(_product_of(n), lambda _, x: n * _product(x, n - 1))(x)


_inverse_root = with_slopes(lambda x: 1 / namespace(x).sqrt(x), lambda _, x: -0.5 * jax.numpy.power(x, -1.5))


def _product_of(n):
    return lambda x: _product(x, int(n))


def _product(x, n: int):
    """Return the n-th power of x, for n other than 0, as a product of |n| factors or its reciprocal."""
    out = x
    for _ in range(abs(n) - 1):
        out = out * x
    return out if n > 0 else 1 / out


def _power(x, n):
    xp = namespace(x)
    if xp is np or x.dtype.kind == "c":
        return xp.power(x, n)
    return _real_power(x, n)


@jax.custom_jvp
def _real_power(x, n):
    return jax.numpy.power(x, n)


@functools.partial(_real_power.defjvp, symbolic_zeros=True)
def _real_power_jvp(primals, tangents):
    xp = jax.numpy
    (x, n), (dx, dn) = primals, tangents
    out = _real_power(x, n)
    slope = xp.where(n == 0, 0, n * _real_power(x, xp.where(n == 0, 1, n - 1)))
    along = xp.zeros_like(out) if isinstance(dx, SymbolicZero) else xp.where(n == 0, 0, slope * dx)
    if isinstance(dn, SymbolicZero):  # a zero tangent times the logarithm of a negative number would be NaN
        return out, along
    flat = (x == 0) & (n >= 0)
    log = out * xp.log(xp.where(flat, 1, x))
    return out, along + xp.where(flat, 0, log) * dn


def _whole_power(x, n):
    """Return integer powers by repeated squaring.

    A negative exponent gives 1/x rounded toward zero: 0, except for x = 1 and x = -1.
    """
    xp = namespace(x)
    x, n = xp.broadcast_arrays(x, n)
    one = xp.ones_like(x)
    unit = xp.where(x == 1, one, xp.where((x == -1) & (x.dtype.kind == "i"), 1 - 2 * (n & 1), 0 * one))
    found = np.power(x, np.maximum(n, 0)) if xp is np else _by_squaring(x, xp.maximum(n, 0))
    return xp.where(n < 0, unit.astype(x.dtype), found)


def _by_squaring(x, n):
    """Return x ** n for integers n >= 0. JAX's function uses only six bits of n."""
    step = lambda state: (
        jax.numpy.where(state[2] & 1 != 0, state[0] * state[1], state[0]),
        state[1] * state[1],
        state[2] >> 1,
    )
    return jax.lax.while_loop(lambda state: (state[2] > 0).any(), step, (jax.numpy.ones_like(x), x, n))[0]


def _to_double(dtype: _dtypes.dtype) -> tuple[_dtypes.dtype, _dtypes.dtype]:
    d = _dtypes.complex128 if dtype.is_complex else _dtypes.float64
    return d, d


@declare(
    "pointwise",
    functools.partial(_typing, promote=_to_double),
    inplace=True,
    out=Into(_errors.outs.float_power, called="pow", late=True),
    node=_node,
    remembers=lambda call: _keeps(call)[1:],  # not the operands: PyTorch saves cast copies of them
    float8=FLOAT8,
)
def float_power(input: Operand, exponent: Operand):
    """Return input ** exponent, computed in double precision.

    Args:
      exponent: a number or a tensor that is broadcast.
    """
    return _power(namespace(input).asarray(input), exponent)
