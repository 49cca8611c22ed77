"""Element-wise arithmetic of two or more tensors or numbers."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._dtypes import FLOAT8, FLOATING, INTEGER, bool_
from torchlike._engine import Aval
from torchlike._errors.dtypes import c_name
from torchlike._ops.elementwise import partial_derivatives, remainders
from torchlike._ops.schema import typing_rules
from torchlike._ops.schema.autocast_policies import WIDEST_ELSEWHERE
from torchlike._ops.schema.checks import (
    REALS,
    in_order,
    not_bool,
    not_complex,
    not_wide,
    only,
    real_number,
    rounded_divisor,
    whole_divisor,
)
from torchlike._ops.schema.declare import (
    HOST,
    Array,
    Kept,
    Operand,
    Scalar,
    constant,
    declare,
    each_for_itself,
    namespace,
    pointwise,
)
from torchlike._ops.schema.node_names import by_operand
from torchlike._ops.schema.out_rules import CASTABLE, Into
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, result_type, to_float


def _no_bool_minus(call: Call) -> None:
    bools = [a.dtype is bool_ for a in call.arrays] + [n is bool for n in call.numbers]
    if all(bools):
        raise _errors.arithmetic.bool_minus_bool()
    if any(bools):
        raise _errors.arithmetic.bool_minus()
    _check_alpha(call)
    not_wide("add_stub")(call)


def _check_alpha(call: Call) -> None:
    category = typing_rules.result_type(call.arrays, call.numbers).category
    if call.alpha is bool and category:
        raise _errors.arithmetic.bool_factor()
    if call.alpha in (float, complex) and category <= INTEGER:
        raise _errors.arithmetic.fractional_factor()
    if call.alpha is complex and category == FLOATING:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


@pointwise(
    saves=(),
    check=in_order(_check_alpha, not_wide("add_stub")),
    old_orders=(("input", "alpha", "other"),),
    of_numbers=True,
    overloads=False,
    rounded=("alpha",),
)
def add(input: Operand, other: Operand, *, alpha: Scalar = 1):
    """Return input + alpha * other.

    Args:
      other: the second operand. It is broadcast with the first, and the dtypes are promoted.
      alpha: the factor of `other`.

    >>> torchlike.add(torchlike.tensor([1, 2]), 10)
    tensor([11, 12])
    """
    return input + other if isinstance(alpha, int) else input + alpha * other


@pointwise(
    saves=(),
    check=_no_bool_minus,
    aliases=("subtract",),
    old_orders=(("input", "alpha", "other"),),
    of_numbers=True,
    overloads=False,
    rounded=("alpha",),
)
def sub(input: Operand, other: Operand, *, alpha: Scalar = 1):
    """Return input - alpha * other.

    Args:
      alpha: the factor of `other`.

    >>> torchlike.sub(torchlike.tensor([5, 6]), torchlike.tensor([1, 2]))
    tensor([4, 4])
    """
    return input - other if isinstance(alpha, int) else input - alpha * other


@pointwise(
    saves=(), check=_no_bool_minus, inplace=False, out=False, node=by_operand("Rsub", "other", 0, 1), rounded=("alpha",)
)
def rsub(input: Array, other: Operand, *, alpha: Scalar = 1):
    """Return other - alpha * input.

    Args:
      alpha: the factor of `input`.
    """
    return other - input if isinstance(alpha, int) else other - alpha * input


def _check_mul(call: Call) -> None:
    """Raise PyTorch's error for a product of an 8-bit floating-point tensor and a number or 0-d tensor."""
    dtype = result_type(call.promoted, call.numbers)
    if dtype in FLOAT8 and (call.numbers or not all(a.ndim for a in call.arrays)):
        raise _errors.dtypes.not_implemented("mul_cpu_reduced_float", dtype)


@pointwise(check=_check_mul, aliases=("multiply",), of_numbers=True, overloads=False, float8=FLOAT8, exact=("other",))
def mul(input: Operand, other: Operand):
    """Return input * other.

    >>> torchlike.mul(torchlike.tensor([1, 2]), torchlike.tensor([[3], [4]]))
    tensor([[3, 6],
            [4, 8]])
    """
    return input * other


# -- division ----------------------------------------------------------------------------------------------------------


