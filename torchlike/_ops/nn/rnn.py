"""Recurrent layers: one direction of one layer over a whole sequence.

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
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._engine.xla.target import recurrent_precision
from torchlike._ops.linalg.products import product, rows_times
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import Casts, lower
from torchlike._ops.schema.declare import Array, Kept, operator
from torchlike._ops.schema.namespace import own_gradients
from torchlike._ops.schema.typing_rules import Call


def logistic(x):
    """Return the logistic function computed from tanh, for which XLA has vectorized code."""
    return 0.5 * jnp.tanh(0.5 * x) + 0.5


# -- single steps ------------------------------------------------------------------------------------------------------
# A step maps (input part, recurrent part, state) to (state, values saved for backward). Its backward function returns
# the gradients of the input part, of the recurrent part (None if it is the same) and of the previous state.


def _packed(width: int, dtype) -> tuple:
    """Return the scale and the shift that turn one tanh over (N, 4 H) into the gate functions of an LSTM.

    They yield the logistic function for the gates i, f and o, and tanh for g.
    """
    of_gate = lambda *numbers: np.repeat(np.asarray(numbers, dtype), width // 4)
    return of_gate(0.5, 0.5, 1, 0.5), of_gate(0.5, 0.5, 0, 0.5)


def _lstm_step(given, recurrent, state):
    # Compute all four gates in one pass. If they were split first, XLA would recompute each gate for every result that
    # uses it.
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


_STEPS = {
    "lstm": (_lstm_step, _lstm_back),
    "gru": (_gru_step, _gru_back),
    "tanh": (_tanh_step, _tanh_back),
    "relu": (_relu_step, _relu_back),
}


# -- all steps ---------------------------------------------------------------------------------------------------------


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
    axis, step, wt = layout.axis, _STEPS[layout.mode][0], w.T
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
def _given(input, w, b):
    """Return the input's part of every step, including the input's bias if it is kept separate."""
    given = rows_times(input, w, "nt")
    return given if b is None else given + b


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _sequence(layout: Layout, input, state, of_input, w, b):
    last, states, _ = _recur(layout, _given(input, *of_input), state, w, b)
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


def _sequence_forward(layout, input, state, of_input, w, b):
    last, states, gates = _recur(layout, _given(input, *of_input), state, w, b)
    return (states[0], last), (input, state, of_input, states, gates, w)


@recurrent_precision
def _sequence_backward(layout, kept, changes):
    input, state, of_input, states, gates, w = kept
    dout, dlast = changes
    axis, reverse, back = layout.axis, layout.reverse, _STEPS[layout.mode][1]
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


_sequence.defvjp(_sequence_forward, _sequence_backward)


@recurrent_precision
def _masked(mode: str, reverse: bool, given, state, w, b, lengths, projection):
    """Run a layer with sequences of different lengths or projected states. JAX differentiates this scan."""
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


# -- operators ---------------------------------------------------------------------------------------------------------


def _shape(call: Call) -> list:
    steps, batch = call.input.shape[:2]
    states = [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]
    return [(steps, batch, call.h.shape[1]), *states]


def _check(call: Call) -> None:
    _errors.sequences.check_recurrent(call)


def _layer_in(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    """Return the dtype of a layer's result under autocast on the CPU.

    PyTorch computes a whole LSTM layer by one operator, whose result has the dtype `fast`. It composes the other layers
    of products and element-wise functions of the state; `_cell_in` returns their dtype.
    """
    mode, _, h, *_, lengths, projection, _ = args
    is_whole = mode == "lstm" and lengths is None and projection is None
    return fast if is_whole else _cell_in(fast, dtypes, (mode, None, h))


def _cell_in(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    mode, _, h, *_ = args
    return fast if mode in ("tanh", "relu") or h.dtype is fast else _dtypes.float32


def is_one_call(mode: str, dtype: _dtypes.dtype, lengths: Any, projection: Any) -> bool:
    """Return whether PyTorch computes all steps by one oneDNN operator, rather than by products step by step."""
    return mode == "lstm" and lengths is None and projection is None and dtype is _dtypes.float32


def _kept(call: Call) -> tuple[str | Kept, ...]:
    given = () if call.by_batch else ("input",)  # with `by_batch`, PyTorch saves a copy
    if is_one_call(call.mode, call.input.dtype, call.lengths, call.projection):
        return *given, "h", "c", "w_ih", "w_hh", "b_ih", "b_hh", "first"
    weights = Kept("w_ih", "T", "input"), Kept("w_hh", "T"), Kept("projection", "T")
    return *[Kept(each, "rows") for each in given], "h", "c", *weights


@operator(
    autocast=Casts(_layer_in, lower),
    where=(),
    shape=_shape,
    check=_check,
    keeps=("lengths",),
    residuals=True,
    out=False,
    name="_recurrent_layer",
    node="MkldnnRnnLayerBackward0",
    numpy=False,
    remembers=_kept,
    flops=flops.recurrent_layer(is_one_call),
)
def _recurrent_layer(
    mode: str,
    input: Array,
    h: Array,
    c: Array | None,
    w_ih: Array,
    w_hh: Array,
    b_ih: Array | None,
    b_hh: Array | None,
    reverse: bool = False,
    lengths: Array | None = None,
    projection: Array | None = None,
    by_batch: bool = False,
):
    """Run one direction of one recurrent layer: (T, N, I) -> (T, N, H), and the last h (and c).

    `by_batch` means that the input is the transpose of a (N, T, I) array, and that the result will be used in that
    order too. Working in that order avoids the transposes. With `lengths` or `projection`, `by_batch` is ignored.

    Args:
      mode: "lstm", "gru", "tanh" or "relu".
      input: (T, N, I).
      h: (N, H), the initial state.
      c: (N, H), the initial cell state of an LSTM.
      w_ih: (G, I), where G is H times the number of gates.
      w_hh: (G, H).
      b_ih: (G,).
      b_hh: (G,).
      reverse: whether to run from the last step to the first.
      lengths: (N,), the number of steps of each sequence.
      projection: a matrix that projects h after each step.
      by_batch: whether the batch is the first dim in memory.
    """
    by_batch = by_batch and lengths is None and projection is None
    if by_batch:
        input = jnp.swapaxes(input, 0, 1)
    bias = jnp.zeros(w_hh.shape[0], w_hh.dtype) if b_hh is None else b_hh
    apart = mode == "gru"  # only the GRU needs separate biases; otherwise the loop adds their sum
    if b_ih is not None and not apart:
        bias = bias + b_ih
    state, of_input = (h,) if c is None else (h, c), (w_ih, b_ih if apart else None)
    if lengths is None and projection is None:
        found: Any = sequence(Layout(mode, reverse, int(by_batch)), input, state, of_input, w_hh, bias)
    else:
        found = _masked(mode, reverse, _given(input, *of_input), state, w_hh, bias, lengths, projection)
    out, last = found
    return jnp.swapaxes(out, 0, 1) if by_batch else out, *last


def _cell_shape(call: Call) -> list:
    return [s.shape for s in (call.h, call.arguments.get("c")) if s is not None]


_KEPT_BY_CELL = ("input", "h", "c", Kept("w_ih", "T", "input"), Kept("w_hh", "T", "h"))
_CELL_NODES = {"tanh": "TanhBackward0", "relu": "ReluBackward0"}  # the modes whose last operation is an activation


def _check_cell(call: Call) -> None:
    _errors.sequences.check_cell(call)


@operator(
    autocast=Casts(_cell_in, lower),
    numpy=False,
    where=(),
    shape=_cell_shape,
    check=_check_cell,
    out=False,
    name="_recurrent_cell",
    flops=flops.recurrent_cell,
    node=lambda call: _CELL_NODES.get(call.mode, "AddBackward0"),
    remembers=lambda call: _KEPT_BY_CELL + ("result",) * (call.mode in _CELL_NODES),
)
def _recurrent_cell(
    mode: str, input: Array, h: Array, c: Array | None, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
):
    """Run one step of a recurrent cell: (N, I) and the state, (N, H) each -> the new state."""
    given, recurrent = input @ w_ih.T, h @ w_hh.T
    if b_ih is not None:
        given, recurrent = given + b_ih, recurrent + b_hh
    return _STEPS[mode][0](given, recurrent, (h,) if c is None else (h, c))[0]
