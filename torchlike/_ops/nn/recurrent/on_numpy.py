"""Recurrent layers over NumPy arrays: one direction of one layer, forward and backward, without padding.

The rows of all steps are packed one after the other. `steps` are the (start, stop) of the rows of each step, in the
order in which the layer runs. A step runs the first rows of the state, so a sequence keeps its state after its last
step. In the reverse direction it keeps its initial state until its last step.

A call of NumPy on a small array takes a microsecond, whatever it computes. Everything that does not depend on the
previous step is therefore computed for all rows at once, and the steps write into the rows of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from torchlike._ops.nn.recurrent.steps import scale_and_shift

Steps = Sequence[tuple[int, int]]
_PADDING = 16  # the elements after each row of a transposed weight


def steps_of(sizes: Sequence[int], reverse: bool) -> Steps:
    """Return the rows of each step for these batch sizes."""
    stops = np.cumsum(sizes, dtype=np.int64).tolist()
    found = list(zip([0, *stops], stops))
    return found[::-1] if reverse else found


class Running:
    """The state, or its gradient, of the sequences that run in the current step.

    Attributes:
      all: the arrays of all sequences.
      now: the arrays of the sequences that run. A step replaces them.
    """

    def __init__(self, first: Sequence) -> None:
        self.all = [np.array(s) for s in first]
        self.now = [s[:0] for s in self.all]

    def over(self, steps: Any) -> Iterator[slice]:
        """Yield the rows of each step, while `now` has as many sequences as the step."""
        for start, stop in steps:
            if stop - start != len(self.now[0]):
                self._store()
                self.now = [s[: stop - start] for s in self.all]
            yield slice(start, stop)
        self._store()

    def _store(self) -> None:
        for s, now in zip(self.all, self.now):
            s[: len(now)] = now


def before(steps: Steps, states: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the state before each row's step. `states` are those after it, and `first` is the initial state."""
    found, begin, end = np.empty_like(states), 0, 0
    for start, stop in steps:
        known, count = min(end - begin, stop - start), stop - start
        found[start : start + known] = states[begin : begin + known]
        if known < count:
            found[start + known : stop] = first[known:count]
        begin, end = start, stop
    return found


def _transposed(w: np.ndarray) -> np.ndarray:
    """Return a copy of the transpose of a matrix, for products with a few rows.

    OpenBLAS takes up to three times as long for a transposed matrix, and nearly as long if rows of the copy begin at
    multiples of 4096 bytes. The copy therefore has padded rows.
    """
    found = np.empty((w.shape[1], len(w) + _PADDING), w.dtype)[:, : len(w)]
    found[...] = w.T
    return found


# -- forward -----------------------------------------------------------------------------------------------------------
# The arguments are the rows of the steps, the input's part (rows, G), which may be overwritten, the initial state
# (N, H) each, the recurrent weight (G, H), the bias (G,) that is added to the recurrent part, and a matrix that
# projects h after each step, or None. The results are the last state, the states of all rows, and the gates of all rows
# or None.


def _lstm(steps: Steps, given: Any, state: Sequence, w: Any, b: Any, projection: Any) -> tuple[Sequence, list, Any]:
    scale, shift = scale_and_shift(len(w), w.dtype)
    gates, wt, width = (given + b) * scale, _transposed(w), state[1].shape[1]
    wt *= scale
    each = gates.reshape(len(gates), 4, width)
    states = [np.empty((len(given), s.shape[1]), given.dtype) for s in state]
    running = Running(state)
    for at in running.over(steps):
        gate = gates[at]
        gate += running.now[0] @ wt
        np.tanh(gate, gate)
        gate *= scale
        gate += shift
        one = each[at]
        h, c = states[0][at], states[1][at]
        np.multiply(one[:, 1], running.now[1], c)
        c += one[:, 0] * one[:, 2]
        if projection is None:
            np.multiply(np.tanh(c), one[:, 3], h)
        else:
            np.matmul(np.tanh(c) * one[:, 3], projection.T, h)
        running.now = [h, c]
    return running.all, states, gates


