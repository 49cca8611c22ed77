"""Intermediate rounding in kernels that implement a composite of several PyTorch operators.

PyTorch stores the result of each operator of a composite, so half precision is rounded after every operator. A kernel
that fuses several operators marks these points with `step`. The results are the same in both executors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._engine.xla.target import for_cpu
from torchlike._ops.schema.namespace import namespace, widened

Step = Callable[[Any], Any]


def stepwise(*arrays: Any) -> tuple:
    """Return `step` and the arrays, with half precision as float32, for a kernel with `opmath=False`.

    `step(x)` rounds an intermediate result as PyTorch stores it between two operators. It changes x only if one of the
    arrays is of half precision. An array may be None.
    """
    wide = [a if a is None else widened(a) for a in arrays]
    halves = [a.dtype for a, w in zip(arrays, wide) if w is not a]
    return rounding(halves[0]) if halves else unchanged, *wide


def unchanged(x: Any) -> Any:
    """Return `x`: the step function of a kernel that rounds only its final result."""
    return x


def total_in_steps(terms: Any, step: Callable[[Any], Any]) -> Any:
    """Return the sum over the first dim.

    On the CPU, round the running sum after each term, as PyTorch's loops do. On accelerators, sum in float32.
    """
    if not for_cpu():
        return step(terms.sum(0))
    if namespace(terms) is np:
        return functools.reduce(lambda total, term: step(total + term), terms)
    return _scanned(terms, step)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _scanned(terms: Any, step: Callable[[Any], Any]) -> Any:
    add = lambda total, term: (step(total + term), None)
    return lax.scan(add, jnp.zeros_like(terms[0]), terms)[0]


@_scanned.defjvp
def _scanned_jvp(step: Callable[[Any], Any], primals: tuple, tangents: tuple) -> tuple:
    return _scanned(*primals, step), jnp.sum(tangents[0], axis=0)


def total_in_cascade(terms: Any, step: Callable[[Any], Any]) -> Any:
    """Return the sum of all elements, rounded as in PyTorch's cascade summation over a batch.

    Every 16 terms are summed to one term of the next level. The terms that remain at each level are added to the total,
    and the first term is added last.
    """
    if step is unchanged or not for_cpu():
        return step(namespace(terms).sum(terms))
    terms = terms.reshape(-1)
    first, rest = terms[:1].sum(), terms[1:]
    total = namespace(terms).zeros_like(first)
    while rest.size:
        whole = rest.size // 16 * 16
        if whole < rest.size:
            total = step(total + total_in_steps(rest[whole:], step))
        rest = total_in_steps(rest[:whole].reshape(-1, 16).T, step)
    return step(total + first)


@functools.cache
def rounding(dtype: np.dtype) -> Callable[[Any], Any]:
    """Return a step function that rounds to a half-precision dtype and keeps the dtype of its input."""
    mantissa = jnp.finfo(dtype).nmant

    def step(x: Any) -> Any:
        if namespace(x) is not np:
            # XLA removes a cast followed by the inverse cast, so use `reduce_precision` for the mantissa. With a
            # narrower exponent it would flush subnormal numbers, so the casts limit the exponent.
            x = lax.reduce_precision(x, jnp.finfo(x.dtype).nexp, mantissa)
        return x.astype(dtype).astype(x.dtype)

    return step
