"""Recurrent layers and their cells.

The input of a layer has shape (L, N, input_size), or (N, L, input_size) with `batch_first`, or (L, input_size) for a
single sample. A module such as `LSTM` stacks `num_layers` layers. It returns the outputs of the last layer for every
step, and the final state of every layer.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, TypeAlias

import torchlike
from torchlike import Tensor
from torchlike._internal import modes, own_methods, warn
from torchlike.nn import _errors_sequence as _errors
from torchlike.nn import init
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils.rnn import PackedSequence

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

State: TypeAlias = Any  # one tensor, or the pair (h, c) of an LSTM

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """The base class of the recurrent layers: parameters, checks, initial states and packed sequences.

    The parameters of layer k are `weight_ih_lk`, `weight_hh_lk`, `bias_ih_lk`, `bias_hh_lk` and, with projections,
    `weight_hr_lk`. Those of the reverse direction end in `_reverse`. All are initialized from U(-b, b) with
    b = 1/sqrt(hidden_size).

    Args:
      mode: 'LSTM', 'GRU', 'RNN_TANH' or 'RNN_RELU'.
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers. Each layer reads the outputs of the previous one.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size). States do not change.
      dropout: the dropout probability of the outputs between layers, in training mode.
      bidirectional: run each layer in both directions. The outputs of the two directions are concatenated.
      proj_size: the size to which the state of an LSTM is projected. 0 means no projection.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      ValueError: a size is not positive, `dropout` is not in [0, 1], `proj_size` is not smaller than `hidden_size`, or
        `mode` is unknown.

    >>> import torchlike as torch
    >>> [name for name, _ in torch.nn.RNNBase("GRU", 3, 4).named_parameters()]
    ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0']
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._add_weights(layer, f"_l{layer}{suffix}", device, dtype)
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        """The size of one direction's output."""
        return self.proj_size if self.proj_size > 0 else self.hidden_size

    def _check_options(self, dropout: Any) -> None:
        if not isinstance(dropout, numbers.Real) or isinstance(dropout, bool) or not 0 <= self.dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warn(_errors.rnn_dropout_unused(dropout, self.num_layers))
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            if not isinstance(getattr(self, name), kind):
                given = type(getattr(self, name)).__name__
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {given}")
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError(f"Unrecognized RNN mode: {self.mode}")

    def _add_weights(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        rows = _GATES[self.mode] * self.hidden_size
        below = self.input_size if layer == 0 else self._output_size * self._directions
        shapes = {"weight_ih": (rows, below), "weight_hh": (rows, self._output_size)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size > 0:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, shape in shapes.items():
            setattr(self, name + suffix, Parameter(torchlike.empty(shape, device=device, dtype=dtype)))
        self._all_weights.append([name + suffix for name in shapes])

    def reset_parameters(self) -> None:
        """Re-initialize the parameters."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters, in one list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def __getstate__(self) -> dict[str, Any]:
        names = ("_flat_weights_names", "_flat_weights")  # attributes in PyTorch, which needs them to unpickle
        return {**super().__getstate__(), **{name: getattr(self, name) for name in names}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for name in ("_flat_weights_names", "_flat_weights"):
            self.__dict__.pop(name, None)

    def flatten_parameters(self) -> None:
        """Do nothing. The memory layout of the parameters does not matter here."""

    # --- checks. They have PyTorch's names, because subclasses override them ---

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise if the input has a wrong number of dimensions, size, or (without autocast) dtype.

        Args:
          input: the input, or the data of a packed sequence.
          batch_sizes: the batch sizes of a packed sequence, or None.
        """
        weight = self.weight_ih_l0
        if input.dtype != weight.dtype and not modes.local.autocast:
            raise _errors.rnn_dtype(input.dtype, weight.dtype)
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """Return the required shape of the initial state.

        Args:
          input: the input, or the data of a packed sequence.
          batch_sizes: the batch sizes of a packed sequence, or None.
        """
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0) if self.batch_first else input.size(1)
        return self.num_layers * self._directions, batch, self._output_size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise if the state does not have the expected shape.

        Args:
          hx: the state.
          expected_hidden_size: the shape.
          msg: the message of the error, with places for the expected and the given shape.
        """
        if tuple(hx.size()) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: State, batch_sizes: Tensor | None) -> None:
        """Raise if the input or the state does not fit the layer.

        Args:
          input: the input, or the data of a packed sequence.
          hidden: the state.
          batch_sizes: the batch sizes of a packed sequence, or None.
        """
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    # --- running ---

    def forward(self, input: Any, hx: State = None) -> tuple[Any, State]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            raise _errors.rnn_layer_dimensions(self._printed_name(), input.dim())
        batched = input.dim() == 3
        self._check_state_dimensions(batched, hx)
        dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(dim)
            hx = None if hx is None else self._of_state(lambda h: h.unsqueeze(1), hx)
        hx = self._first_state(input) if hx is None else hx
        self.check_forward_args(input, hx, None)
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
        output, hidden = self._run(input, hx, self._flat_weights, *options)
        if not batched:
            output, hidden = output.squeeze(dim), self._of_state(lambda h: h.squeeze(1), hidden)
        return output, hidden

    def _forward_packed(self, input: PackedSequence, hx: State) -> tuple[PackedSequence, State]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        if hx is None:
            hx = self._zero_state(int(batch_sizes[0]), data)
        elif sorted_indices is not None:
            hx = self._of_state(lambda h: h.index_select(1, sorted_indices), hx)
        self.check_forward_args(data, hx, batch_sizes)
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        output, hidden = self._run(data, batch_sizes, hx, self._flat_weights, *options)
        if unsorted_indices is not None:
            hidden = self._of_state(lambda h: h.index_select(1, unsorted_indices), hidden)
        return PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices), hidden

    def _printed_name(self) -> str:
        return "RNN" if self.mode.startswith("RNN") else self.mode

    def _check_state_dimensions(self, batched: bool, hx: State) -> None:
        expected = 3 if batched else 2
        if hx is not None and hx.dim() != expected:
            raise _errors.rnn_state_dimensions(expected, hx.dim())

    def _first_state(self, input: Tensor) -> State:
        return self._zero_state(input.size(0) if self.batch_first else input.size(1), input)

    def _zero_state(self, batch: int, like: Tensor) -> State:
        shape = (self.num_layers * self._directions, batch, self._output_size)
        return torchlike.zeros(shape, dtype=like.dtype, device=like.device)

    def _of_state(self, change: Any, hidden: State) -> State:
        return change(hidden)

    def _run(self, *args: Any) -> tuple[Tensor, State]:
        raise NotImplementedError

    def extra_repr(self) -> str:
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            shown += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            shown += f", num_layers={self.num_layers}"
        if self.bias is not True:
            shown += f", bias={self.bias}"
        if self.batch_first is not False:
            shown += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            shown += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            shown += f", bidirectional={self.bidirectional}"
        return shown


@own_methods("forward")
class RNN(RNNBase):
    """The Elman recurrent layer: h' = tanh(W_ih x + b_ih + W_hh h + b_hh).

    The signature is `RNN(input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False,
    dropout=0.0, bidirectional=False, device=None, dtype=None)`. The input has the shape (L, N, input_size), or
    (L, input_size), or is a `PackedSequence`. An initial state of the shape of h_n may follow it; the default is zeros.

    Args:
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers. Each layer reads the outputs of the previous one.
      nonlinearity: 'tanh', or 'relu' in place of tanh.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size). States do not change.
      dropout: the dropout probability of the outputs between layers, in training mode.
      bidirectional: run each layer in both directions. The outputs of the two directions are concatenated.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Returns:
      The pair (output, h_n): (L, N, directions · hidden_size) and (num_layers · directions, N, hidden_size).

    Raises:
      ValueError: an option is out of range, or `proj_size` is given.
      RuntimeError: the input or the state does not fit. The call raises this.

    >>> import torchlike as torch
    >>> output, h = torch.nn.RNN(10, 20)(torch.ones(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise _errors.rnn_projection_unsupported()
        if len(args) > 3:
            nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity

    def _run(self, *args: Any) -> tuple[Tensor, State]:
        return torchlike.rnn_tanh(*args) if self.mode == "RNN_TANH" else torchlike.rnn_relu(*args)


@own_methods("forward")
class LSTM(RNNBase):
    """The long short-term memory layer (Hochreiter and Schmidhuber, 1997).

    i, f, o = sigmoid(...), g = tanh(...), c' = f·c + i·g, h' = o·tanh(c'). The argument of each gate is
    W_ih x + b_ih + W_hh h + b_hh. The weights stack the gates in the order i, f, g, o.

    The signature is `LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, proj_size=0, device=None, dtype=None)`. The input has the shape (L, N, input_size), or
    (L, input_size), or is a `PackedSequence`. An initial state (h, c) may follow it; the default is zeros.

    Args:
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers. Each layer reads the outputs of the previous one.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size). States do not change.
      dropout: the dropout probability of the outputs between layers, in training mode.
      bidirectional: run each layer in both directions. The outputs of the two directions are concatenated.
      proj_size: the size to which h is projected, less than `hidden_size`. 0 means no projection.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Returns:
      The pair (output, (h_n, c_n)). The shapes are (L, N, directions · size), (num_layers · directions, N, size) and
      (num_layers · directions, N, hidden_size), where size is `proj_size` or `hidden_size`.

    Raises:
      ValueError: an option is out of range.
      RuntimeError: the input or the state does not fit. The call raises this.

    >>> import torchlike as torch
    >>> output, (h, c) = torch.nn.LSTM(10, 20, batch_first=True)(torch.ones(3, 5, 10))
    >>> output.shape, h.shape, c.shape
    (torch.Size([3, 5, 20]), torch.Size([1, 3, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def check_forward_args(self, input: Tensor, hidden: State, batch_sizes: Tensor | None) -> None:
        """Raise if the input or one of the two states does not fit the layer.

        Args:
          input: the input, or the data of a packed sequence.
          hidden: the states (h, c).
          batch_sizes: the batch sizes of a packed sequence, or None.
        """
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected, "Expected hidden[0] size {}, got {}")
        cell = (*expected[:2], self.hidden_size)
        self.check_hidden_size(hidden[1], cell, "Expected hidden[1] size {}, got {}")

    def _check_state_dimensions(self, batched: bool, hx: State) -> None:
        expected = 3 if batched else 2
        if hx is not None and (hx[0].dim() != expected or hx[1].dim() != expected):
            raise _errors.lstm_state_dimensions(expected, hx[0].dim(), hx[1].dim())

    def _zero_state(self, batch: int, like: Tensor) -> State:
        layers = self.num_layers * self._directions
        sizes = (self._output_size, self.hidden_size)
        return tuple(torchlike.zeros((layers, batch, size), dtype=like.dtype, device=like.device) for size in sizes)

    def _of_state(self, change: Any, hidden: State) -> State:
        return change(hidden[0]), change(hidden[1])

    def _run(self, *args: Any) -> tuple[Tensor, State]:
        output, h, c = torchlike.lstm(*args)
        return output, (h, c)


@own_methods("forward")
class GRU(RNNBase):
    """The gated recurrent unit layer (Cho et al., 2014).

    r, z = sigmoid(...), n = tanh(W_in x + b_in + r·(W_hn h + b_hn)), h' = (1 - z)·n + z·h. The weights stack the gates
    in the order r, z, n.

    The signature is `GRU(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, device=None, dtype=None)`. The input has the shape (L, N, input_size), or (L, input_size), or
    is a `PackedSequence`. An initial state of the shape of h_n may follow it; the default is zeros.

    Args:
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers. Each layer reads the outputs of the previous one.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size). States do not change.
      dropout: the dropout probability of the outputs between layers, in training mode.
      bidirectional: run each layer in both directions. The outputs of the two directions are concatenated.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Returns:
      The pair (output, h_n): (L, N, directions · hidden_size) and (num_layers · directions, N, hidden_size).

    Raises:
      ValueError: an option is out of range, or `proj_size` is given.
      RuntimeError: the input or the state does not fit. The call raises this.

    >>> import torchlike as torch
    >>> output, h = torch.nn.GRU(10, 20, bidirectional=True)(torch.ones(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 40]), torch.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise _errors.rnn_projection_unsupported()
        super().__init__("GRU", *args, **kwargs)

    def _run(self, *args: Any) -> tuple[Tensor, State]:
        return torchlike.gru(*args)


# --- cells ------------------------------------------------------------------------------------------------------------


class RNNCellBase(Module):
    """The base class of the recurrent cells: the parameters of one step with `num_chunks` gates.

    Args:
      input_size, hidden_size: the sizes of the input and of the state.
      bias: add biases.
      num_chunks: the number of gates, whose weights are stacked.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    >>> import torchlike as torch
    >>> torch.nn.RNNCellBase(3, 4, bias=True, num_chunks=2).weight_ih.shape
    torch.Size([8, 3])
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(torchlike.empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(torchlike.empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            empty = torchlike.empty(rows, device=device, dtype=dtype) if bias else None
            self.register_parameter(name, None if empty is None else Parameter(empty))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Re-initialize the parameters from U(-b, b) with b = 1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self) -> tuple:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check(self, name: str, value: Tensor) -> None:
        if value.dim() not in (1, 2):
            raise _errors.layer_dimensions(type(self).__name__, name, "1D or 2D", value.dim())

    def _ready(self, input: Tensor, hx: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the input and the state, both with a batch dimension."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        rows = input if input.dim() == 2 else input.unsqueeze(0)
        if hx is None:
            return rows, torchlike.zeros(rows.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        return rows, hx if input.dim() == 2 else hx.unsqueeze(0)

    def extra_repr(self) -> str:
        shown = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            shown += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            shown += f", nonlinearity={self.nonlinearity}"
        return shown


class RNNCell(RNNCellBase):
    """A cell that computes one step of `RNN`: (N, input_size), (N, hidden_size) -> (N, hidden_size).

    Without a state, the state is zeros. Input and state may be a single sample, without N.

    Args:
      input_size, hidden_size: the sizes of the input and of the state.
      bias: add biases.
      nonlinearity: 'tanh' or 'relu'.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    Raises:
      RuntimeError: `nonlinearity` is unknown. The call raises this.

    >>> import torchlike as torch
    >>> torch.nn.RNNCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        rows, hx = self._ready(input, hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        step = torchlike.rnn_tanh_cell if self.nonlinearity == "tanh" else torchlike.rnn_relu_cell
        result = step(rows, hx, *self._weights())
        return result if input.dim() == 2 else result.squeeze(0)


class LSTMCell(RNNCellBase):
    """A cell that computes one step of `LSTM`: (N, input_size), (h, c) -> (h', c'), each (N, hidden_size).

    Without a state, h and c are zeros. Input and states may be a single sample, without N.

    Args:
      input_size, hidden_size: the sizes of the input and of the state.
      bias: add biases.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    >>> import torchlike as torch
    >>> h, c = torch.nn.LSTMCell(10, 20)(torch.ones(3, 10))
    >>> h.shape, c.shape
    (torch.Size([3, 20]), torch.Size([3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check("input", input)
        for place, state in enumerate(hx or ()):
            self._check(f"hx[{place}]", state)
        rows, h = self._ready(input, None if hx is None else hx[0])
        _, c = self._ready(input, None if hx is None else hx[1])
        h, c = torchlike.lstm_cell(rows, (h, c), *self._weights())
        return (h, c) if input.dim() == 2 else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """A cell that computes one step of `GRU`: (N, input_size), (N, hidden_size) -> (N, hidden_size).

    Without a state, the state is zeros. Input and state may be a single sample, without N.

    Args:
      input_size, hidden_size: the sizes of the input and of the state.
      bias: add biases.
      device, dtype: of the parameters. The defaults are the current default device and dtype.

    >>> import torchlike as torch
    >>> torch.nn.GRUCell(10, 20)(torch.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        rows, hx = self._ready(input, hx)
        result = torchlike.gru_cell(rows, hx, *self._weights())
        return result if input.dim() == 2 else result.squeeze(0)
