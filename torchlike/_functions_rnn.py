"""`lstm`, `gru`, `rnn_tanh`, `rnn_relu` and their cells: layers and directions over the rows of one layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchlike import _errors
from torchlike._bind import CALLERS as rows
from torchlike._functions import chunk
from torchlike._tensor import Tensor


def _stacked(layer: Callable, states: int, name: str, input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor],
             has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool,
             batch_first: bool) -> tuple[Tensor, ...]:  # fmt: skip
    """Run all layers and directions; returns the outputs and the stacked last states."""
    from torchlike.nn import functional as F

    each, directions = 4 if has_biases else 2, 2 if bidirectional else 1
    if len(params) != each * num_layers * directions:
        raise _errors.unsupported(name, "proj_size")
    x = rows["transpose"](input, 0, 1) if batch_first else input  # (T, B, I)
    last: list[list[Tensor]] = [[] for _ in range(states)]
    for k in range(num_layers):
        outputs = []
        for d in range(directions):
            n = k * directions + d
            start = [rows["_select"](h, 0, n) for h in hx]
            weights = list(params[n * each : (n + 1) * each]) + [None] * (4 - each)
            out, *ends = layer(x, *start, *weights, d == 1)
            outputs.append(out)
            for held, end in zip(last, ends):
                held.append(end)
        x = rows["cat"](outputs, 2) if bidirectional else outputs[0]
        if dropout and train and k < num_layers - 1:
            x = F.dropout(x, dropout, True)
    out = rows["transpose"](x, 0, 1) if batch_first else x
    return (out, *[rows["stack"](h, 0) for h in last])


def lstm(input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: bool, num_layers: int,
         dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:  # fmt: skip
    """A stack of LSTM layers; (T, B, I) (or (B, T, I) with `batch_first`) -> output, h_n, c_n."""
    return _stacked(rows["_lstm_layer"], 2, "lstm", input, hx, params, has_biases, num_layers, dropout, train,
                    bidirectional, batch_first)  # fmt: skip


def gru(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float,
        train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:  # fmt: skip
    """A stack of GRU layers; (T, B, I) (or (B, T, I) with `batch_first`) -> output, h_n."""
    return _stacked(rows["_gru_layer"], 1, "gru", input, (hx,), params, has_biases, num_layers, dropout, train,
                    bidirectional, batch_first)  # fmt: skip


def _elman(nonlinearity: str) -> Callable:
    def layer(*args: Any) -> tuple:
        return rows["_rnn_layer"](*args, nonlinearity)

    def stack(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: bool, num_layers: int, dropout: float,
              train: bool, bidirectional: bool, batch_first: bool) -> tuple[Tensor, ...]:  # fmt: skip
        return _stacked(layer, 1, f"rnn_{nonlinearity}", input, (hx,), params, has_biases, num_layers, dropout,
                        train, bidirectional, batch_first)  # fmt: skip

    stack.__name__ = stack.__qualname__ = f"rnn_{nonlinearity}"
    stack.__doc__ = f"A stack of Elman layers with {nonlinearity}; (T, B, I) -> output, h_n."
    return stack


rnn_tanh, rnn_relu = _elman("tanh"), _elman("relu")


def _gates(input: Tensor, w_ih: Tensor, b_ih: Tensor | None) -> Tensor:
    return rows["linear"](input, w_ih) if b_ih is None else rows["linear"](input, w_ih, b_ih)


def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
              b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """One step of an LSTM; (B, I), ((B, H), (B, H)) -> h, c."""
    h, c = hx
    i, f, g, o = chunk(_gates(input, w_ih, b_ih) + _gates(h, w_hh, b_hh), 4, -1)
    c = rows["sigmoid"](f) * c + rows["sigmoid"](i) * rows["tanh"](g)
    return rows["sigmoid"](o) * rows["tanh"](c), c


def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
             b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """One step of a GRU; (B, I), (B, H) -> h."""
    xr, xz, xn = chunk(_gates(input, w_ih, b_ih), 3, -1)
    hr, hz, hn = chunk(_gates(hx, w_hh, b_hh), 3, -1)
    r, z = rows["sigmoid"](xr + hr), rows["sigmoid"](xz + hz)
    n = rows["tanh"](xn + r * hn)
    return n + z * (hx - n)


def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
                  b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """One step of an Elman network with tanh."""
    return rows["tanh"](_gates(input, w_ih, b_ih) + _gates(hx, w_hh, b_hh))


def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
                  b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """One step of an Elman network with relu."""
    return rows["relu"](_gates(input, w_ih, b_ih) + _gates(hx, w_hh, b_hh))


FUNCTIONS = {f.__name__: f for f in (lstm, gru, rnn_tanh, rnn_relu, lstm_cell, gru_cell, rnn_tanh_cell,
                                     rnn_relu_cell)}  # fmt: skip
