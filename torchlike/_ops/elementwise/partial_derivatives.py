"""Functions with explicit partial derivatives.

Automatic differentiation of these functions gives NaN where PyTorch's gradient is a number: at infinities, at zero, and
where an intermediate result underflows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._ops.schema.namespace import constant, namespace


def with_slopes(function: Callable, *slopes: Callable) -> Callable:
    """Return `function` with explicit derivatives.

    The derivative with respect to each array is `slope(result, *arrays)`.
    """
    differentiated = jax.custom_jvp(function)

    @differentiated.defjvp
    def _(primals: tuple, changes: tuple) -> tuple:
        result = differentiated(*primals)
        return result, sum(change * slope(result, *primals) for slope, change in zip(slopes, changes))

    def call(*arrays: Any) -> Any:
        is_numpy = all(namespace(a) is np for a in arrays)
        return function(*arrays) if is_numpy else differentiated(*arrays)

    return call


def with_one_slope(function: Callable) -> Callable:
    """Return `function` of one array, whose gradient is one product of its slope and the incoming gradient.

    The derived rule may add several such products. If the incoming gradient is infinite, their sum may be NaN.
    """
    return with_slopes(function, lambda _, x: jax.jvp(function, (x,), (jnp.ones_like(x),))[1])


def with_mask(function: Callable, mask: Callable) -> Callable:
    """Return `function` of one array with the slope 1 where `mask(array)` is true, and 0 elsewhere.

    As in PyTorch, 0 times an incoming gradient that is not finite is NaN. XLA would simplify the product with a mask.
    """
    differentiated = jax.custom_jvp(function)

    @differentiated.defjvp
    def _(primals: tuple, changes: tuple) -> tuple:
        (x,), (change,) = primals, changes
        return differentiated(x), jnp.where(mask(x), change, 0 * change)

    return lambda x: (function if namespace(x) is np else differentiated)(x)


def _xp(function: str) -> Callable:
    return lambda a, b: getattr(namespace(a), function)(a, b)


@jax.custom_jvp
def _divided(a: Any, b: Any) -> Any:
    return jnp.true_divide(a, b)


@_divided.defjvp
def _divided_jvp(primals: tuple, changes: tuple) -> tuple:
    (a, b), (da, db) = primals, changes
    q = _divided(a, b)
    return q, da / b + _divided(-q, b) * db


def quotient(a: Any, b: Any) -> Any:
    """Return a / b. Its gradients are rounded as PyTorch rounds them."""
    return np.true_divide(a, b) if namespace(a) is np and namespace(b) is np else _divided(a, b)


def modulus(z: Any) -> Any:
    """Return |z| for complex numbers. The gradient at 0 is 0."""
    return np.abs(z) if namespace(z) is np else _modulus(z)


_absolute = with_slopes(abs, lambda size, x: jnp.where(x == x, jnp.sign(x), 0))


def absolute(x: Any) -> Any:
    """Return |x|. The gradient at 0, and at a real NaN, is 0."""
    return modulus(x) if x.dtype.kind == "c" else _absolute(x)


def phase(z: Any) -> Any:
    """Return z / |z|, or 0 for z = 0.

    The gradient at 0 is 0. The second derivative at 0 is NaN, as in PyTorch.
    """
    return _direction(z) if namespace(z) is np else _phase(z)


def _direction(z: Any) -> Any:
    xp = namespace(z)
    size = xp.abs(z)
    return xp.where(size == 0, 0, z / xp.where(size == 0, 1, size))


_modulus, _phase = jax.custom_jvp(jnp.abs), jax.custom_jvp(_direction)


@_modulus.defjvp
def _modulus_jvp(primals: tuple, changes: tuple) -> tuple:
    (z,), (dz,) = primals, changes
    return _modulus(z), (jnp.conj(_phase(z)) * dz).real


@_phase.defjvp
def _phase_jvp(primals: tuple, changes: tuple) -> tuple:
    (z,), (dz,) = primals, changes
    size, found = _modulus(z), _phase(z)
    return found, (dz - found * (jnp.conj(found) * dz).real) * jnp.where(size == 0, 0, 1 / size)


hypotenuse = with_slopes(_xp("hypot"), lambda r, a, b: a / r, lambda r, a, b: b / r)


def _per_square(a: Any, b: Any) -> Any:
    square = a * a + b * b
    return jnp.where(square == 0, 0, 1 / square)


angle = with_slopes(_xp("arctan2"), lambda r, a, b: b * _per_square(a, b), lambda r, a, b: -a * _per_square(a, b))


def _between(start: Any, end: Any, share: Any) -> Any:
    xp, span = namespace(start), end - start
    return xp.where(xp.abs(share) < 0.5, start + share * span, end - span * (1 - share))


def between(start: Any, end: Any, share: Any) -> Any:
    """Return start + share * (end - start), exact at the shares 0 and 1. `share` may be a number."""
    slopes = (lambda r, a, b, c: 1 - c), (lambda r, a, b, c: c), (lambda r, a, b, c: b - a)
    return with_slopes(_between, *slopes)(start, end, namespace(start).asarray(share))


def _added(function: str) -> Callable:
    def add(a: Any, b: Any) -> Any:
        xp = namespace(a)
        found = getattr(xp, function)(a, b)
        return found if xp is np else xp.where(xp.isinf(a) & (a == b), a, found)

    return add


logarithms_added = with_slopes(
    _added("logaddexp"), lambda r, a, b: 1 / (1 + jnp.exp(b - a)), lambda r, a, b: 1 / (1 + jnp.exp(a - b))
)
binary_logarithms_added = with_slopes(
    _added("logaddexp2"), lambda r, a, b: 1 / (1 + jnp.exp2(b - a)), lambda r, a, b: 1 / (1 + jnp.exp2(a - b))
)


def _signed_ratio(result: Any, a: Any, b: Any) -> Any:
    return jnp.where(a == 0, 0, jax.lax.stop_gradient(result) / jax.lax.stop_gradient(a))


_sign_copied = with_slopes(_xp("copysign"), _signed_ratio, lambda r, a, b: jnp.zeros_like(r))


def sign_copied(a: Any, b: Any) -> Any:
    """Return |a| with the sign of b. The gradient of b is 0, even if the incoming gradient is not finite."""
    return _sign_copied(a, constant(b))


def _sinc_slope(result: Any, x: Any) -> Any:
    # Near 0 the difference of the formula has no correct digits left, so the first terms of the series are used.
    near = jnp.abs(x) < (0.003 if jnp.finfo(x.dtype).bits == 64 else 0.1)
    apart = jnp.where(near, 1, x)
    y = np.pi * apart
    slope = (y * jnp.cos(y) - jnp.sin(y)) / (y * apart)
    y = np.pi * jnp.where(near, x, 0)
    series = -np.pi / 3 * y * (1 - y * y / 10 * (1 - y * y / 28))
    return jnp.where(near, series, slope).astype(x.dtype)


def _sinc(x: Any) -> Any:
    xp = namespace(x)  # in JAX 0.12, `jnp.sinc` is 0 at infinity; PyTorch's is NaN
    y = (np.pi * xp.where(x == 0, xp.ones_like(x), x)).astype(x.dtype)
    return xp.where(x == 0, xp.ones_like(x), xp.sin(y) / y)


sine_ratio = with_slopes(_sinc, _sinc_slope)


def _power_of_two(x: Any) -> Any:
    """Return 2**x. XLA multiplies by log(2) first, which magnifies the rounding of large exponents."""
    xp = namespace(x)
    if xp is np or x.dtype != "float32":
        return xp.exp2(x)
    whole = jnp.clip(jnp.floor(x), -200, 200)
    return jnp.ldexp(jnp.exp2(x - whole), whole.astype("int32"))


power_of_two = with_slopes(_power_of_two, lambda r, x: r * np.log(2).astype(r.dtype))
hyperbolic_tangent = with_slopes(lambda x: namespace(x).tanh(x), lambda r, x: 1 - r * r)
# JAX 0.12 computes the derivative of arccosh for real numbers as a product of two roots, which is NaN below -1.
inverse_cosine = with_slopes(lambda x: namespace(x).arccosh(x), lambda r, x: lax.rsqrt(x * x - 1))


def _times_logarithm(function: str, step: Callable) -> tuple[Callable, ...]:
    lowest = 0 if function == "log" else -1  # the logarithm is not finite at or below this value

    def of(x: Any, y: Any) -> Any:
        xp = namespace(y)
        unused = (x == 0) & ((y <= lowest) | xp.isinf(y))
        found = x * step(getattr(xp, function)(xp.where(unused, lowest + 1, y)))
        return xp.where((x == 0) & (y == y), xp.zeros_like(found), found)  # the product may be -0

    def by_factor(result: Any, x: Any, y: Any) -> Any:
        unused = (x == 0) & (y <= lowest)
        return jnp.where(unused, 0, getattr(jnp, function)(jnp.where(unused, lowest + 1, y)))

    return of, by_factor, lambda result, x, y: x / (y - lowest)


def times_logarithm(x: Any, y: Any, step: Callable, function: str = "log") -> Any:
    """Return `x * log(y)` (or `log1p`), or 0 where x is 0 and y is not NaN.

    `step` rounds the logarithm.
    """
    return with_slopes(*_times_logarithm(function, step))(x, y)