@pointwise(
    out=CASTABLE._replace(called="div", overloads=False),
    promote=to_float,
    node="DivBackward0",
    loop="div_cpu",
    exact=("other",),
    of_numbers=True,
)
def true_divide(input: Operand, other: Operand):
    """Return input / other in floating point.

    >>> torchlike.true_divide(torchlike.tensor([1, 3]), 2)
    tensor([0.5000, 1.5000])
    """
    return partial_derivatives.quotient(input, other)


def _divide_typing(call: Call) -> typing_rules.Typed:
    mode = call.rounding_mode
    if mode not in (None, "trunc", "floor"):
        raise _errors.arithmetic.rounding_mode(mode)
    if mode is not None:
        real_number(f"div_{mode}_cpu")(call)
    typed = typing_rules.pointwise(call, typing_rules.common if mode else to_float)
    typed.opmath = mode != "trunc" or not all(isinstance(x, Aval) and x.ndim for x in (call.input, call.other))
    return typed


def _divide_node(call: Call) -> str:
    return f"DivBackward{2 if call.rounding_mode else 0}"


_divide_node.numbers_are_tensors = True  # type: ignore[attr-defined]


def _div_into(input: Any, other: Any, *rounding_mode: str) -> Into:
    return CASTABLE._replace(overloads=not rounding_mode)


@declare(
    "pointwise",
    _divide_typing,
    guard=rounded_divisor,
    inplace=True,
    aliases=("divide",),
    node=_divide_node,
    out=_div_into,
    of_numbers=True,
    exact=("other",),
    chooses=lambda plan: plan.static("rounding_mode") is not None,
)
def div(input: Operand, other: Operand, *, rounding_mode: str | None = None):
    """Return input / other.

    With `rounding_mode` "trunc" or "floor", the quotient is rounded toward zero or down and keeps the common dtype.

    With a rounding mode, integer division by zero raises an error if the divisor is concrete. If the divisor is still
    pending, the result is unspecified; PyTorch always raises an error.

    Args:
      rounding_mode: None, "trunc" or "floor". Without a mode, integers give the default dtype.

    >>> torchlike.div(torchlike.tensor([-7, 7]), 2)
    tensor([-3.5000,  3.5000])
    >>> torchlike.div(torchlike.tensor([-7, 7]), 2, rounding_mode="floor")
    tensor([-4,  3])
    """
    if rounding_mode is None:
        return partial_derivatives.quotient(input, other)
    return _floored(input, other) if rounding_mode == "floor" else _cut(input, other)


def _cut(a, b):
    xp = namespace(a)
    if a.dtype.kind not in "iu":
        step, a, b = stepwise(a, b)  # PyTorch rounds the quotient of two tensors with dims before `trunc`
        return xp.trunc(step(a / b))
    return a // b + ((xp.remainder(a, b) != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def _floored(a, b):
    """Return the floor of the quotient, computed from the exact remainder, as in C libraries."""
    xp = namespace(a)
    if a.dtype.kind in "iu":
        return xp.floor_divide(a, b)
    if xp is np and (quick := remainders.floor_divide(a, b)) is not None:
        return quick
    return _floor_of_quotient(a, b) if xp is np else _floor_of_quotient(constant(a), constant(b))


def _floor_of_quotient(a, b):
    xp = namespace(a)
    rest = xp.fmod(a, b)
    quotient = (a - rest) / b
    quotient = quotient - ((rest != 0) & ((b < 0) != (rest < 0)))
    whole = xp.floor(quotient)
    whole = whole + (quotient - whole > 0.5)
    whole = xp.where(quotient == 0, xp.copysign(xp.zeros_like(quotient), a / b), whole)
    return xp.where(b == 0, a / b, whole).astype(a.dtype)


@pointwise(
    out=CASTABLE._replace(called="aten::floor_divide", overloads=False),
    host=HOST,
    check=real_number("div_floor_cpu"),
    guard=whole_divisor,
    node="torch::autograd::NotImplemented",
    refused="aten::floor_divide",
    exact=("other",),
    of_numbers=True,
)
def floor_divide(input: Operand, other: Operand):
    """Return input / other rounded down.

    >>> torchlike.floor_divide(torchlike.tensor([-7, 7]), 2)
    tensor([-4,  3])
    """
    return _floored(namespace(input).asarray(input), other)


