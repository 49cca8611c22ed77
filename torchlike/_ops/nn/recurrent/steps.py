"""Single steps of recurrent layers. The steps take arrays of JAX and NumPy, and their backward functions those of JAX.

A step maps (input part, recurrent part, state) to (state, values saved for backward). Its backward function takes the
functions gate(i), before(i) and after(i), which return a gate and the states around the step, and the gradients of the
state. It returns the gradients of the input part, of the recurrent part (None if it is the same) and of the previous
state.
"""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike._ops.elementwise.unary import relu
from torchlike._ops.schema.namespace import namespace

GATES = {"lstm": 4, "gru": 4, "tanh": 0, "relu": 0}  # the number of values that a step saves for each unit of the state


def logistic(x):
    """Return the logistic function computed from tanh, for which XLA and NumPy have vectorized code."""
    return 0.5 * namespace(x).tanh(0.5 * x) + 0.5


@functools.lru_cache(64)
def scale_and_shift(width: int, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the scale and the shift that turn one tanh over (N, 4 H) into the gate functions of an LSTM.

    They yield the logistic function for the gates i, f and o, and tanh for g.
    """
    of_gate = lambda *numbers: np.repeat(np.asarray(numbers, dtype), width // 4)
    return of_gate(0.5, 0.5, 1, 0.5), of_gate(0.5, 0.5, 0, 0.5)


def _lstm_step(given, recurrent, state):
    # Compute all four gates in one pass. If they were split first, XLA would recompute each gate for every result that
    # uses it.
    xp = namespace(given)
    scale, shift = scale_and_shift(given.shape[-1], given.dtype)
    gates = xp.tanh((given + recurrent) * scale) * scale + shift
    i, f, g, o = xp.split(gates, 4, -1)
    c = f * state[1] + i * g
    return (o * xp.tanh(c), c), gates


def _lstm_back(gate, before, after, changes):
    i, f, g, o = map(gate, range(4))
    dh, dc = changes
    t = jnp.tanh(after(1))
    dc = dc + dh * o * (1 - t * t)
    d = dc * g * i * (1 - i), dc * before(1) * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)
    return jnp.concatenate(d, -1), None, (jnp.zeros_like(dh), dc * f)


def _gru_step(given, recurrent, state):
    xp, width = namespace(given), given.shape[-1] // 3
    r, z = xp.split(logistic(given[:, : 2 * width] + recurrent[:, : 2 * width]), 2, -1)
    nh = recurrent[:, 2 * width :]
    n = xp.tanh(given[:, 2 * width :] + r * nh)
    return (n + z * (state[0] - n),), xp.concatenate((r, z, n, nh), -1)


def _gru_back(gate, before, after, changes):
    r, z, n, nh = map(gate, range(4))
    (dh,) = changes
    dn = dh * (1 - z) * (1 - n * n)
    dz, dr = dh * (before(0) - n) * z * (1 - z), dn * nh * r * (1 - r)
    return jnp.concatenate((dr, dz, dn), -1), jnp.concatenate((dr, dz, dn * r), -1), (dh * z,)


def _tanh_step(given, recurrent, state):
    return (namespace(given).tanh(given + recurrent),), None


def _tanh_back(gate, before, after, changes):
    d = changes[0] * (1 - after(0) * after(0))
    return d, None, (jnp.zeros_like(d),)


def _relu_step(given, recurrent, state):
    return (relu.kernel(given + recurrent),), None


def _relu_back(gate, before, after, changes):
    d = jnp.where(after(0) <= 0, 0, changes[0])  # NaN gets the gradient
    return d, None, (jnp.zeros_like(d),)


STEPS = {
    "lstm": (_lstm_step, _lstm_back),
    "gru": (_gru_step, _gru_back),
    "tanh": (_tanh_step, _tanh_back),
    "relu": (_relu_step, _relu_back),
}
