"""Rounding between the operators that PyTorch composes a function of.

PyTorch stores the result of each of them: half precision is computed in float32 and rounded after every one. A kernel
that stands for several says where, with the same result in both executors.
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
    """`step`, and the arrays (None stays) in the dtype that each step is computed in; for a row with `opmath=False`.

    `step(x)` is a result x as PyTorch stores it between two operators; nothing is rounded but half precision.
    """
    wide = [a if a is None else widened(a) for a in arrays]
    halves = [a.dtype for a, w in zip(arrays, wide) if w is not a]
    return rounding(halves[0]) if halves else unchanged, *wide


def unchanged(x: Any) -> Any:
    """The step of a kernel that rounds once, at its end."""
    return x


def total_in_steps(terms: Any, step: Callable[[Any], Any]) -> Any:
    """The sum over the first dim, term by term, as a loop leaves it that keeps its sum in the terms' dtype. So do
    PyTorch's on the CPU; an accelerator sums in float32."""
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
    """The sum of all, as PyTorch's loops over a batch leave it: each 16 terms make one of the next level, and what no
    level has 16 of is added at the end, the first term last."""
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
    mantissa = jnp.finfo(dtype).nmant

    def step(x: Any) -> Any:
        if namespace(x) is not np:
            # XLA leaves out a cast and the cast back. What it keeps would flush the subnormal numbers of a narrower
            # exponent, so the exponent is left to the casts.
            x = lax.reduce_precision(x, jnp.finfo(x.dtype).nexp, mantissa)
        return x.astype(dtype).astype(x.dtype)

    return step
