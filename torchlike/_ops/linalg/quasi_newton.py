"""The descent direction of L-BFGS, by the two-loop recursion (Nocedal and Wright, 7.4)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._ops.schema.declare import HOST, Array, Arrays, Scalar, namespace, operator
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.typing_rules import Call


def _shape(call: Call) -> list:
    return [tuple(call.gradient.shape), tuple(call.ro.shape)]


@operator(where=(), shape=_shape, out=False, differentiable=False, opmath=False, host=HOST)
def _two_loops(gradient: Array, changes: Arrays, steps: Arrays, ro: Array, diagonal: Scalar, count: Scalar):
    """Return the descent direction, (n,), and the weights of the first loop, (m,).

    A correction consists of a change of the gradient, a step of the parameters, and 1 / their dot product. The lists
    hold m corrections, the oldest first, of which the first `count` are in use. The others are zeros, so that a growing
    list of corrections needs few compiled programs.

    Args:
      gradient: (n,).
      changes: m tensors of shape (n,), the changes of the gradient.
      steps: m tensors of shape (n,), the steps of the parameters.
      ro: (m,), 1 / (change . step) of each correction.
      diagonal: the factor of the initial inverse Hessian.
      count: the number of corrections in use.
    """
    if namespace(gradient) is np:
        return _by_numpy(-gradient, changes[: int(count)], steps[: int(count)], ro, diagonal)
    stacked = (jnp.stack(changes), jnp.stack(steps), ro)
    product = lambda a, b: jnp.dot(widened(a), widened(b)).astype(a.dtype)

    def backward(made, correction):
        change, step, r = correction
        weight = product(step, made) * r
        return made - weight * change, weight

    def forward(made, correction):
        change, step, r, weight = correction
        return made + (weight - product(change, made) * r) * step, None

    made, weights = jax.lax.scan(backward, -gradient, stacked, reverse=True)
    made, _ = jax.lax.scan(forward, made * diagonal.astype(made.dtype), (*stacked, weights))
    return made, weights


def _by_numpy(made: np.ndarray, changes: list, steps: list, ro: np.ndarray, diagonal: np.generic) -> tuple:
    product = lambda a, b: np.dot(widened(a), widened(b)).astype(a.dtype)
    weights, room = np.zeros_like(ro), np.empty_like(made)
    for i in reversed(range(len(changes))):
        weights[i] = product(steps[i], made) * ro[i]
        made -= np.multiply(changes[i], weights[i], out=room)
    made *= diagonal.astype(made.dtype)
    for i in range(len(changes)):
        made += np.multiply(steps[i], weights[i] - product(changes[i], made) * ro[i], out=room)
    return made, weights
