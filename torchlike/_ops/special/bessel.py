"""Bessel functions, and the related Airy and Hurwitz zeta functions.

SciPy computes them on the host, in compiled programs too. The exceptions are `spherical_bessel_j0` and, in compiled
programs, `zeta`. As in PyTorch, only `zeta` has a gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from torchlike._ops.schema.checks import SINGLE_REALS
from torchlike._ops.schema.declare import Array, Operand, namespace, pointwise
from torchlike._ops.schema.node_names import of_two
from torchlike._ops.schema.typing_rules import to_float


def _on_host(name: str, x, *, pick: Callable = lambda found, a: found):
    """Apply the SciPy function `name` on the host; compiled programs call back into Python.

    `pick(results, a)` returns the result for the array `a`.
    """

    def compute(a):
        from scipy import special

        return np.asarray(pick(getattr(special, name)(a), a), a.dtype)

    if namespace(x) is np:
        return compute(x)
    return jax.pure_callback(compute, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="expand_dims")


def _bessel(kernel: Callable) -> Callable:
    name = kernel.__name__
    row = pointwise(
        promote=to_float,
        where=("special",),
        inplace=False,
        opmath=False,
        differentiable=False,
        loop=f"{name}_cpu",
        takes=SINGLE_REALS,
    )
    return row(kernel)


@_bessel
def airy_ai(x: Array):
    """Return the Airy function Ai(x), element by element.

    Args:
      x: the operand.
    """
    return _on_host("airy", x, pick=_airy)


def _airy(found: tuple, x: np.ndarray) -> np.ndarray:
    """Return Ai(x) from SciPy's results, which are NaN for large arguments."""
    x = x.astype(np.float64)
    size = np.where(x < -1e6, -x, 1)
    waves = np.sin(2 / 3 * size * np.sqrt(size) + np.pi / 4) / np.sqrt(np.pi * np.sqrt(size))
    return np.where(np.isinf(x), found[0], np.where(x > 104, 0, np.where(x < -1e6, waves, found[0])))


@_bessel
def bessel_j0(input: Array):
    """Return the Bessel function of the first kind of order 0, element by element."""
    return _on_host("j0", input)


@_bessel
def bessel_j1(input: Array):
    """Return the Bessel function of the first kind of order 1, element by element."""
    return _on_host("j1", input)


@_bessel
def bessel_y0(input: Array):
    """Return the Bessel function of the second kind of order 0, element by element."""
    return _on_host("y0", input)


@_bessel
def bessel_y1(input: Array):
    """Return the Bessel function of the second kind of order 1, element by element."""
    return _on_host("y1", input)


@_bessel
def modified_bessel_i0(input: Array):
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    return _on_host("i0", input)


@_bessel
def modified_bessel_i1(input: Array):
    """Return the modified Bessel function of the first kind of order 1, element by element."""
    return _on_host("i1", input)


@_bessel
def modified_bessel_k0(input: Array):
    """Return the modified Bessel function of the second kind of order 0, element by element."""
    return _on_host("k0", input)


@_bessel
def modified_bessel_k1(input: Array):
    """Return the modified Bessel function of the second kind of order 1, element by element."""
    return _on_host("k1", input)


@_bessel
def scaled_modified_bessel_k0(x: Array):
    """Return modified_bessel_k0(x) * exp(x), which does not underflow for large x.

    Args:
      x: the operand.
    """
    return _on_host("k0e", x)


@_bessel
def scaled_modified_bessel_k1(x: Array):
    """Return modified_bessel_k1(x) * exp(x), which does not underflow for large x.

    Args:
      x: the operand.
    """
    return _on_host("k1e", x)


@_bessel
def spherical_bessel_j0(x: Array):
    """Return the spherical Bessel function of the first kind of order 0, which is sin(x) / x, and 1 at 0.

    Args:
      x: the operand.
    """
    xp = namespace(x)
    return xp.where(xp.isinf(x), 0, xp.sinc(x / xp.pi)).astype(x.dtype)


@pointwise(
    promote=to_float, where=("special",), inplace=False, opmath=False, node=of_two("SpecialZeta"), takes=SINGLE_REALS
)
def zeta(input: Operand, other: Operand):
    """Return the Hurwitz zeta function, the sum over k >= 0 of (other + k) ** -input."""
    return hurwitz_zeta(input, other)


def hurwitz_zeta(x, q):
    """Return the sum over k >= 0 of (q + k) ** -x for NumPy or JAX arrays, in the dtype of `q`."""
    if namespace(q) is np:
        from scipy import special

        return special.zeta(x, q).astype(q.dtype)
    # For negative q, terms of both signs cancel, so float32 has too few digits.
    wide = jnp.broadcast_arrays(jnp.asarray(x).astype("float64"), q.astype("float64"))
    return _zeta(*wide).astype(q.dtype)


@jax.custom_jvp
def _zeta(x, q):
    """Return the Hurwitz zeta function.

    JAX's is wrong for q < -8, so it gets the first positive q + k. It is NaN for large x, where two terms suffice.
    """
    low = q <= 0
    pole, undefined = low & (q == jnp.floor(q)), low & (x != jnp.floor(x))

    def add_a_term(state):
        base, total = state
        negative = base <= 0
        term = jnp.where(negative, base, 1) ** -x
        return jnp.where(negative, base + 1, base), jnp.where(negative, total + term, total)

    start = jnp.where(low & ~pole & ~undefined, q, 1), jnp.zeros_like(q)
    base, total = jax.lax.while_loop(lambda state: (state[0] <= 0).any(), add_a_term, start)
    first, large = jnp.where(low, base, q), x > 1000
    several = jax.scipy.special.zeta(jnp.where(large, 2, x), first)
    found = total + jnp.where(large, first**-x + (first + 1) ** -x, several)
    found = jnp.where(pole, jnp.inf, jnp.where(undefined, jnp.nan, found))
    return jnp.where(x == 1, jnp.inf, jnp.where(x < 1, jnp.nan, found))


def _zeta_jvp(primals, changes):
    (x, q), (dx, dq) = primals, changes
    change = jnp.zeros_like(q) if isinstance(dq, SymbolicZero) else dq * -x * _zeta(x + 1, q)
    if not isinstance(dx, SymbolicZero):
        zeta_of_positive = lambda x: jax.scipy.special.zeta(x, jnp.where(q > 0, q, 1))
        change = change + jnp.where(q > 0, jax.jvp(zeta_of_positive, (x,), (dx,))[1], jnp.nan)
    return _zeta(x, q), change


_zeta.defjvp(_zeta_jvp, symbolic_zeros=True)
