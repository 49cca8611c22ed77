"""Half precision in the interpreter has the same bits as in XLA."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from torchlike._engine.interpreter.jaxpr import flatten

# XLA rounds several times in the other functions (`exp2`, `logistic`), and NumPy does not.
FUNCTIONS = {
    **{name: getattr(lax, name) for name in ("add", "sub", "mul", "div", "max", "min", "eq", "lt", "ge")},
    **{
        name: lambda x, y, f=getattr(lax, name): f(x) for name in ("neg", "sign", "sqrt", "rsqrt", "sin", "cos", "tanh")
    },
    "where": lambda x, y: jnp.where(x > 0, x, y),
    "clamp": lambda x, y: lax.clamp(jnp.asarray(-1, x.dtype), x, jnp.asarray(2, x.dtype)),
    "amax": lambda x, y: jnp.max(x.reshape(256, -1), 1),
    "reduce_precision": lambda x, y: lax.reduce_precision(x.astype(jnp.float32) * 1.2345678, 8, 7),
}


def _numbers(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers of a dtype from 0.01 to 100 and their negatives, in two orders, and zeros for a square size.

    No result is subnormal. XLA may write zero for a subnormal number.
    """
    bits = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    size = np.abs(bits.astype(np.float32))
    numbers = np.where((size > 0.01) & (size < 100), bits, np.zeros((), dtype))
    return numbers, np.random.default_rng(0).permutation(numbers)


@pytest.mark.filterwarnings("ignore:.*encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [jnp.bfloat16, np.float16], ids=["bfloat16", "float16"])
def test_results_have_the_bits_of_xla(dtype, name):
    given = _numbers(np.dtype(dtype))
    function = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        (found,) = flatten(jax.make_jaxpr(function)(*given))(*given)
    due = np.asarray(jax.jit(function, compiler_options={"xla_allow_excess_precision": False})(*given))
    assert found.dtype == due.dtype
    np.testing.assert_array_equal(found.astype(np.float32), due.astype(np.float32))