@pointwise(host=HOST, check=real_number("remainder_cpu"), guard=whole_divisor, node=by_operand("Remainder", "other"))
def remainder(input: Operand, other: Operand):
    """Return the remainder of input / other with the sign of `other`, as Python's %.

    It equals input - other * floor(input / other).

    >>> torchlike.remainder(torchlike.tensor([-3, 3]), 2)
    tensor([1, 1])
    """
    xp = namespace(input)
    if xp is np and (quick := remainders.remainder(input, other)) is not None:
        return quick
    if input.dtype.kind in "biu":
        return xp.remainder(input, other)
    rest = xp.fmod(input, other)  # as in PyTorch, the gradient of `input` depends on no values
    apart = constant((rest != 0) & ((rest < 0) != (other < 0)))
    return rest + xp.where(apart, other, xp.asarray(-0.0, rest.dtype))


@pointwise(host=HOST, check=real_number("fmod_cpu"), guard=whole_divisor, node=by_operand("Fmod", "other"))
def fmod(input: Array, other: Operand):
    """Return the remainder of input / other with the sign of `input`, as C's fmod.

    >>> torchlike.fmod(torchlike.tensor([-3, 3]), 2)
    tensor([-1,  1])
    """
    xp = namespace(input)
    quick = remainders.fmod(input, other) if xp is np else None
    return xp.fmod(input, other) if quick is None else quick


@pointwise(check=only("gcd_cpu", INTEGER), differentiable=False)
def gcd(input: Array, other: Array):
    """Return the greatest common divisor of the elements of `input` and `other`."""
    return namespace(input).gcd(input, other)


@pointwise(check=only("lcm_cpu", INTEGER), differentiable=False)
def lcm(input: Array, other: Array):
    """Return the least common multiple of the elements of `input` and `other`."""
    return namespace(input).lcm(input, other)


# -- several operands --------------------------------------------------------------------------------------------------


@pointwise(
    autocast=WIDEST_ELSEWHERE,
    saves=("tensor1", "tensor2"),
    check=not_bool("addcmul_cpu_out"),
    old_orders=(("input", "value", "tensor1", "tensor2"),),
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, *, value: Scalar = 1):
    """Return input + value * tensor1 * tensor2.

    For integer tensors, `value` is truncated to an integer.

    Args:
      tensor1, tensor2: tensors that are broadcast with `input`.
      value: the factor of the product.

    >>> torchlike.addcmul(torchlike.ones(1), torchlike.tensor([2.0]), torchlike.tensor([3.0]), value=10)
    tensor([61.])
    """
    product = tensor1 * tensor2
    return input + (product if isinstance(value, int) else value.astype(product.dtype) * product)


def _check_addcdiv(call: Call) -> None:
    if typing_rules.result_type(call.arrays[1:], []).category <= INTEGER:
        raise _errors.arithmetic.whole_addcdiv()


@pointwise(
    autocast=WIDEST_ELSEWHERE,
    saves=("tensor1", "tensor2"),
    check=_check_addcdiv,
    old_orders=(("input", "value", "tensor1", "tensor2"),),
    loop="addcdiv_cpu_out",
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, *, value: Scalar = 1):
    """Return input + value * tensor1 / tensor2.

    Args:
      tensor1, tensor2: tensors that are broadcast with `input`.
      value: the factor of the quotient.

    >>> torchlike.addcdiv(torchlike.ones(1), torchlike.tensor([6.0]), torchlike.tensor([3.0]), value=10)
    tensor([21.])
    """
    return input + (tensor1 / tensor2 if isinstance(value, int) else value * (tensor1 / tensor2))


def _check_lerp(call: Call) -> None:
    for a in call.arrays[1:]:
        name = "end" if a is call.end else "weight"
        if a.dtype is not call.input.dtype and (name == "end" or a.ndim):  # a 0-d weight counts as a number
            raise RuntimeError(
                f"expected dtype {c_name(call.arrays[0].dtype)} for `{name}` but got dtype {c_name(a.dtype)}"
            )
    if call.input.dtype.category <= INTEGER:
        tensor = isinstance(call.weight, typing_rules.Aval)
        raise _errors.dtypes.not_implemented(f"lerp_kernel_{'tensor' if tensor else 'scalar'}", call.input.dtype)


@pointwise(
    exact=("weight",), check=_check_lerp, node=by_operand("Lerp", "weight", wraps=False), loop="lerp_kernel_scalar"
)
def lerp(input: Array, end: Array, weight: Operand):
    """Return input + weight * (end - input), exact at weights 0 and 1.

    Args:
      end: the second end point, of the dtype of `input`.
      weight: the share of `end`, a number or a tensor.

    >>> torchlike.lerp(torchlike.tensor([0.0]), torchlike.tensor([10.0]), 0.25)
    tensor([2.5000])
    """
    return partial_derivatives.between(input, end, weight)


