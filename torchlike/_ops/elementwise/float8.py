"""Casts inside kernels. Casts from and to 8-bit floating point round as PyTorch's do, in gradients too.

The gradient of a cast is the reverse cast. JAX would round this cast by its own rules, for example to NaN beyond the
range of e4m3fn. Therefore the cast is a primitive whose transpose is the same primitive.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes
from torchlike._engine.interpreter.rules import Equation, rule
from torchlike._engine.xla.jax_private import (
    Primitive,
    ShapedArray,
    deflinear2,
    defvectorized,
    lower_fun,
    register_lowering,
)

cast_p = Primitive("torchlike_float8")


def cast(array: Any, to: _dtypes.dtype) -> Any:
    """Return the array's elements in another dtype."""
    narrow = to in _dtypes.FLOAT8 or array.dtype in _dtypes.FLOAT8_NUMPY
    if narrow and not isinstance(array, np.ndarray | np.generic):
        return _dtypes.cast_float8(array, to, _step)
    return _dtypes.cast(array, to)


def wide(array: Any) -> Any:
    """Return an 8-bit floating-point array as float32, in which products are summed, and any other array unchanged."""
    dtype = array.dtype
    return cast(array, _dtypes.float32) if dtype.itemsize == 1 and dtype in _dtypes.FLOAT8_NUMPY else array


def _step(x: Any, to: _dtypes.dtype) -> Any:
    return cast_p.bind(x, to=to)


def _plain(x: Any, *, to: _dtypes.dtype) -> Any:
    return _dtypes.rounded_to_float8(jnp, x, to)


@rule("torchlike_float8")
def _by_numpy(e: Equation) -> Any:
    to = e.params["to"]
    return lambda x: np.asarray(_dtypes.cast(x, to))


def _back(change: Any, x: Any, *, to: _dtypes.dtype) -> list:
    return [_step(change, _dtypes.from_numpy(x.aval.dtype))]


cast_p.def_impl(_plain)
cast_p.def_abstract_eval(lambda x, *, to: ShapedArray(x.shape, to.numpy))
deflinear2(cast_p, _back)
defvectorized(cast_p)
register_lowering(cast_p, lower_fun(_plain, multiple_results=False))
