"""Comparisons, logical operators and bitwise operators."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._ops.schema.checks import not_complex, not_wide, only, whole
from torchlike._ops.schema.declare import Array, Operand, namespace, pointwise
from torchlike._ops.schema.typing_rules import to_bool

COMPARISON = {"promote": to_bool, "opmath": False, "differentiable": False}


@pointwise(**COMPARISON, float8=FLOAT8)
def eq(input: Array, other: Operand):
    """Return input == other for each element.

    >>> torchlike.eq(torchlike.tensor([1, 2]), 1)
    tensor([ True, False])
    """
    return input == other


@pointwise(**COMPARISON, aliases=("not_equal",), float8=FLOAT8)
def ne(input: Array, other: Operand):
    """Return input != other for each element.

    >>> torchlike.ne(torchlike.tensor([1, 2]), 1)
    tensor([False,  True])
    """
    return input != other


@pointwise(**COMPARISON, aliases=("less",), check=not_complex("lt_cpu", wide=False))
def lt(input: Array, other: Operand):
    """Return input < other for each element.

    >>> torchlike.lt(torchlike.tensor([1, 2]), 2)
    tensor([ True, False])
    """
    return input < other


@pointwise(**COMPARISON, aliases=("less_equal",), check=not_complex("le_cpu", wide=False))
def le(input: Array, other: Operand):
    """Return input <= other for each element.

    >>> torchlike.le(torchlike.tensor([1, 2]), 1)
    tensor([ True, False])
    """
    return input <= other


@pointwise(**COMPARISON, aliases=("greater",), check=not_complex("gt_cpu", wide=False))
def gt(input: Array, other: Operand):
    """Return input > other for each element.

    >>> torchlike.gt(torchlike.tensor([1, 2]), 1)
    tensor([False,  True])
    """
    return input > other


@pointwise(**COMPARISON, aliases=("greater_equal",), check=not_complex("ge_cpu", wide=False))
def ge(input: Array, other: Operand):
    """Return input >= other for each element.

    >>> torchlike.ge(torchlike.tensor([1, 2]), 2)
    tensor([False,  True])
    """
    return input >= other


@pointwise(**COMPARISON, inplace=False, out=False, check=_errors.arithmetic.check_isclose, loop="mul_cpu_reduced_float")
def isclose(input: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False):
    """Return whether |input - other| <= atol + rtol * |other| for each element.

    Equal infinities are close. NaN is close to NaN if `equal_nan`.

    Args:
      rtol: the tolerance relative to `other`.
      atol: the absolute tolerance.
      equal_nan: count two NaNs as close.

    >>> torchlike.isclose(torchlike.tensor([1.0, 2.0]), torchlike.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    xp = namespace(input)
    same = input == other
    if equal_nan:
        same = same | (xp.isnan(input) & xp.isnan(other))
    if input.dtype.kind in "biu":
        a, b = input.astype("float64"), other.astype("float64")
        return same | (xp.abs(a - b) <= atol + xp.abs(rtol * b))
    gap, room = xp.abs(input - other), atol + xp.abs(rtol * other)
    return same | (xp.isfinite(gap) & (gap <= room))


# -- logic -------------------------------------------------------------------------------------------------------------


@pointwise(**COMPARISON, check=not_wide("logical_and_cpu"))
def logical_and(input: Array, other: Array):
    """Return whether both `input` and `other` are nonzero, for each pair of elements.

    >>> torchlike.logical_and(torchlike.tensor([True, False]), torchlike.tensor([True, True]))
    tensor([ True, False])
    """
    return namespace(input).logical_and(input, other)


@pointwise(**COMPARISON, check=not_wide("logical_or_cpu"))
def logical_or(input: Array, other: Array):
    """Return whether `input` or `other` is nonzero, for each pair of elements.

    >>> torchlike.logical_or(torchlike.tensor([True, False]), torchlike.tensor([False, False]))
    tensor([ True, False])
    """
    return namespace(input).logical_or(input, other)


@pointwise(**COMPARISON, check=not_wide("logical_xor_cpu"))
def logical_xor(input: Array, other: Array):
    """Return whether exactly one of `input` and `other` is nonzero, for each pair of elements.

    >>> torchlike.logical_xor(torchlike.tensor([True, False]), torchlike.tensor([True, True]))
    tensor([False,  True])
    """
    return namespace(input).logical_xor(input, other)


@pointwise(**COMPARISON, check=not_wide("logical_not_cpu"))
def logical_not(input: Array):
    """Return whether each element is zero.

    >>> torchlike.logical_not(torchlike.tensor([True, False]))
    tensor([False,  True])
    """
    return namespace(input).logical_not(input)


# -- bits --------------------------------------------------------------------------------------------------------------

BITS: dict[str, Any] = {"opmath": False, "differentiable": False}


@pointwise(**BITS, check=whole("bitwise_not_cpu", wide=False))
def bitwise_not(input: Array):
    """Return the bitwise complement of each integer, or the logical negation of each bool."""
    return ~input


@pointwise(**BITS, check=whole("bitwise_and_cpu"))
def bitwise_and(input: Operand, other: Operand):
    """Return the bitwise AND of `input` and `other`. For bools, it is the logical AND.

    >>> torchlike.bitwise_and(torchlike.tensor([6, 5]), 3)
    tensor([2, 1])
    """
    return input & other


@pointwise(**BITS, check=whole("bitwise_or_cpu"))
def bitwise_or(input: Operand, other: Operand):
    """Return the bitwise OR of `input` and `other`. For bools, it is the logical OR."""
    return input | other


@pointwise(**BITS, check=whole("bitwise_xor_cpu"))
def bitwise_xor(input: Operand, other: Operand):
    """Return the bitwise XOR of `input` and `other`. For bools, it is the logical XOR.

    >>> torchlike.bitwise_xor(torchlike.tensor([6, 5]), 3)
    tensor([5, 6])
    """
    return input ^ other


@pointwise(**BITS, check=only("lshift_cpu", _dtypes.INTEGER))
def bitwise_left_shift(input: Operand, other: Operand):
    """Return `input` shifted left by `other` bits.

    The result is 0 if `other` is negative or at least the number of bits of the dtype.
    """
    xp = namespace(input)
    bits = 8 * input.dtype.itemsize
    fits = (other >= 0) & (other < bits)
    return xp.where(fits, xp.left_shift(input, xp.where(fits, other, 0)), 0).astype(input.dtype)


@pointwise(**BITS, check=only("rshift_cpu", _dtypes.INTEGER))
def bitwise_right_shift(input: Operand, other: Operand):
    """Return `input` shifted right arithmetically by `other` bits. Signed integers keep their sign.

    If `other` is negative or at least the number of bits of the dtype, the result is -1 for a negative `input` and
    otherwise 0.
    """
    xp = namespace(input)
    bits = 8 * input.dtype.itemsize
    places = xp.where((other >= 0) & (other < bits), other, bits - 1)
    moved = xp.right_shift(input, places)
    return moved if input.dtype.kind == "i" else xp.where(places == other, moved, 0).astype(input.dtype)