# -- functions of two floating-point numbers ---------------------------------------------------------------------------


@pointwise(autocast=WIDEST_ELSEWHERE, promote=to_float, aliases=("arctan2",), check=not_complex("atan2_cpu"))
def atan2(input: Array, other: Array):
    """Return the angle of the point (x, y) = (other, input) in radians, in [-pi, pi].

    The gradient at the origin is 0.

    >>> torchlike.atan2(torchlike.tensor([1.0]), torchlike.tensor([1.0]))
    tensor([0.7854])
    """
    return partial_derivatives.angle(input, other)


@pointwise(remembers=(*each_for_itself("input", "other"), "result"), check=only("hypot_cpu", FLOATING))
def hypot(input: Array, other: Array):
    """Return sqrt(input**2 + other**2) without overflow."""
    return partial_derivatives.hypotenuse(input, other)


@pointwise(check=only("logaddexp_cpu", FLOATING, 3), inplace=False, where=("torch", "Tensor"))
def logaddexp(input: Array, other: Array):
    """Return log(exp(input) + exp(other)) without overflow.

    >>> torchlike.logaddexp(torchlike.tensor([0.0]), torchlike.tensor([0.0]))
    tensor([0.6931])
    """
    return added_logarithms(input, other)


def added_logarithms(a, b):
    """Return log(exp(a) + exp(b)) without overflow.

    Complex numbers are ordered by their real parts.
    """
    xp = namespace(a)
    if a.dtype.kind != "c":
        return partial_derivatives.logarithms_added(a, b)
    ahead = a.real >= b.real
    large, small = xp.where(ahead, a, b), xp.where(ahead, b, a)
    nothing = xp.isneginf(large.real)  # both are -inf
    found = large + xp.log(1 + xp.exp(xp.where(nothing, -xp.inf, small - xp.where(nothing, 0, large))))
    return found.astype(a.dtype)


@pointwise(check=only("logaddexp2_cpu", FLOATING), inplace=False)
def logaddexp2(input: Array, other: Array):
    """Return log2(2**input + 2**other) without overflow."""
    return partial_derivatives.binary_logarithms_added(input, other)


@pointwise(
    promote=to_float,
    node=by_operand("Copysign", "other", 0, 1),
    remembers=(Kept("input", only_for="input"), "result"),
    takes=REALS,
)
def copysign(input: Array, other: Operand):
    """Return the magnitude of `input` with the sign of `other`.

    `other` gets no gradient, and `input` gets none where it is 0.
    """
    return partial_derivatives.sign_copied(input, other)


@pointwise(check=only("nextafter_cpu", FLOATING), opmath=False, chooses=True)
def nextafter(input: Array, other: Array):
    """Return the next floating-point number after `input` in the direction of `other`."""
    if namespace(input) is np:
        return np.nextafter(input, other)
    return _next(*jax.numpy.broadcast_arrays(input, other))


@jax.custom_jvp
def _next(a, b):
    return jax.lax.nextafter(a, b)


@_next.defjvp
def _next_jvp(primals, changes):
    a, b = primals
    return _next(a, b), jax.numpy.where(a == b, 0, changes[0])


@pointwise(out=Into(cast=_errors.outs.ldexp), promote=to_float, node="MulBackward0", exact=("other",), overlaps=True)
def ldexp(input: Array, other: Array):
    """Return input * 2**other."""
    return input * partial_derivatives.power_of_two(other)


def _check_heaviside(call: Call) -> None:
    if call.input.dtype is not call.values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    if call.input.dtype.is_complex:
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")


@pointwise(
    out=Into(_errors.outs.heaviside, called="aten::heaviside"),
    check=_check_heaviside,
    opmath=False,
    node="torch::autograd::NotImplemented",
    refused="aten::heaviside",
)
def heaviside(input: Array, values: Array):
    """Return the Heaviside step function: 0 below zero, 1 above zero, `values` at zero, and 0 for NaN.

    Args:
      values: the results where `input` is zero, of its dtype. They are broadcast.
    """
    xp = namespace(input)
    step = xp.where(input > 0, 1, 0).astype(input.dtype)
    return xp.where(input == 0, values, xp.where(input != input, 0, step)).astype(input.dtype)
