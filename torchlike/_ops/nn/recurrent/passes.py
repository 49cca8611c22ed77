"""The forward and the backward pass of one direction of a recurrent layer, over NumPy or JAX arrays.

The arguments are those of the operator `_recurrent_layer`. Both kinds of arrays have the same residuals: the states
after each step, and the gates. Either pass of a training step may thus run with NumPy or with XLA.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike._ops.linalg.products import product, rows_times
from torchlike._ops.nn.recurrent import on_numpy, packed, plain
from torchlike._ops.nn.recurrent.steps import GATES
from torchlike._ops.schema.by_hand import Passes
from torchlike._ops.schema.namespace import namespace


class Layer:
    """The arguments of one call."""

    def __init__(
        self,
        mode: str,
        input: Any,
        h: Any,
        c: Any,
        w_ih: Any,
        w_hh: Any,
        b_ih: Any,
        b_hh: Any,
        reverse: bool = False,
        batch_sizes: Any = None,
        projection: Any = None,
        by_batch: bool = False,
    ) -> None:
        self.mode, self.input, self.reverse, self.sizes, self.projection = mode, input, reverse, batch_sizes, projection
        self.state = (h,) if c is None else (h, c)
        self.w_ih, self.w_hh, self.has_bias = w_ih, w_hh, b_hh is not None
        self.is_plain = batch_sizes is None and projection is None
        self.by_batch = by_batch and self.is_plain
        # Only the GRU needs separate biases. Otherwise the loop adds their sum.
        self.b_ih = b_ih if mode == "gru" else None
        self.b_hh = namespace(w_hh).zeros(w_hh.shape[0], w_hh.dtype) if b_hh is None else b_hh
        if b_ih is not None and mode != "gru":
            self.b_hh = self.b_hh + b_ih

    @property
    def layout(self) -> plain.Layout:
        return plain.Layout(self.mode, self.reverse, int(self.by_batch))

    @property
    def ordered(self) -> Any:
        """The input in the order in which it is processed: with `by_batch`, (N, T, I)."""
        return self._ordered(self.input)

    def _ordered(self, x: Any) -> Any:
        return namespace(x).swapaxes(x, 0, 1) if self.by_batch else x

    @property
    def rows(self) -> Any:
        """The input as packed rows."""
        return self.flat(self.input)

    def flat(self, x: Any) -> Any:
        """Return (T, N, .) as rows."""
        return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:2]), x.shape[2])

    def padding(self) -> packed.Padding:
        """Return the places of the rows in a padded sequence."""
        batch = self.state[0].shape[0]
        steps = self.input.shape[0] if self.sizes is None else self.sizes.shape[0]
        return packed.Padding(self.sizes, math.prod(self.input.shape[:-1]), steps, batch)

    def steps(self) -> on_numpy.Steps:
        """Return the rows of each step."""
        sizes = [self.input.shape[1]] * self.input.shape[0] if self.sizes is None else self.sizes
        return on_numpy.steps_of(sizes, self.reverse)

    def shaped(self, rows: Any) -> Any:
        """Return rows in the shape of a residual: packed, (T, N, .), or (N, T, .) with `by_batch`."""
        return rows if self.sizes is not None else self._ordered(rows.reshape(*self.input.shape[:2], rows.shape[-1]))

    def unshaped(self, x: Any) -> Any:
        """Return a residual as rows."""
        return x if self.sizes is not None else self.flat(self._ordered(x))


def kernel(**arguments: Any) -> tuple:
    """Return the output and the last state. JAX can differentiate this function several times."""
    layer = Layer(**arguments)
    if not layer.is_plain or namespace(layer.input) is np:
        return forward(**arguments)[: 1 + len(layer.state)]
    of_input = layer.w_ih, layer.b_ih
    found: Any = plain.sequence(layer.layout, layer.ordered, layer.state, of_input, layer.w_hh, layer.b_hh)
    out, last = found
    return layer._ordered(out), *last


def forward(**arguments: Any) -> tuple:
    """Return the output, the last state, the states of all steps, and the gates if the mode has some."""
    layer = Layer(**arguments)
    mode, state, w, b = layer.mode, layer.state, layer.w_hh, layer.b_hh
    if layer.is_plain and namespace(layer.input) is not np:
        of_input = layer.w_ih, layer.b_ih
        (out, last), (*_, states, gates, _) = plain.forward(layer.layout, layer.ordered, state, of_input, w, b)
        return layer._ordered(out), *last, *states, *[gates][: GATES[mode]]
    if namespace(layer.input) is np:
        given = rows_times(layer.rows, layer.w_ih, "nt")
        given = given if layer.b_ih is None else given + layer.b_ih
        last, states, gates = on_numpy.FORWARD[mode](layer.steps(), given, state, w, b, layer.projection)
    else:
        given = plain.given_by(layer.rows, layer.w_ih, layer.b_ih)
        last, states, gates = packed.run(mode, layer.reverse, layer.padding(), given, state, w, b, layer.projection)
    kept = [layer.shaped(x) for x in (*states, *[gates][: GATES[mode]])]
    return layer._ordered(kept[0]), *last, *kept


def backward(arguments: dict[str, Any], residuals: tuple, changes: tuple, wanted: frozenset[str]) -> dict[str, Any]:
    """Return the gradients of the arguments `wanted`, by name.

    `changes` are the gradients of the results of the kernel, or None for a result without one.
    """
    layer = Layer(**arguments)
    states, gates = residuals[: len(layer.state)], residuals[len(layer.state) :]
    xp = namespace(layer.w_hh)
    results = residuals[0] if not layer.by_batch else xp.swapaxes(residuals[0], 0, 1), *layer.state
    changes = tuple([xp.zeros(x.shape, x.dtype) if d is None else d for d, x in zip(changes, results)])
    if layer.is_plain and xp is jnp:
        return _plain_backward(layer, states, gates[0] if gates else None, changes)
    states = [layer.unshaped(s) for s in states]
    kept = layer.unshaped(gates[0]) if gates else None
    both = layer.flat(changes[0]), changes[1:]
    if xp is np:
        steps = layer.steps()
        earlier = [on_numpy.before(steps, s, first) for s, first in zip(states, layer.state)]
        back = on_numpy.BACKWARD[layer.mode]
        found = back(steps, earlier, states, kept, *both, layer.w_hh, layer.projection)
        before = earlier[0]
    else:
        padding = layer.padding()
        before, *found = packed.run_back(
            layer.mode, layer.reverse, padding, layer.state, states, kept, both, layer.w_hh, layer.projection
        )
    return _gradients(layer, before, states, kept, found, wanted)


def _plain_backward(layer: Layer, states: tuple, gates: Any, changes: tuple) -> dict[str, Any]:
    kept = layer.ordered, layer.state, (layer.w_ih, layer.b_ih), states, gates, layer.w_hh
    both = layer._ordered(changes[0]), changes[1:]
    dinput, (dh, *dc), (dw_ih, db_ih), dw_hh, db = plain.backward(layer.layout, kept, both)
    dinput = layer._ordered(dinput)
    names = {"b_ih": db if db_ih is None else db_ih, "b_hh": db, "c": dc[0] if dc else None}
    return {"input": dinput, "h": dh, "w_ih": dw_ih, "w_hh": dw_hh, **names}


def _gradients(layer: Layer, before: Any, states: Any, kept: Any, found: Any, wanted: frozenset[str]) -> dict[str, Any]:
    """Return the gradients of the arguments from those of all steps. Those that nobody wants are not computed."""
    (dh, *dc), dgiven, drecurrent, dprojected = found
    transposed = (lambda a, b: a.T @ b) if namespace(dh) is np else (lambda a, b: product(a, b, "tn"))
    total = namespace(dh).sum

    def of_projection() -> Any:
        width = states[1].shape[1]
        return transposed(dprojected, kept[:, 3 * width :] * namespace(dh).tanh(states[1]))

    ways = {
        "input": lambda: rows_times(dgiven, layer.w_ih).reshape(layer.input.shape),
        "h": lambda: dh,
        "c": lambda: dc[0],
        "w_ih": lambda: transposed(dgiven, layer.rows),
        "w_hh": lambda: transposed(drecurrent, before),
        "b_ih": lambda: total(dgiven, 0),
        "b_hh": lambda: total(drecurrent, 0),
        "projection": of_projection,
    }
    return {name: way() for name, way in ways.items() if name in wanted}


def residual_shapes(shapes: dict[str, tuple[int, ...]], statics: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the shapes of the residuals, for the shapes of the arrays and the static arguments."""
    lead = shapes["input"][:-1]
    if statics.get("by_batch") and "batch_sizes" not in shapes and "projection" not in shapes:
        lead = lead[::-1]
    widths = [shapes[name][1] for name in ("h", "c") if name in shapes]
    gates = GATES[statics["mode"]] * widths[-1]
    return [(*lead, width) for width in (*widths, *[gates][:gates])]


def calls(shapes: dict[str, tuple[int, ...]], statics: dict[str, Any]) -> int:
    """Return the estimated cost of a pass with NumPy, in calls of the interpreter: each step calls about 20 functions.

    A call of the interpreter costs four times as much as a call of NumPy.
    """
    return 5 * (shapes["batch_sizes"][0] if "batch_sizes" in shapes else shapes["input"][0])


PASSES = Passes(forward, backward, residual_shapes, calls)