def _gru(steps: Steps, given: Any, state: Sequence, w: Any, b: Any, projection: Any) -> tuple[Sequence, list, Any]:
    width, half = state[0].shape[1], given.dtype.type(0.5)
    both = 2 * width
    pre, wt = (given[:, :both] + b[:both]) * half, _transposed(w)
    wt[:, :both] *= half
    kept, hs = np.empty((len(given), 4 * width), given.dtype), np.empty((len(given), width), given.dtype)
    running = Running(state)
    for at in running.over(steps):
        (h,) = running.now
        gates, recurrent, gate = kept[at], h @ wt, pre[at]
        gate += recurrent[:, :both]
        np.tanh(gate, gate)
        gate *= half
        np.add(gate, half, gates[:, :both])
        n, nh, new = gates[:, both:-width], gates[:, -width:], hs[at]
        np.add(recurrent[:, both:], b[both:], nh)
        np.multiply(gates[:, :width], nh, n)
        n += given[at, both:]
        np.tanh(n, n)
        np.subtract(h, n, new)
        new *= gates[:, width:both]
        new += n
        running.now = [new]
    return running.all, [hs], kept


def _elman(activation: Callable) -> Callable:
    def forward(steps: Steps, given: Any, state: Sequence, w: Any, b: Any, projection: Any) -> tuple:
        hs, wt, running = given + b, _transposed(w), Running(state)
        for at in running.over(steps):
            h = hs[at]
            h += running.now[0] @ wt
            activation(h, h)
            running.now = [h]
        return running.all, [hs], None

    return forward


FORWARD: dict[str, Callable[..., tuple[Sequence, list, Any]]] = {
    "lstm": _lstm,
    "gru": _gru,
    "tanh": _elman(np.tanh),
    "relu": _elman(lambda x, out: np.maximum(x, 0, out=out)),
}

# -- backward ----------------------------------------------------------------------------------------------------------
# The arguments are the rows of the steps, the states before and after the step of each row, the gates, the gradients of
# h of all rows and of the last state, the recurrent weight, and the projection or None. The results are the gradients
# of the initial state, of the input's part, of the recurrent part, and of h after the projection (or None).


def _lstm_back(steps: Steps, earlier: Any, states: Any, gates: Any, dout: Any, last: Any, w: Any, p: Any) -> tuple:
    i, f, g, o = (gates.reshape(len(gates), 4, -1)[:, k] for k in range(4))
    t = np.tanh(states[1])
    of_cell = o * (1 - t * t)
    every = np.stack((g * i * (1 - i), earlier[1] * f * (1 - f), i * (1 - g * g), t * o * (1 - o)), 1)
    flat, dprojected, running = every.reshape(gates.shape), None if p is None else np.empty_like(dout), Running(last)
    for at in running.over(reversed(steps)):
        dh, dc = running.now
        dh = dh + dout[at]
        if dprojected is not None:
            dprojected[at] = dh
            dh = dh @ p
        dc = dh * of_cell[at] + dc
        d = every[at]
        d[:, :3] *= dc[:, None]
        d[:, 3] *= dh
        dc *= f[at]
        running.now = [flat[at] @ w, dc]
    return running.all, flat, flat, dprojected


def _gru_back(steps: Steps, earlier: Any, states: Any, gates: Any, dout: Any, last: Any, w: Any, p: Any) -> tuple:
    r, z, n, nh = (gates.reshape(len(gates), 4, -1)[:, k] for k in range(4))
    dn = (1 - z) * (1 - n * n)
    every = np.stack((dn * nh * r * (1 - r), (earlier[0] - n) * z * (1 - z), dn * r), 1)
    flat, running = every.reshape(len(gates), -1), Running(last)
    for at in running.over(reversed(steps)):
        dh = running.now[0] + dout[at]
        dn[at] *= dh
        d = every[at]
        d *= dh[:, None]
        dh *= z[at]
        dh += flat[at] @ w
        running.now = [dh]
    return running.all, np.concatenate((flat[:, : -dn.shape[1]], dn), 1), flat, None


def _elman_back(slope: Callable) -> Callable:
    def backward(steps: Steps, earlier: Any, states: Any, gates: Any, dout: Any, last: Any, w: Any, p: Any) -> tuple:
        every, running = np.empty_like(dout), Running(last)
        change = slope(states[0])
        for at in running.over(reversed(steps)):
            d = every[at]
            change(at, running.now[0] + dout[at], d)
            running.now = [d @ w]
        return running.all, every, every, None

    return backward


def _of_tanh(h: np.ndarray) -> Callable:
    slopes = 1 - h * h
    return lambda at, dh, out: np.multiply(slopes[at], dh, out)


def _of_relu(h: np.ndarray) -> Callable:
    def change(at: slice, dh: np.ndarray, out: np.ndarray) -> None:
        out[...] = np.where(h[at] <= 0, 0, dh)  # NaN gets the gradient

    return change


BACKWARD: dict[str, Callable[..., tuple]] = {
    "lstm": _lstm_back,
    "gru": _gru_back,
    "tanh": _elman_back(_of_tanh),
    "relu": _elman_back(_of_relu),
}
