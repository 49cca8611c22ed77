"""Element selection: maximum, minimum, clamping and `where`."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema.checks import bounds_in_range, chosen_in_range, not_bool, not_complex, not_wide
from torchlike._ops.schema.declare import Array, Operand, constant, namespace, pointwise
from torchlike._ops.schema.namespace import choose
from torchlike._ops.schema.node_names import by_operand
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.typing_rules import Aval, Call, result_type


@jax.custom_jvp
def _larger(a, b):
    return jnp.maximum(a, b)


@jax.custom_jvp
def _smaller(a, b):
    return jnp.minimum(a, b)


def _selection_jvp(winner, loses):
    """Return a JVP rule for the selection of one of two elements.

    Equal elements share the gradient, and the element that is not selected gets none. If either element is NaN, both
    get the whole gradient.
    """

    def tangent(primals, tangents):
        a, b = primals
        half = jnp.where(a == b, 0.5, 1.0).astype(a.dtype)
        mine = jnp.where(loses(a, b), 0, half * tangents[0])
        return winner(a, b), mine + jnp.where(loses(b, a), 0, half * tangents[1])

    return tangent


_larger.defjvp(_selection_jvp(_larger, lambda a, b: a < b))
_smaller.defjvp(_selection_jvp(_smaller, lambda a, b: a > b))


def _comparison_check(name: str) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        if result_type(call.promoted, []).is_complex:
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        refuse_wide(call)

    kernel = {"fmax": "maximum", "fmin": "minimum"}.get(name, name)
    refuse_wide = not_wide(f"{kernel}_cpu")
    return check


@pointwise(check=_comparison_check("maximum"), inplace=False, chooses=True)
def maximum(input: Array, other: Array):
    """Return the larger of `input` and `other` for each pair of elements, or NaN if either is NaN.

    Equal elements share the gradient.

    >>> torchlike.maximum(torchlike.tensor([1, 5]), torchlike.tensor([3, 4]))
    tensor([3, 5])
    """
    return _larger(input, other) if namespace(input) is jnp else np.maximum(input, other)


@pointwise(check=_comparison_check("minimum"), inplace=False, chooses=True)
def minimum(input: Array, other: Array):
    """Return the smaller of `input` and `other` for each pair of elements, or NaN if either is NaN.

    Equal elements share the gradient.

    >>> torchlike.minimum(torchlike.tensor([1, 5]), torchlike.tensor([3, 4]))
    tensor([1, 4])
    """
    return _smaller(input, other) if namespace(input) is jnp else np.minimum(input, other)


@pointwise(check=_comparison_check("fmax"), inplace=False, chooses=True)
def fmax(input: Array, other: Array):
    """Return the larger of `input` and `other` for each pair of elements, ignoring NaN.

    The result is NaN only if both are NaN. If the elements are equal, `input` gets the gradient.
    """
    xp = namespace(input)
    return xp.where((input >= other) | (other != other), input, other)


@pointwise(check=_comparison_check("fmin"), inplace=False, chooses=True)
def fmin(input: Array, other: Array):
    """Return the smaller of `input` and `other` for each pair of elements, ignoring NaN.

    The result is NaN only if both are NaN. If the elements are equal, `input` gets the gradient.
    """
    xp = namespace(input)
    return xp.where((input <= other) | (other != other), input, other)


def _check_clamp(call: Call) -> None:
    if call.min is None and call.max is None:
        raise _errors.arithmetic.clamp_without_bounds("torch.clamp")
    bounds = [bound for bound in (call.min, call.max) if bound is not None]
    kinds = ["Tensor" if isinstance(bound, Aval) else bound.__name__ for bound in bounds]
    has_dims = any(isinstance(bound, Aval) and bound.ndim for bound in bounds)
    if has_dims and {*kinds} != {"Tensor"}:  # a 0-d tensor stands for a number
        raise _errors.arguments.no_overload("clamp", ", ".join(["Tensor", *kinds]))
    if call.input.dtype.is_complex:
        raise _errors.arithmetic.clamped_complex()
    if call.min is None or call.max is None:
        (_check_clamp_max if call.min is None else _check_clamp_min)(call)
    else:
        not_bool("clamp_scalar_cpu" if call.numbers else "clamp_cpu")(call)


def _check_bound(side: str, kernel: str) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        if not call.numbers:
            not_complex(kernel)(call)
        elif result_type(call.promoted, call.numbers).is_complex:
            raise _errors.arithmetic.clamped_complex()
        else:
            not_bool(f"clamp_{side}_scalar_cpu")(call)

    return check


_check_clamp_min, _check_clamp_max = _check_bound("min", "maximum_cpu"), _check_bound("max", "minimum_cpu")


def _clamp_node(call: Call) -> str:
    return f"ClampBackward{0 if any(isinstance(b, Aval) for b in (call.min, call.max)) else 1}"


def _clamp_fits(call: Call) -> None:
    dtype = result_type(call.promoted, call.numbers)
    if call.numbers and not _dtypes.can_cast(dtype, call.input.dtype):
        raise _errors.dtypes.cannot_become(dtype, call.input.dtype)


@pointwise(
    check=_check_clamp,
    fits=_clamp_fits,
    guard=bounds_in_range,
    opmath=False,
    aliases=("clip",),
    node=_clamp_node,
    chooses=True,
)
def clamp(input: Array, min: Operand | None = None, max: Operand | None = None):
    """Return min(max(input, min), max) for each element.

    An element at a bound receives the gradient. Outside the bounds, the bound receives the gradient if it is a tensor.
    If `min` exceeds `max`, the result is `max`.

    Args:
      min: the lower bound, a number or a tensor that is broadcast. None: no bound.
      max: the upper bound, of the same kinds. At least one bound must be given.

    >>> torchlike.clamp(torchlike.tensor([-1, 2, 5]), 0, 3)
    tensor([0, 2, 3])
    """
    return _clamped(input, min, max)


def _clamped(x, low, high):
    xp = namespace(x)
    if low is None and high is None:
        return x
    inside = x == x
    out = constant(x)  # keeps NaN, without a gradient
    if high is not None:
        inside = inside & (x <= high)
        out = choose(x > high, high, out)
    if low is not None:
        inside = inside & (x >= low)
        below = low if high is None else xp.where(low > high, high, low)
        out = choose(x < low, below, out)
    out = choose(inside, x, out)
    for bound in (low, high):
        if bound is not None and x.dtype.kind not in "biu":
            out = xp.where(bound != bound, constant(bound), out)
    return out


@pointwise(check=_check_clamp_min, opmath=False, node=by_operand("ClampMin", "min", wraps=False), chooses=True)
def clamp_min(input: Array, min: Operand):
    """Return max(input, min) for each element. See `clamp`.

    Args:
      min: the lower bound, a number or a tensor that is broadcast.

    >>> torchlike.clamp_min(torchlike.tensor([-1, 2]), 0)
    tensor([0, 2])
    """
    return _clamped(input, min, None)


@pointwise(check=_check_clamp_max, opmath=False, node=by_operand("ClampMax", "max", wraps=False), chooses=True)
def clamp_max(input: Array, max: Operand):
    """Return min(input, max) for each element. See `clamp`.

    Args:
      max: the upper bound, a number or a tensor that is broadcast.

    >>> torchlike.clamp_max(torchlike.tensor([-1, 2]), 0)
    tensor([-1,  0])
    """
    return _clamped(input, None, max)


def _check_where(call: Call) -> None:
    if call.condition.dtype not in (_dtypes.bool_, _dtypes.uint8):
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{scalar_name(call.condition.dtype)}"
        )
    if call.condition.dtype is _dtypes.uint8:
        _errors.deprecated.say("byte condition")


@pointwise(
    out=Into(_errors.outs.chosen, overloads=False),
    keeps=("condition",),
    saves=("condition",),
    opmath=False,
    inplace=False,
    check=_check_where,
    guard=chosen_in_range,
    float8=FLOAT8,
)
def where(condition: Array, input: Operand, other: Operand):
    """Return elements of `input` where `condition` is true, and elements of `other` elsewhere.

    The element that is not selected gets no gradient.
    """
    return choose(condition if condition.dtype == bool else condition != 0, input, other)
