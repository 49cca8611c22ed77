"""Recurrent layers over packed sequences and with projected states, for JAX: one scan over padded steps.

The rows of all steps are packed one after the other. They are gathered into (T, N, .), and a mask keeps the state of a
sequence where it has no row. The results are gathered back. The batch sizes are data, so batches with the same numbers
of rows, steps and sequences share a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from torchlike._engine.xla.target import recurrent_precision
from torchlike._ops.nn.recurrent.steps import STEPS


class Padding:
    """The places of packed rows in (T, N).

    Args:
      sizes: (T,), the batch size of each step, or None if all steps have all sequences.
      rows: the number of packed rows.
      steps: T.
      batch: N.
    """

    def __init__(self, sizes: Any, rows: int, steps: int, batch: int) -> None:
        self.steps, self.batch = steps, batch
        self.running: Any = None
        if sizes is None:
            return
        lanes = jnp.arange(batch)
        self.running = lanes < sizes[:, None]
        self.row = jnp.where(self.running, (jnp.cumsum(sizes) - sizes)[:, None] + lanes, rows)
        places = jnp.arange(steps * batch).reshape(self.row.shape)
        self.place = jnp.zeros(rows, places.dtype).at[self.row].set(places, mode="drop")

    def pad(self, x: Any) -> Any:
        """Return packed rows as (T, N, .), with zeros where there is no row."""
        if self.running is None:
            return x.reshape(self.steps, self.batch, x.shape[-1])
        return x.at[self.row].get(mode="fill", fill_value=0)

    def pack(self, x: Any) -> Any:
        """Return the rows of (T, N, .)."""
        flat = x.reshape(self.steps * self.batch, x.shape[-1])
        return flat if self.running is None else flat[self.place]

    def chosen(self, running: Any, new: Sequence, old: Sequence) -> tuple:
        """Return the new state of the sequences that run, and the old state of the others."""
        if running is None:
            return tuple(new)
        return tuple(jnp.where(running[:, None], n, s) for n, s in zip(new, old))

    def before(self, states: Any, first: Any, reverse: bool) -> Any:
        """Return the state before each step as (T, N, .), for the packed states after it and the initial state."""
        states, first = self.pad(states), first[None]
        if not reverse:
            return jnp.concatenate((first, states[:-1]))
        if self.running is not None:
            states = jnp.where(self.running[:, :, None], states, first)
        return jnp.concatenate((states[1:], first))


@recurrent_precision
def run(mode: str, reverse: bool, padding: Padding, given: Any, state: tuple, w: Any, b: Any, projection: Any) -> tuple:
    """Return the last state, the states of all rows, and the gates of all rows, or None if the mode has none.

    Args:
      mode: the kind of the layer.
      reverse: whether to run from the last step to the first.
      padding: the places of the rows.
      given: (rows, G), the input's part.
      state: the initial state, (N, H) each.
      w: (G, H), the recurrent weight.
      b: (G,), the bias that is added to the recurrent part.
      projection: a matrix that projects h after each step, or None.
    """
    step, wt = STEPS[mode][0], w.T

    def advance(state: tuple, now: tuple) -> tuple:
        running, given = now
        new, gates = step(given, state[0] @ wt + b, state)
        if projection is not None:
            new = (new[0] @ projection.T, *new[1:])
        new = padding.chosen(running, new, state)
        return new, (new, gates)

    last, (states, gates) = lax.scan(advance, state, (padding.running, padding.pad(given)), reverse=reverse)
    return last, [padding.pack(s) for s in states], None if gates is None else padding.pack(gates)


@recurrent_precision
def run_back(
    mode: str,
    reverse: bool,
    padding: Padding,
    first: Sequence,
    states: Sequence,
    kept: Any,
    changes: tuple,
    w: Any,
    p: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """Return h before each row's step, and the gradients that a function of `on_numpy.BACKWARD` returns.

    `first` is the initial state, `changes` are the gradients of h of all rows and of the last state, and `p` is the
    projection.
    """
    dout, last = changes
    width, back = states[-1].shape[1], STEPS[mode][1]
    earlier = tuple(padding.before(s, one, reverse) for s, one in zip(states, first))
    later = tuple(map(padding.pad, states))
    gates = None if kept is None else padding.pad(kept)

    def retreat(dstate: tuple, now: tuple) -> tuple:
        running, dout, gates, earlier, later = now
        dh = dstate[0] + dout
        change = dh if p is None else dh @ p
        gate = lambda i: gates[:, i * width : (i + 1) * width]
        d, dr, (dbefore, *rest) = back(gate, earlier.__getitem__, later.__getitem__, (change, *dstate[1:]))
        dbefore = (d if dr is None else dr) @ w + (dbefore if p is None else 0)
        return padding.chosen(running, (dbefore, *rest), dstate), (d, dr, None if p is None else dh)

    every = padding.running, padding.pad(dout), gates, earlier, later
    dstate, (d, dr, dh) = lax.scan(retreat, tuple(last), every, reverse=not reverse)
    dgiven = padding.pack(d)
    drecurrent = dgiven if dr is None else padding.pack(dr)
    return padding.pack(earlier[0]), dstate, dgiven, drecurrent, None if dh is None else padding.pack(dh)
