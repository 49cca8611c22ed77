"""Softmax and log-softmax."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.reduce.row_sums import in_c, row_sums
from torchlike._ops.reduce.row_sums import softmax as softmax_of_rows
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.declare import Array, constant, namespace, operator
from torchlike._ops.schema.rounding import Step, stepwise, unchanged
from torchlike._ops.schema.typing_rules import Call, wrap_dim


def _check(kernel: str, call: Call) -> None:
    x = call.input
    dim = wrap_dim(call.dim, x.ndim)
    if 0 not in x.shape and (x.dtype in _dtypes.FLOAT8 or x.dtype.category != _dtypes.FLOATING):
        last = "_lastdim" if dim == max(x.ndim, 1) - 1 else ""
        raise _errors.dtypes.not_implemented(f"{kernel}{last}_kernel_impl", x.dtype)


def _same_shape(call: Call) -> list:
    return [call.input.shape]


def _sums(x: np.ndarray, dim: int) -> np.ndarray:
    return row_sums(x) if dim in (-1, x.ndim - 1) else np.sum(x, axis=dim, keepdims=True)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_same_shape,
    check=lambda call: _check("softmax", call),
    name="_softmax",
    remembers=("result",),
    node="SoftmaxBackward0",
    refuses_complex="_softmax",
)
def _softmax(input: Array, dim: int):
    """Return exp(x) divided by its sum over a dim."""
    if namespace(input) is not np:
        return jax.nn.softmax(input, axis=dim) if input.ndim else jax.nn.softmax(input[None])[0]
    if not input.ndim or not input.size:
        return input * 0 + 1
    if dim in (-1, input.ndim - 1) and in_c(input, input.shape[-1]):
        return softmax_of_rows(input)
    e = input - np.max(input, axis=dim, keepdims=True)
    np.exp(e, out=e)
    e /= _sums(e, dim)
    return e


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_same_shape,
    check=lambda call: _check("log_softmax", call),
    name="_log_softmax",
    remembers=("result",),
    node="LogSoftmaxBackward0",
    refuses_complex="_log_softmax",
    opmath=False,
)
def _log_softmax(input: Array, dim: int):
    """Return x minus the logarithm of the sum of exp(x) over a dim."""
    step, x = stepwise(input)
    if not x.size:
        return x * 0
    if namespace(x) is np:
        return _shifted(x, dim, step) if x.ndim else x * 0
    return _differentiated(x, dim, step) if x.ndim else _differentiated(x[None], dim, step)[0]


def _shifted(x, dim: int, step: Step):
    xp = namespace(x)
    if dim not in (-1, x.ndim - 1):
        step = unchanged  # PyTorch rounds intermediate results only along the last dim
    if xp is not np and step is unchanged:
        return jax.nn.log_softmax(x, axis=dim)
    shifted = x - constant(xp.max(x, axis=dim, keepdims=True))
    sums = _sums(np.exp(shifted), dim) if xp is np else xp.sum(xp.exp(shifted), axis=dim, keepdims=True)
    shifted -= step(xp.log(step(sums)))  # in place with NumPy
    return shifted


# PyTorch sums the gradient in float32. The derivative of the single steps would round the sum to half precision.
_differentiated = jax.custom_jvp(_shifted, nondiff_argnums=(1, 2))


@_differentiated.defjvp
def _differentiated_jvp(dim: int, step: Step, primals: tuple, changes: tuple) -> tuple:
    found, (change,) = _differentiated(*primals, dim, step), changes
    shares = jnp.exp(step(found))
    return found, change - jnp.sum(shares * change, axis=dim, keepdims=True)
