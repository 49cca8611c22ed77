"""Recurrent layers and cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike.onnx._calls import Call, Unsupported, dims, translates

_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "tanh": (0,), "relu": (0,)}  # PyTorch's gates in ONNX's order
_KINDS = {"lstm": "LSTM", "gru": "GRU", "tanh": "RNN", "relu": "RNN"}


@translates("_recurrent_layer")
def _recurrent_layer(c: Call) -> Any:
    if c["batch_sizes"] is not None or c["projection"] is not None:
        raise Unsupported("it runs a packed sequence or has a projection")
    mode, size = c["mode"], dims(c["h"])[-1]
    order = np.concatenate([np.arange(size) + gate * size for gate in _GATES[mode]])
    ordered = lambda x: c.op("Gather", x, c.b.array(order), axis=0) if len(_GATES[mode]) > 1 else x
    first = lambda x: c.op("Unsqueeze", x, c.b.ints([0]))
    given = [c.value("input"), first(ordered(c.value("w_ih"))), first(ordered(c.value("w_hh")))]
    bias = None
    if c["b_ih"] is not None:
        bias = first(c.op("Concat", ordered(c.value("b_ih")), ordered(c.value("b_hh")), axis=0))
    states = [first(c.value("h")), *([first(c.value("c"))] if mode == "lstm" else [])]
    options: dict[str, Any] = {"hidden_size": size, "direction": "reverse" if c["reverse"] else "forward"}
    if mode == "gru":
        options["linear_before_reset"] = 1
    if mode == "relu":
        options["activations"] = ["Relu"]
    made = c.b.several(_KINDS[mode], *given, bias, None, *states, dtypes=[c.dtype] * (1 + len(states)), **options)
    every, *last = made
    return [c.op("Squeeze", every, c.b.ints([1])), *(c.op("Squeeze", x, c.b.ints([0])) for x in last)]


@translates("_recurrent_cell")
def _recurrent_cell(c: Call) -> Any:
    mode = c["mode"]
    x = _product(c, "input", "w_ih", "b_ih")
    h = _product(c, "h", "w_hh", "b_hh")
    if mode == "gru":
        return _gru_cell(c, x, h)
    total = c.op("Add", x, h)
    if mode != "lstm":
        return c.op(mode.capitalize(), total)
    i, f, g, o = c.b.several("Split", total, dtypes=[c.dtype] * 4, axis=-1, num_outputs=4)
    i, f, o = (c.op("Sigmoid", gate) for gate in (i, f, o))
    state = c.op("Add", c.op("Mul", f, c.value("c")), c.op("Mul", i, c.op("Tanh", g)))
    return c.op("Mul", o, c.op("Tanh", state)), state


def _product(c: Call, name: str, weight: str, bias: str) -> Any:
    made = c.op("MatMul", c.value(name), c.op("Transpose", c.value(weight), perm=[1, 0]))
    return made if c[bias] is None else c.op("Add", made, c.value(bias))


def _gru_cell(c: Call, x: Any, h: Any) -> Any:
    (rx, zx, nx), (rh, zh, nh) = (
        c.b.several("Split", part, dtypes=[c.dtype] * 3, axis=-1, num_outputs=3) for part in (x, h)
    )
    reset, update = (c.op("Sigmoid", c.op("Add", a, b)) for a, b in ((rx, rh), (zx, zh)))
    new = c.op("Tanh", c.op("Add", nx, c.op("Mul", reset, nh)))
    return c.op("Add", new, c.op("Mul", update, c.op("Sub", c.value("h"), new)))
