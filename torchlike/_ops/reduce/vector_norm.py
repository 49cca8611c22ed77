"""Vector norms, and the powers and roots that they are computed from."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.elementwise.partial_derivatives import absolute
from torchlike._ops.reduce.reduce import Dims, axes, extreme, is_row
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.declare import EXACT, HOST_REDUCES, ONCE, UNSQUEEZED, Array, Kept, namespace, reduction
from torchlike._ops.schema.typing_rules import Call, reduced_dims, reduced_shape, to_real


def root_of_powers(total, order: float):
    """Return total**(1/order), with gradient 0 at 0.

    For order 2, the second derivative at 0 is NaN, as in PyTorch.
    """
    if order == 2:
        return np.sqrt(total) if namespace(total) is np else _steep_root(total)
    xp = namespace(total)
    zero = total == 0
    return xp.where(zero, xp.zeros_like(total), xp.power(xp.where(zero, xp.ones_like(total), total), 1 / order))


_steep_root = jax.custom_jvp(jnp.sqrt)


@_steep_root.defjvp
def _steep_root_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    found = _steep_root(x)
    return found, jnp.where(found == 0, 0, 0.5 / found).astype(x.dtype) * dx


def power_of_size(size, exponent: float):
    """Return size**exponent for nonnegative `size`, with gradient 0 at 0.

    For an exponent below 2, the second derivative at 0 is NaN, as in PyTorch's norms.
    """
    return _plain_power(size, exponent) if namespace(size) is np else _steep_power(size, exponent)


def _plain_power(size, exponent: float):
    xp = namespace(size)
    none = size == 0
    return xp.where(none, xp.zeros_like(size), xp.power(xp.where(none, xp.ones_like(size), size), exponent))


_steep_power = functools.partial(jax.custom_jvp, nondiff_argnums=(1,))(_plain_power)


@_steep_power.defjvp
def _steep_power_jvp(exponent, primals, tangents):
    (size,), (change,) = primals, tangents
    slope = jnp.where(size == 0, 0, exponent * jnp.power(size, exponent - 1)).astype(size.dtype)
    return _steep_power(size, exponent), slope * change


def _check_norm(call: Call) -> None:
    dtype = call.input.dtype
    _errors.linalg.check_order("vector_norm", call.ord)
    if dtype.category < _dtypes.FLOATING:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(dtype)}"
        )
    if call.dtype is not None:
        _errors.linalg.check_norm_dtype(dtype, call.dtype)
    dims = call.arguments.get("dim")
    _errors.linalg.check_identity(
        call.ord, tuple(call.input.shape), None if dims is None else reduced_dims(call.input.ndim, dims)
    )


FLAT_ORDERS = (0, 1, math.inf, -math.inf)  # orders of norms whose second derivative is zero


def _norm_keeps(call: Call) -> tuple[str | Kept, ...]:
    return ("inputs", "result", ONCE if call.ord in FLAT_ORDERS else UNSQUEEZED)


@reduction(
    out=EXACT,
    autocast=FULL_ELSEWHERE,
    promote=to_real,
    of_requested=to_real,
    check=_check_norm,
    where=("linalg",),
    remembers=_norm_keeps,
    host=HOST_REDUCES,
    node="LinalgVectorNormBackward0",
    loop="norm_cpu",
)
def vector_norm(input: Array, ord: Any = 2, dim: Dims = None, keepdim: bool = False, *, dtype=None):
    """Return the vector norm (sum of |x|**ord)**(1/ord) over `dim` (default: all dims).

    For `ord` inf and -inf, it is the largest and the smallest |x|. For 0, it is the number of nonzero elements. The
    gradient is 0 where the norm is 0; the second derivative is NaN there.

    Args:
      input: the tensor.
      ord: the order of the norm.

    >>> torchlike.linalg.vector_norm(torchlike.tensor([3.0, 4.0]))
    tensor(5.)
    """
    xp, over = namespace(input), axes(input, dim)
    if ord == 2 and xp is np and input.dtype.kind == "f" and is_row(input, over):
        found = np.sqrt(_sum_of_squares(input.reshape(1, -1) if len(over) == input.ndim else input))
        return found.reshape(reduced_shape(input.shape, dim, keepdim))
    if ord == 2:
        squares = input * input if input.dtype.kind != "c" else input.real * input.real + input.imag * input.imag
        return root_of_powers(xp.sum(squares, axis=over, keepdims=keepdim), 2)
    if ord == 0:
        return xp.sum((input != 0).astype(input.real.dtype), axis=over, keepdims=keepdim)
    size = absolute(input)
    is_one = math.prod([input.shape[axis] for axis in over]) == 1  # the norm of one element is its magnitude
    if math.isinf(ord) or is_one:
        return extreme(size, "max" if ord > 0 else "min", dim, keepdim, nan=True)
    if ord == 1:
        return xp.sum(size, axis=over, keepdims=keepdim)
    return _general_norm(xp, size, ord, over, keepdim)


def _sum_of_squares(x: np.ndarray) -> np.ndarray:
    """Return the sum of squares along the last axis.

    Summing in blocks limits the rounding error. No temporary array of squares is created.
    """
    whole = x.shape[-1] // 128 * 128
    blocks, rest = x[..., :whole].reshape(*x.shape[:-1], -1, 128), x[..., whole:]
    return np.einsum("...ij,...ij->...i", blocks, blocks).sum(-1) + np.einsum("...i,...i->...", rest, rest)


def _general_norm(xp, size, ord, over, keepdim):
    powers = power_of_size(size, ord)
    if ord < 0:
        powers = xp.where(size == 0, xp.full_like(size, xp.inf), powers)
    return root_of_powers(xp.sum(powers, axis=over, keepdims=keepdim), ord)
