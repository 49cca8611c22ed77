"""Recurrent networks: layers and directions composed from the operator `_recurrent_layer`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._composite.nn import functions as _functions_nn
from torchlike._dtypes import modes
from torchlike._ops.nn.rnn import is_one_call
from torchlike._tensor import public_calls
from torchlike._tensor.autocast import rounded
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.storage import with_version
from torchlike._tensor.tensor import Tensor


def _joined(tensors: list[Tensor], dim: int) -> Tensor:
    return rows["cat"](tensors, dim) if len(tensors) > 1 else tensors[0]


def _parameters_of_a_layer(count: int, layers: int, biases: bool) -> tuple[int, bool]:
    """Return the number of parameters of each layer and direction, and whether one of them is a projection."""
    each = 4 if biases else 2
    projected = count == layers * (each + 1)
    each += projected
    if count != layers * each:
        raise RuntimeError(f"MatrixRef: ArrayRef size {count} not divisible by stride {each}")
    return each, projected


def _network(
    mode: str,
    x: Tensor,
    states: list[Any],
    params: Any,
    biases: bool,
    layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_sizes: Tensor | None = None,
    by_batch: bool = False,
) -> tuple[Tensor, ...]:
    """Run (T, N, I), or packed rows (rows, I), through all layers.

    Return the outputs and the final states, (layers * directions, N, H) each.
    """
    directions = 2 if bidirectional else 1
    each, projected = _parameters_of_a_layer(len(params), layers * directions, biases)
    if not is_one_call(mode, x.dtype, batch_sizes, projected or None):
        states = [state.unbind(0) for state in states]
    last: list[list[Tensor]] = [[] for _ in states]
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            w = list(params[at * each : (at + 1) * each])
            projection = w.pop() if projected else None
            b = w[2:] if biases else [None, None]
            h, c = states[0][at], states[1][at] if len(states) > 1 else None
            out, *final = rows["_recurrent_layer"](
                mode, x, h, c, w[0], w[1], *b, direction == 1, batch_sizes, projection, by_batch
            )
            if projection is not None:
                out, final[0] = rounded(out), rounded(final[0])
            outputs.append(out)
            for kept, state in zip(last, final):
                kept.append(state)
        x = _joined(outputs, -1)
        if dropout and train and layer < layers - 1:
            x = _functions_nn.dropout(x, dropout, True)
    return (x, *[rows["stack"](kept, 0) for kept in last])


def _run_packed(mode: str, args: tuple, states: list[Tensor]) -> tuple[Tensor, ...]:
    """Run the layers over packed rows. The batch sizes are read, but are no part of a program's key."""
    data, batch_sizes, _, params, *options = args
    if batch_sizes.dtype is not _dtypes.int64:
        raise _errors.dtypes.expected_scalar_type(_dtypes.int64, batch_sizes.dtype)
    sizes, batch = batch_sizes.tolist(), states[0].shape[1]
    _, layers, *_, bidirectional = options
    projects = len(params) // (layers * (1 + bool(bidirectional))) in (3, 5)
    if mode == "lstm" and not projects and len({*sizes}) == 1:  # PyTorch runs this as one batch
        out, *last = _network(mode, data.view(len(sizes), sizes[0], data.shape[1]), states, params, *options)
        return out.view(len(data), out.shape[2]), *last
    _errors.sequences.check_batch_sizes(sizes, batch, len(data))
    if sum(sizes) < len(data):
        data = data[: sum(sizes)]
    if batch_sizes.device != data.device:
        batch_sizes = batch_sizes.to(data.device)
    return _network(mode, data, states, params, *options, batch_sizes=batch_sizes)


def _run(mode: str, args: tuple, states: list[Tensor]) -> Any:
    if _is_packed(args):
        return _run_packed(mode, args, states)
    input, _, params, *options, batch_first = args
    x = input.transpose(0, 1) if batch_first else input
    if input.ndim == 3 and not x.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    out, *last = _network(mode, x, states, params, *options, by_batch=bool(batch_first))
    return (out.transpose(0, 1) if batch_first else out, *last)


def _is_packed(args: tuple) -> bool:
    """Return whether the input is a packed sequence. The parameters are then the fourth argument, else the third."""
    return isinstance(args[3], list | tuple)


