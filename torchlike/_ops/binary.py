"""Element-wise functions of two or more tensors or numbers."""

from __future__ import annotations

from torchlike import _errors
from torchlike._ops._declare import Array, Operand, Scalar, namespace, pointwise
from torchlike._ops._rules import to_float
from torchlike._ops._rules import Call


def _no_bool_minus(call: Call) -> None:
    bools = [a.dtype.name == "bool" for a in call.arrays]
    if len(bools) == 2 and all(bools):
        raise _errors.bool_minus_bool()
    if any(bools) and (len(bools) == 2 or bool in call.numbers):
        raise _errors.bool_minus()


@pointwise(saves=())
def add(input: Operand, other: Operand, *, alpha: Scalar = 1):
    """input + alpha * other."""
    return input + other if isinstance(alpha, int) else input + alpha * other


@pointwise(saves=(), check=_no_bool_minus, aliases=("subtract",))
def sub(input: Operand, other: Operand, *, alpha: Scalar = 1):
    """input - alpha * other."""
    return input - other if isinstance(alpha, int) else input - alpha * other


@pointwise(aliases=("multiply",))
def mul(input: Operand, other: Operand):
    """input * other."""
    return input * other


@pointwise(promote=to_float, name="true_divide")
def _true_divide(input: Operand, other: Operand):
    """input / other, in floating point."""
    return namespace(input).true_divide(input, other)


@pointwise(special={"exponent": (0, 0.5, 1, 2, 3, -0.5, -1, -2)})
def pow(input: Operand, exponent: Operand):
    """input ** exponent; the usual small exponents select their own formulas."""
    xp = namespace(input)
    if isinstance(exponent, int | float) and exponent == 2:  # a static exponent
        return input * input
    return xp.power(input, exponent)
