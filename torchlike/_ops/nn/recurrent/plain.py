"""Recurrent layers over sequences of equal length, for JAX: one direction of one layer.

The product of the input and its weights is computed for all steps at once, before the scan. The gradients of the
weights are one product over all steps, after the backward scan. A single step is thus one small product and one fused
element-wise pass.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._engine.xla.target import recurrent_precision
from torchlike._ops.linalg.products import product, rows_times
from torchlike._ops.nn.recurrent.steps import STEPS
from torchlike._ops.schema.namespace import own_gradients


def _row(array, t, axis=0):
    return lax.dynamic_index_in_dim(array, t, axis, keepdims=False)


def _with_row(array, row, t, axis=0):
    return lax.dynamic_update_index_in_dim(array, row, t, axis)


@dataclasses.dataclass(frozen=True)
class Layout:
    """The kind of a layer, its direction, and the memory layout of its sequence.

    Time is the dim `axis`: (T, N, .) or (N, T, .).
    """

    mode: str
    reverse: bool
    axis: int

    def zeros(self, count: int, step: tuple[int, ...], dtype) -> Any:
        """Return zeros for `count` steps of the shape `step`."""
        return jnp.zeros((*step[: self.axis], count, *step[self.axis :]), dtype)


@recurrent_precision
def _recur(layout: Layout, given, state, w, b):
    """Return the last state, all states and the gates. `given` (T, N, G) or (N, T, G) is the input's part of each step.

    The loop writes into arrays that it carries. If the gates have the width of `given`, each step overwrites its row of
    `given` with its gates. That reuses memory that was just read, and needs no new zeroed array.
    """
    axis, step, wt = layout.axis, STEPS[layout.mode][0], w.T
    row, with_row = functools.partial(_row, axis=axis), functools.partial(_with_row, axis=axis)
    count, one = given.shape[axis], (given.shape[1 - axis], given.shape[2])
    part = jax.ShapeDtypeStruct(one, given.dtype)
    shape = getattr(jax.eval_shape(lambda x: step(x, x, state)[1], part), "shape", None)
    apart = shape is not None and shape != one
    kept = layout.zeros(count, shape, given.dtype) if shape is not None and apart else None

    def advance(k, carried):
        state, states, given, kept = carried
        t = count - 1 - k if layout.reverse else k
        state, gates = step(row(given, t), state[0] @ wt + b, state)
        states = tuple(with_row(all, one, t) for all, one in zip(states, state))
        if kept is not None:
            kept = with_row(kept, gates, t)
        elif gates is not None:
            given = with_row(given, gates, t)
        return state, states, given, kept

    states = tuple(layout.zeros(count, s.shape, s.dtype) for s in state)
    last, states, given, kept = lax.fori_loop(0, count, advance, (state, states, given, kept))
    return last, states, kept if apart else given


@recurrent_precision
def given_by(input, w, b):
    """Return the input's part of every step, including the input's bias if it is kept separate."""
    given = rows_times(input, w, "nt")
    return given if b is None else given + b


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _sequence(layout: Layout, input, state, of_input, w, b):
    last, states, _ = _recur(layout, given_by(input, *of_input), state, w, b)
    return states[0], last


def sequence(layout: Layout, input, state, of_input, w, b):
    """Return h of every step, and the last state.

    Args:
      layout: the kind of the layer and its memory layout.
      input: (T, N, I), or (N, T, I) if `layout.axis` is 1.
      state: (h,), or (h, c) for an LSTM, each (N, H).
      of_input: the weight (G, I) of the input, and its bias (G,), or None if `b` includes it.
      w: (G, H), the recurrent weight.
      b: (G,), the bias that is added to the recurrent part.
    """
    return (_sequence.fun if own_gradients.are_off else _sequence)(layout, input, state, of_input, w, b)  # type: ignore[attr-defined]


def forward(layout, input, state, of_input, w, b):
    last, states, gates = _recur(layout, given_by(input, *of_input), state, w, b)
    return (states[0], last), (input, state, of_input, states, gates, w)


@recurrent_precision
def backward(layout, kept, changes):
    input, state, of_input, states, gates, w = kept
    dout, dlast = changes
    axis, reverse, back = layout.axis, layout.reverse, STEPS[layout.mode][1]
    row, with_row = functools.partial(_row, axis=axis), functools.partial(_with_row, axis=axis)
    count, width = dout.shape[axis], w.shape[0]
    first = count - 1 if reverse else 0
    # An LSTM's gates have the width of their gradients, so each step overwrites its row of the gates with the
    # gradients. The loop carries the gates of the next step. If a step read them from the array that it is about to
    # write, XLA would copy the array.
    over = layout.mode == "lstm"
    ahead = lambda gates, t: [_gate(gates, t, axis, state[0].shape, i) for i in range(4)] if over else []

    def retreat(k, carried):
        changes, dgiven, drecurrent, read = carried
        t = k if reverse else count - 1 - k
        t0 = jnp.clip(t + 1 if reverse else t - 1, 0, count - 1)
        before = lambda i: jnp.where(t == first, state[i], row(states[i], t0))
        changes = (changes[0] + row(dout, t), *changes[1:])
        gate = read.__getitem__ if over else functools.partial(_gate, gates, t, axis, state[0].shape)
        d, dr, (dh, *rest) = back(gate, before, lambda i: row(states[i], t), changes)
        dgiven, drecurrent = with_row(dgiven, d, t), None if dr is None else with_row(drecurrent, dr, t)
        return (dh + (d if dr is None else dr) @ w, *rest), dgiven, drecurrent, ahead(dgiven, t0)

    zeros = gates if over else layout.zeros(count, (dout.shape[1 - axis], width), w.dtype)
    start = (dlast, zeros, zeros if layout.mode == "gru" else None, ahead(gates, 0 if reverse else count - 1))
    dstate, dgiven, drecurrent, _ = lax.fori_loop(0, count, retreat, start)
    some = functools.partial(lax.slice_in_dim, states[0], axis=axis)
    end = jnp.expand_dims(state[0], axis)
    before = jnp.concatenate((some(1, count), end) if reverse else (end, some(0, count - 1)), axis)
    dinput = rows_times(dgiven, of_input[0])
    return dinput, dstate, *_of_weights(input, before, dgiven, drecurrent, of_input[1])


def _of_weights(input, before, dgiven, drecurrent, b):
    """Return the gradients of (w_ih, the separate input bias), w_hh, and the bias."""
    flat = lambda x: x.reshape(-1, x.shape[-1])
    if drecurrent is not None:
        dw_ih, dw = (product(flat(d), flat(x), "tn") for d, x in ((dgiven, input), (drecurrent, before)))
        return (dw_ih, None if b is None else jnp.sum(flat(dgiven), 0)), dw, jnp.sum(flat(drecurrent), 0)
    # One product reads the gradients of all steps, by far the largest array, only once. XLA's kernels need the other
    # factor transposed in memory.
    rows = lax.optimization_barrier(flat(jnp.concatenate((input, before), -1)).T)
    both = lax.optimization_barrier(product(rows, flat(dgiven), "nn")).T
    return (both[:, : input.shape[-1]], None), both[:, input.shape[-1] :], jnp.sum(flat(dgiven), 0)


def _gate(gates, t, axis, shape, i):
    """Read one gate of one step directly; slicing it from a row that was read whole takes three times as long."""
    rows, width = shape
    start, size = ((t, 0, i * width), (1, rows, width)) if axis == 0 else ((0, t, i * width), (rows, 1, width))
    return lax.dynamic_slice(gates, start, size).reshape(shape)


_sequence.defvjp(forward, backward)
