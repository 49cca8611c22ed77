"""Element-wise functions of one tensor."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from torchlike._ops._declare import Array, namespace, pointwise
from torchlike._ops._rules import to_float


@pointwise(saves=(), aliases=("negative",))
def neg(input: Array):
    """The negative of each element."""
    return -input


@pointwise(promote=to_float)
def exp(input: Array):
    """e to the power of each element."""
    return namespace(input).exp(input)


@pointwise(promote=to_float)
def log(input: Array):
    """The natural logarithm of each element; -inf at 0, NaN below."""
    return namespace(input).log(input)


@pointwise(promote=to_float)
def sqrt(input: Array):
    """The square root of each element; NaN below 0. Its gradient at 0 is inf."""
    return namespace(input).sqrt(input)


@pointwise(promote=to_float)
def tanh(input: Array):
    """The hyperbolic tangent of each element."""
    return namespace(input).tanh(input)


@pointwise(promote=to_float)
def sigmoid(input: Array):
    """1 / (1 + exp(-x))."""
    return jax.nn.sigmoid(input) if namespace(input) is jnp else 1 / (1 + namespace(input).exp(-input))


@pointwise(where=("torch", "Tensor", "nn.functional"), opmath=False)
def relu(input: Array):
    """max(x, 0); NaN stays NaN, the gradient at 0 is 0."""
    xp = namespace(input)
    return xp.where(input <= 0, xp.zeros_like(input), input)


@pointwise(saves=(), opmath=False, inplace=False)
def clone(input: Array):
    """A copy."""
    return input
