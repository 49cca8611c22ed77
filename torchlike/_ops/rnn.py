"""Recurrent layers: one direction of one layer over a whole sequence.

The input's product is taken for all steps at once before the scan, and the weights' gradients as one product over all
steps after the backward scan, so that a step itself is one small product and one fused element-wise pass.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _errors
from torchlike._ops._declare import Array, operator
from torchlike._ops._rules import Call


def logistic(x):
    """The logistic function by way of tanh, for which XLA has vector code."""
    return 0.5 * jnp.tanh(0.5 * x) + 0.5


# -- one step: (input part, recurrent part, state) -> (state, what backward needs) -------------------------------------
# and back: the gradients of the input part, of the recurrent part (None: the same), and of the state before.


def _packed(width: int, dtype) -> tuple:
    """Factors that make one tanh over (N, 4 H) the logistic function for the gates i, f, o and tanh for g."""
    of_gate = lambda *numbers: np.repeat(np.asarray(numbers, dtype), width // 4)
    return of_gate(0.5, 0.5, 1, 0.5), of_gate(0.5, 0.5, 0, 0.5)


def _lstm_step(given, recurrent, state):
    # All four gates in one pass: taken apart first, XLA computes each of them once for every result that needs it.
    scale, shift = _packed(given.shape[-1], given.dtype)
    gates = jnp.tanh((given + recurrent) * scale) * scale + shift
    i, f, g, o = jnp.split(gates, 4, -1)
    c = f * state[1] + i * g
    return (o * jnp.tanh(c), c), gates


def _lstm_back(gate, before, after, changes):
    i, f, g, o = map(gate, range(4))
    dh, dc = changes
    t = jnp.tanh(after(1))
    dc = dc + dh * o * (1 - t * t)
    d = dc * g * i * (1 - i), dc * before(1) * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)
    return jnp.concatenate(d, -1), None, (jnp.zeros_like(dh), dc * f)


def _gru_step(given, recurrent, state):
    width = given.shape[-1] // 3
    r, z = jnp.split(logistic(given[:, : 2 * width] + recurrent[:, : 2 * width]), 2, -1)
    nh = recurrent[:, 2 * width :]
    n = jnp.tanh(given[:, 2 * width :] + r * nh)
    return (n + z * (state[0] - n),), jnp.concatenate((r, z, n, nh), -1)


def _gru_back(gate, before, after, changes):
    r, z, n, nh = map(gate, range(4))
    (dh,) = changes
    dn = dh * (1 - z) * (1 - n * n)
    dz, dr = dh * (before(0) - n) * z * (1 - z), dn * nh * r * (1 - r)
    return jnp.concatenate((dr, dz, dn), -1), jnp.concatenate((dr, dz, dn * r), -1), (dh * z,)


def _tanh_step(given, recurrent, state):
    return (jnp.tanh(given + recurrent),), None


def _tanh_back(gate, before, after, changes):
    d = changes[0] * (1 - after(0) * after(0))
    return d, None, (jnp.zeros_like(d),)


def _relu_step(given, recurrent, state):
    return (jnp.maximum(given + recurrent, 0),), None


def _relu_back(gate, before, after, changes):
    d = jnp.where(after(0) > 0, changes[0], 0)
    return d, None, (jnp.zeros_like(d),)


_STEPS = {"lstm": (_lstm_step, _lstm_back), "gru": (_gru_step, _gru_back),
          "tanh": (_tanh_step, _tanh_back), "relu": (_relu_step, _relu_back)}  # fmt: skip


# -- all steps ---------------------------------------------------------------------------------------------------------


def _row(array, t):
    return lax.dynamic_index_in_dim(array, t, 0, keepdims=False)


def _with_row(array, row, t):
    return lax.dynamic_update_index_in_dim(array, row, t, 0)


def _recur(mode: str, reverse: bool, given, state, w, b):
    """The last state, all states, and the gates: `given` (T, N, G) is the input's part of every step.

    The loop writes into arrays that it carries. Gates as wide as `given` take its place, row by row: memory just read
    is written to again, and none has to be cleared first.
    """
    step, wt, count = _STEPS[mode][0], w.T, given.shape[0]
    shape = getattr(jax.eval_shape(lambda: step(given[0], given[0], state)[1]), "shape", None)
    apart = shape is not None and shape != given.shape[1:]
    kept = jnp.zeros((count, *shape), given.dtype) if shape is not None and apart else None

    def advance(k, carried):
        state, states, given, kept = carried
        t = count - 1 - k if reverse else k
        state, gates = step(_row(given, t), state[0] @ wt + b, state)
        states = tuple(_with_row(all, one, t) for all, one in zip(states, state))
        if kept is not None:
            kept = _with_row(kept, gates, t)
        elif gates is not None:
            given = _with_row(given, gates, t)
        return state, states, given, kept

    states = tuple(jnp.zeros((count, *s.shape), s.dtype) for s in state)
    last, states, given, kept = lax.fori_loop(0, count, advance, (state, states, given, kept))
    return last, states, kept if apart else given


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def sequence(mode: str, reverse: bool, given, state, w, b):
    """(h of every step, last state): `given` (T, N, G), state of (N, H) each, w (G, H), b (G,)."""
    last, states, _ = _recur(mode, reverse, given, state, w, b)
    return states[0], last


def _sequence_forward(mode, reverse, given, state, w, b):
    last, states, gates = _recur(mode, reverse, given, state, w, b)
    return (states[0], last), (state, states, gates, w)


def _sequence_backward(mode, reverse, kept, changes):
    state, states, gates, w = kept
    dout, dlast = changes
    (count, *shape), back = dout.shape, _STEPS[mode][1]
    first = count - 1 if reverse else 0

    def retreat(k, carried):
        changes, (dgiven, drecurrent) = carried
        t = k if reverse else count - 1 - k
        # One gate at a time is read from memory: cut out of a row that was read whole, it costs three times as much.
        gate = lambda i: lax.dynamic_slice(gates, (t, 0, i * shape[1]), (1, *shape))[0]
        t0 = jnp.clip(t + 1 if reverse else t - 1, 0, count - 1)
        before = lambda i: jnp.where(t == first, state[i], _row(states[i], t0))
        changes = (changes[0] + _row(dout, t), *changes[1:])
        d, dr, (dh, *rest) = back(gate, before, lambda i: _row(states[i], t), changes)
        given = _with_row(dgiven, d, t), None if dr is None else _with_row(drecurrent, dr, t)
        return (dh + (d if dr is None else dr) @ w, *rest), given

    zeros = jnp.zeros((count, shape[0], w.shape[0]), w.dtype)
    dstate, (dgiven, drecurrent) = lax.fori_loop(0, count, retreat, (dlast, (zeros, zeros if mode == "gru" else None)))
    flat = (dgiven if drecurrent is None else drecurrent).reshape(-1, w.shape[0])
    inner = (states[0][1:], state[0][None]) if reverse else (state[0][None], states[0][:-1])
    # (Hᵀ D)ᵀ and not Dᵀ H: the first factor has to be laid out anew, and H is the smaller.
    dw = (jnp.concatenate(inner).reshape(-1, w.shape[1]).T @ flat).T
    return dgiven, dstate, dw, jnp.sum(flat, 0)


sequence.defvjp(_sequence_forward, _sequence_backward)


def _masked(mode: str, reverse: bool, given, state, w, b, lengths, projection):
    """The general way, differentiated by JAX: sequences of several lengths, or states projected down."""
    step, wt = _STEPS[mode][0], w.T

    def advance(state, now):
        t, given = now
        new, _ = step(given, state[0] @ wt + b, state)
        if projection is not None:
            new = (new[0] @ projection.T, *new[1:])
        if lengths is not None:
            running = (t < lengths)[:, None]
            new = tuple(jnp.where(running, n, s) for n, s in zip(new, state))
        return new, new[0]

    last, out = lax.scan(advance, state, (jnp.arange(given.shape[0]), given), reverse=reverse)
    return out, last


# -- rows --------------------------------------------------------------------------------------------------------------


def _shape(call: Call) -> list:
    steps, batch = call.input.shape[:2]
    states = [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]
    return [(steps, batch, call.h.shape[1]), *states]


def _check(call: Call) -> None:
    _errors.sequences.check_recurrent(call)


@operator(where=(), shape=_shape, check=_check, keeps=("lengths",), residuals=True, out=False, name="_recurrent_layer",
          node="MkldnnRnnLayerBackward0")  # fmt: skip
def _recurrent_layer(mode: str, input: Array, h: Array, c: Array | None, w_ih: Array, w_hh: Array, b_ih: Array | None,
                     b_hh: Array | None, reverse: bool = False, lengths: Array | None = None,
                     projection: Array | None = None):  # fmt: skip
    """One direction of one layer: (T, N, I) -> (T, N, H), and the last h (and c)."""
    given = (input.reshape(-1, input.shape[-1]) @ w_ih.T).reshape(*input.shape[:2], -1)
    bias = jnp.zeros(w_hh.shape[0], w_hh.dtype) if b_hh is None else b_hh
    if b_ih is not None and mode == "gru":
        given = given + b_ih
    elif (
        b_ih is not None
    ):  # only the GRU needs the two biases apart; added within the loop, they cost no pass of their own
        bias = bias + b_ih
    state = (h,) if c is None else (h, c)
    if lengths is None and projection is None:
        found: Any = sequence(mode, reverse, given, state, w_hh, bias)
    else:
        found = _masked(mode, reverse, given, state, w_hh, bias, lengths, projection)
    out, last = found
    return out, *last


def _cell_shape(call: Call) -> list:
    return [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]


def _check_cell(call: Call) -> None:
    _errors.sequences.check_cell(call)


@operator(where=(), shape=_cell_shape, check=_check_cell, out=False, name="_recurrent_cell", node="AddBackward0")
def _recurrent_cell(mode: str, input: Array, h: Array, c: Array | None, w_ih: Array, w_hh: Array, b_ih: Array | None,
                    b_hh: Array | None):  # fmt: skip
    """One step: (N, I) and the state (N, H) each -> the new state."""
    given, recurrent = input @ w_ih.T, h @ w_hh.T
    if b_ih is not None:
        given, recurrent = given + b_ih, recurrent + b_hh
    return _STEPS[mode][0](given, recurrent, (h,) if c is None else (h, c))[0]