def lstm(*args: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Run LSTM layers and return (outputs, h_n, c_n).

    The signatures are `lstm(input, (h, c), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`
    and, for a packed sequence, `lstm(data, batch_sizes, (h, c), params, ..., bidirectional)`.

    Args:
      args: as above. `params` lists w_ih, w_hh and, with biases, b_ih and b_hh of each layer and direction; `h` and `c`
        are (layers * directions, N, size).
    """
    hx = args[2] if _is_packed(args) else args[1]
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("lstm", args, list(hx))


def _single(mode: str, name: str) -> Any:
    def network(*args: Any) -> tuple[Tensor, Tensor]:
        return _run(mode, args, [args[2] if _is_packed(args) else args[1]])

    network.__name__ = network.__qualname__ = name
    network.__doc__ = f"""Run `{name}` layers and return (outputs, h_n).

    Called as `{name}(input, h, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)` or, for a
    packed sequence, as `{name}(data, batch_sizes, h, params, ..., bidirectional)`.

    Args:
      args: as above. `params` lists w_ih, w_hh and, with biases, b_ih and b_hh of each layer and direction; `h` is
        (layers * directions, N, size).
    """
    return network


gru, rnn_tanh, rnn_relu = _single("gru", "gru"), _single("tanh", "rnn_tanh"), _single("relu", "rnn_relu")


def _cell(mode: str, x: Tensor, h: Tensor, c: Tensor | None, w_ih: Tensor, w_hh: Tensor, *biases: Tensor | None) -> Any:
    """Run one step, after a check of the dtypes of the two products."""
    for left, right in ((x, w_ih), (h, w_hh)):
        if left.dtype is not right.dtype and not modes.local.autocast:
            raise _errors.linalg.mat_dtypes(left.dtype, right.dtype)
    return rows["_recurrent_cell"](mode, x, h, c, w_ih, w_hh, *biases)


def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute one step of an LSTM and return the new (h, c).

    Args:
      input: (N, input size).
      hx: h and c, (N, hidden size) each.
      w_ih: (4 * hidden size, input size), the gates i, f, g, o.
      w_hh: (4 * hidden size, hidden size).
      b_ih, b_hh: (4 * hidden size,).
    """
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    h, c = _cell("lstm", input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh)
    return h, with_version(c, 1)


def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Compute one step of a GRU and return the new h.

    Args:
      input: (N, input size).
      hx: h, (N, hidden size).
      w_ih: (3 * hidden size, input size), the gates r, z, n.
      w_hh: (3 * hidden size, hidden size).
      b_ih, b_hh: (3 * hidden size,).
    """
    return with_version(_cell("gru", input, hx, None, w_ih, w_hh, b_ih, b_hh), 2)


def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Compute tanh(W_ih x + b_ih + W_hh h + b_hh).

    Args:
      input: x, (N, input size).
      hx: h, (N, hidden size).
      w_ih: W_ih, (hidden size, input size).
      w_hh: W_hh, (hidden size, hidden size).
      b_ih, b_hh: (hidden size,).
    """
    return _cell("tanh", input, hx, None, w_ih, w_hh, b_ih, b_hh)


def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Compute relu(W_ih x + b_ih + W_hh h + b_hh).

    Args:
      input: x, (N, input size).
      hx: h, (N, hidden size).
      w_ih: W_ih, (hidden size, input size).
      w_hh: W_hh, (hidden size, hidden size).
      b_ih, b_hh: (hidden size,).
    """
    return _cell("relu", input, hx, None, w_ih, w_hh, b_ih, b_hh)


_FLAGS = ("bool", "int", "float", "bool", "bool", "bool")  # the types of the arguments after the parameters


def _checked(function: Any) -> Any:
    """Return the public function, which raises PyTorch's error for arguments that match none of its two signatures."""

    @functools.wraps(function)
    def network(*args: Any) -> Any:
        if not _match(args, function is lstm):
            raise _errors.arguments.invalid_combination(function.__name__, args, {})
        return function(*args)

    return network


def _match(args: tuple, several: bool) -> bool:
    """Return whether arguments match one of the signatures. `several`: the state is a sequence of tensors."""
    if len(args) != 9:
        return False
    first = 2 + _is_packed(args)
    *tensors, state, params = args[: first + 1]
    return (
        all([isinstance(t, Tensor) for t in tensors])
        and (_are_tensors(state) if several else isinstance(state, Tensor))
        and _are_tensors(params)
        and all(map(public_calls.fits, _FLAGS, args[first + 1 :]))
    )


def _are_tensors(given: Any) -> bool:
    return isinstance(given, list | tuple) and all([isinstance(t, Tensor) for t in given])


FUNCTIONS = {f.__name__: _checked(f) for f in (lstm, gru, rnn_tanh, rnn_relu)}
FUNCTIONS |= public_calls.functions(lstm_cell, gru_cell, rnn_tanh_cell, rnn_relu_cell)
