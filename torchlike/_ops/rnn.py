"""Recurrent layers: one row for each kind, over one layer and direction.

The loop is written with its own gradient: the forward keeps the activations; the backward loop computes only what
depends on the recurrence, and the weight gradient is one matrix product over all steps after it.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops._declare import Array, operator
from torchlike._ops._rules import Call


def _layer_shape(states: int) -> Any:
    def shape(call: Call) -> list:
        time, batch, _ = call.input.shape
        hidden = call.w_hh.shape[1]
        return [(time, batch, hidden)] + [(batch, hidden)] * states

    return shape


def _projected(input: Array, w_ih: Array, bias: Array | None) -> Array:
    """The part of the gates that does not depend on the state, for all steps at once: (T, B, I) -> (T, B, G)."""
    time, batch, features = input.shape
    out = (input.reshape(time * batch, features) @ w_ih.T).reshape(time, batch, -1)
    return out if bias is None else out + bias


def _weight_gradient(gates: Array, before: Array) -> Array:
    """One product for all steps: (T, B, G), (T, B, H) -> (G, H)."""
    return gates.reshape(-1, gates.shape[-1]).T @ before.reshape(-1, before.shape[-1])


def _before(first: Array, states: Array) -> Array:
    """The state that each step started from."""
    return jnp.concatenate([first[None], states[:-1]])


# -- LSTM --------------------------------------------------------------------------------------------------------------


@jax.custom_vjp
def _lstm_loop(gx: Array, h0: Array, c0: Array, w: Array) -> tuple:
    return _lstm_forward(gx, h0, c0, w)[0]


def _lstm_forward(gx: Array, h0: Array, c0: Array, w: Array) -> tuple:
    def step(state: tuple, g: Array) -> tuple:
        h, c = state
        i, f, n, o = jnp.split(g + h @ w.T, 4, -1)  # (B, H) each
        i, f, o, n = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jax.nn.sigmoid(o), jnp.tanh(n)
        c = f * c + i * n
        h = o * jnp.tanh(c)
        return (h, c), (h, c, jnp.concatenate([i, f, n, o], -1))

    (h, c), (hs, cs, acts) = lax.scan(step, (h0, c0), gx)
    return (hs, h, c), (h0, c0, w, hs, cs, acts)


def _lstm_backward(kept: tuple, cotangents: tuple) -> tuple:
    h0, c0, w, hs, cs, acts = kept
    dhs, dh, dc = cotangents
    i, f, n, o = jnp.split(acts, 4, -1)
    tanh_c = jnp.tanh(cs)
    by_c = jnp.concatenate([n * i * (1 - i), _before(c0, cs) * f * (1 - f), i * (1 - n * n)], -1)  # (T, B, 3H)
    by_h, c_by_h = tanh_c * o * (1 - o), o * (1 - tanh_c * tanh_c)

    def step(state: tuple, x: tuple) -> tuple:
        dh, dc = state
        d, by_c, by_h, c_by_h, f = x
        dh = dh + d
        dc = dc + dh * c_by_h
        gates = jnp.concatenate([by_c * jnp.concatenate([dc, dc, dc], -1), dh * by_h], -1)  # (B, 4H)
        return (gates @ w, dc * f), gates

    (dh, dc), gates = lax.scan(step, (dh, dc), (dhs, by_c, by_h, c_by_h, f), reverse=True)
    return gates, dh, dc, _weight_gradient(gates, _before(h0, hs))


_lstm_loop.defvjp(_lstm_forward, _lstm_backward)


def _sum_of_biases(b_ih: Array | None, b_hh: Array | None) -> Array | None:
    return None if b_ih is None else b_ih + b_hh


@operator(name="_lstm_layer", shape=_layer_shape(2), where=(), residuals=True, opmath=False, node="LstmBackward0")
def _lstm_layer(input: Array, h0: Array, c0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None,
                b_hh: Array | None = None, reverse: bool = False):  # fmt: skip
    """(T, B, I), (B, H), (B, H) -> outputs (T, B, H), last h, last c; gates in the order i, f, g, o."""
    gx = _projected(input, w_ih, _sum_of_biases(b_ih, b_hh))
    hs, h, c = _lstm_loop(gx[::-1] if reverse else gx, h0, c0, w_hh)
    return hs[::-1] if reverse else hs, h, c


# -- GRU ---------------------------------------------------------------------------------------------------------------


@jax.custom_vjp
def _gru_loop(gx: Array, h0: Array, w: Array, b: Array) -> tuple:
    return _gru_forward(gx, h0, w, b)[0]


def _gru_forward(gx: Array, h0: Array, w: Array, b: Array) -> tuple:
    size = h0.shape[-1]

    def step(h: Array, g: Array) -> tuple:
        recurrent = h @ w.T + b  # (B, 3H)
        r, z = jnp.split(jax.nn.sigmoid(g[:, : 2 * size] + recurrent[:, : 2 * size]), 2, -1)
        m = recurrent[:, 2 * size :]
        n = jnp.tanh(g[:, 2 * size :] + r * m)
        h = n + z * (h - n)
        return h, (h, jnp.concatenate([r, z, n, m], -1))

    h, (hs, acts) = lax.scan(step, h0, gx)
    return (hs, h), (h0, w, hs, acts)


def _gru_backward(kept: tuple, cotangents: tuple) -> tuple:
    h0, w, hs, acts = kept
    dhs, dh = cotangents
    r, z, n, m = jnp.split(acts, 4, -1)
    before = _before(h0, hs)
    by_z, by_n = (before - n) * z * (1 - z), (1 - z) * (1 - n * n)
    by_r = by_n * m * r * (1 - r)

    def step(dh: Array, x: tuple) -> tuple:
        d, by_r, by_z, by_n, r, z = x
        dh = dh + d
        own = jnp.concatenate([dh * by_r, dh * by_z], -1)
        recurrent = jnp.concatenate([own, dh * by_n * r], -1)  # what reaches h @ w.T + b
        return dh * z + recurrent @ w, (jnp.concatenate([own, dh * by_n], -1), recurrent)

    dh, (gates, recurrent) = lax.scan(step, dh, (dhs, by_r, by_z, by_n, r, z), reverse=True)
    return gates, dh, _weight_gradient(recurrent, before), recurrent.sum((0, 1))


_gru_loop.defvjp(_gru_forward, _gru_backward)


@operator(name="_gru_layer", shape=_layer_shape(1), where=(), residuals=True, opmath=False, node="GruBackward0")
def _gru_layer(input: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None,
               b_hh: Array | None = None, reverse: bool = False):  # fmt: skip
    """(T, B, I), (B, H) -> outputs (T, B, H), last h; gates in the order r, z, n."""
    gx = _projected(input, w_ih, b_ih)
    bias = jnp.zeros(w_hh.shape[:1], w_hh.dtype) if b_hh is None else b_hh
    hs, h = _gru_loop(gx[::-1] if reverse else gx, h0, w_hh, bias)
    return hs[::-1] if reverse else hs, h


# -- Elman -------------------------------------------------------------------------------------------------------------


@operator(name="_rnn_layer", shape=_layer_shape(1), where=(), residuals=True, opmath=False, node="RnnBackward0")
def _rnn_layer(input: Array, h0: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None,
               b_hh: Array | None = None, reverse: bool = False, nonlinearity: str = "tanh"):  # fmt: skip
    """(T, B, I), (B, H) -> outputs (T, B, H), last h; h' = act(W x + b + U h + c)."""
    gx = _projected(input, w_ih, _sum_of_biases(b_ih, b_hh))
    loop = _elman_loops[nonlinearity]
    hs, h = loop(gx[::-1] if reverse else gx, h0, w_hh)
    return hs[::-1] if reverse else hs, h


def _elman_loop(act: Any, slope: Any) -> Any:
    """The loop for one nonlinearity; `slope` gives its derivative from its value."""

    def forward(gx: Array, h0: Array, w: Array) -> tuple:
        def step(h: Array, g: Array) -> tuple:
            h = act(g + h @ w.T)
            return h, h

        h, hs = lax.scan(step, h0, gx)
        return (hs, h), (h0, w, hs)

    def backward(kept: tuple, cotangents: tuple) -> tuple:
        h0, w, hs = kept

        def step(dh: Array, x: tuple) -> tuple:
            d, slopes = x
            gate = (dh + d) * slopes
            return gate @ w, gate

        dh, gates = lax.scan(step, cotangents[1], (cotangents[0], slope(hs)), reverse=True)
        return gates, dh, _weight_gradient(gates, _before(h0, hs))

    loop = jax.custom_vjp(lambda gx, h0, w: forward(gx, h0, w)[0])
    loop.defvjp(forward, backward)
    return loop


_elman_loops = {
    "tanh": _elman_loop(jnp.tanh, lambda h: 1 - h * h),
    "relu": _elman_loop(lambda x: jnp.where(x <= 0, 0, x), lambda h: (h > 0).astype(h.dtype)),
}
