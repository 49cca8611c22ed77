"""The LSTM as a composition of linear layers and sums, which observers can watch."""

from __future__ import annotations

import numbers
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors.warned import warn

__all__ = ["LSTMCell", "LSTM"]

_GATES = ("input", "forget", "cell", "output")
_IGNORED = (
    "dropout option for quantizable LSTM is ignored. If you are training, please, use nn.LSTM version "
    "followed by `prepare` step."
)


def _functional() -> Any:
    return torch.ao.nn.quantized.FloatFunctional()


class LSTMCell(nn.Module):
    """A step of an LSTM. `from_float` converts a `torch.nn.LSTMCell`.

    Args:
      input_dim: the size of an input.
      hidden_dim: the size of the state.
      bias: add biases.
      device: of the parameters.
      dtype: of the parameters.
      split_gates: compute the gates in layers of their own.

    >>> import torchlike as torch
    >>> h, c = torch.ao.nn.quantizable.LSTMCell(3, 4)(torch.ones(2, 3))
    >>> h.shape
    torch.Size([2, 4])
    """

    _FLOAT_MODULE: Any = nn.LSTMCell

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        made = {"device": device, "dtype": dtype}
        super().__init__()
        self.input_size = input_dim
        self.hidden_size = hidden_dim
        self.bias = bias
        self.split_gates = split_gates
        self._add_gates(made)
        self.input_gate = nn.Sigmoid()
        self.forget_gate = nn.Sigmoid()
        self.cell_gate = nn.Tanh()
        self.output_gate = nn.Sigmoid()
        self.fgate_cx = _functional()
        self.igate_cgate = _functional()
        self.fgate_cx_igate_cgate = _functional()
        self.ogate_cy = _functional()
        self.initial_hidden_state_qparams: tuple[float, int] = (1.0, 0)
        self.initial_cell_state_qparams: tuple[float, int] = (1.0, 0)
        self.hidden_state_dtype: Any = torch.quint8
        self.cell_state_dtype: Any = torch.quint8

    def _add_gates(self, made: dict[str, Any]) -> None:
        inner, outer = self.hidden_size, self.input_size
        if not self.split_gates:
            self.igates: Any = nn.Linear(outer, 4 * inner, self.bias, **made)
            self.hgates: Any = nn.Linear(inner, 4 * inner, self.bias, **made)
            self.gates: Any = _functional()
            return
        self.igates, self.hgates, self.gates = nn.ModuleDict(), nn.ModuleDict(), nn.ModuleDict()
        for name in _GATES:
            self.igates[name] = nn.Linear(outer, inner, self.bias, **made)
            self.hgates[name] = nn.Linear(inner, inner, self.bias, **made)
            self.gates[name] = _functional()

    def forward(self, x: Any, hidden: Any = None) -> tuple[Any, Any]:
        """Return the next states h and c.

        Args:
          x: (N, input_dim).
          hidden: the states h and c, (N, hidden_dim) each. They start as zeros.
        """
        if hidden is None or hidden[0] is None or hidden[1] is None:
            hidden = self.initialize_hidden(x.shape[0], x.is_quantized)
        hx, cx = hidden
        if self.split_gates:
            found = {name: self.gates[name].add(self.igates[name](x), self.hgates[name](hx)) for name in _GATES}
        else:
            found = dict(zip(_GATES, self.gates.add(self.igates(x), self.hgates(hx)).chunk(4, 1), strict=True))
        into, forget = self.input_gate(found["input"]), self.forget_gate(found["forget"])
        cell, out = self.cell_gate(found["cell"]), self.output_gate(found["output"])
        kept, added = self.fgate_cx.mul(forget, cx), self.igate_cgate.mul(into, cell)
        cy = self.fgate_cx_igate_cgate.add(kept, added)
        return self.ogate_cy.mul(out, torch.tanh(cy)), cy

    def initialize_hidden(self, batch_size: int, is_quantized: bool = False) -> tuple[Any, Any]:
        """Return the first states, which are zeros.

        Args:
          batch_size: the number of sequences.
          is_quantized: return quantized tensors.
        """
        h, c = (torch.zeros((batch_size, self.hidden_size)) for _ in range(2))
        if is_quantized:
            h = torch.quantize_per_tensor(h, *self.initial_hidden_state_qparams, self.hidden_state_dtype)
            c = torch.quantize_per_tensor(c, *self.initial_cell_state_qparams, self.cell_state_dtype)
        return h, c

    def _get_name(self) -> str:
        return "QuantizableLSTMCell"

    @classmethod
    def from_params(cls, wi: Any, wh: Any, bi: Any = None, bh: Any = None, split_gates: bool = False) -> Any:
        """Return a cell with the given parameters.

        Args:
          wi: (4 hidden, input), the weights of the input.
          wh: (4 hidden, hidden), the weights of the state.
          bi: (4 hidden,), or None.
          bh: (4 hidden,), or None.
          split_gates: compute the gates in layers of their own.

        Raises:
          AssertionError: only one of the biases is None.
        """
        if (bi is None) != (bh is None):
            raise AssertionError("bi and bh must both be None or both have values")
        made = cls(wi.shape[1], wh.shape[1], bias=bi is not None, split_gates=split_gates)
        for layers, weight, bias in ((made.igates, wi, bi), (made.hgates, wh, bh)):
            if not split_gates:
                _set(layers, weight, bias)
                continue
            biases = [None] * 4 if bias is None else bias.chunk(4, 0)
            for name, part, shift in zip(_GATES, weight.chunk(4, 0), biases, strict=True):
                _set(layers[name], part, shift)
        return made

    @classmethod
    def from_float(cls, other: Any, use_precomputed_fake_quant: bool = False, split_gates: bool = False) -> Any:
        """Return a cell with copies of the parameters of a float cell.

        Args:
          other: the float cell, with a configuration.
          use_precomputed_fake_quant: not used.
          split_gates: compute the gates in layers of their own.

        Raises:
          AssertionError: `other` is of another class, or has no configuration.
        """
        _check_kind(cls, other)
        if not hasattr(other, "qconfig"):
            raise AssertionError("The float module must have 'qconfig'")
        parameters = other.weight_ih, other.weight_hh, other.bias_ih, other.bias_hh
        made = cls.from_params(*parameters, split_gates=split_gates)
        made.qconfig = made.igates.qconfig = made.hgates.qconfig = other.qconfig
        if split_gates:
            for gates in (made.igates, made.hgates):
                for layer in gates.values():
                    layer.qconfig = other.qconfig
        return made


def _set(layer: Any, weight: Any, bias: Any) -> None:
    layer.weight = nn.Parameter(weight)
    layer.bias = None if bias is None else nn.Parameter(bias)


def _check_kind(cls: Any, other: Any) -> None:
    if type(other) is not cls._FLOAT_MODULE:
        raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")


class _LSTMSingleLayer(nn.Module):
    """One layer and direction of an LSTM."""

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        super().__init__()
        self.cell = LSTMCell(input_dim, hidden_dim, bias, device, dtype, split_gates=split_gates)

    def forward(self, x: Any, hidden: Any = None) -> tuple[Any, Any]:
        steps = []
        for place in range(x.shape[0]):
            hidden = self.cell(x[place], hidden)
            steps.append(hidden[0])
        return torch.stack(steps, 0), hidden

    @classmethod
    def from_params(cls, *args: Any, **kwargs: Any) -> Any:
        cell = LSTMCell.from_params(*args, **kwargs)
        made = cls(cell.input_size, cell.hidden_size, cell.bias, split_gates=cell.split_gates)
        made.cell = cell
        return made


class _LSTMLayer(nn.Module):
    """One layer of an LSTM, in one or both directions."""

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        batch_first: bool = False,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.bidirectional = bidirectional
        sizes = input_dim, hidden_dim, bias, device, dtype
        self.layer_fw = _LSTMSingleLayer(*sizes, split_gates=split_gates)
        if bidirectional:
            self.layer_bw = _LSTMSingleLayer(*sizes, split_gates=split_gates)

    def forward(self, x: Any, hidden: Any = None) -> tuple[Any, Any, Any]:
        if self.batch_first:
            x = x.transpose(0, 1)
        h, c = (None, None) if hidden is None else hidden
        if not self.bidirectional:
            result, (h, c) = self.layer_fw(x, None if h is None or c is None else (h, c))
        else:
            starts = [None if h is None or c is None else (h[place], c[place]) for place in range(2)]
            there, (h_there, c_there) = self.layer_fw(x, starts[0])
            back, (h_back, c_back) = self.layer_bw(x.flip(0), starts[1])
            result = torch.cat([there, back.flip(0)], there.dim() - 1)
            h, c = torch.stack([h_there, h_back], 0), torch.stack([c_there, c_back], 0)
        return (result.transpose(0, 1) if self.batch_first else result), h, c

    @classmethod
    def from_float(cls, other: Any, layer_idx: int, qconfig: Any, split_gates: bool) -> Any:
        sizes = other.input_size, other.hidden_size, other.bias, False, other.bidirectional
        made = cls(*sizes, split_gates=split_gates)
        made.qconfig = getattr(other, "qconfig", qconfig)
        for name, ending in (("layer_fw", ""), ("layer_bw", "_reverse"))[: 2 if other.bidirectional else 1]:
            kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            parameters = [getattr(other, f"{kind}_l{layer_idx}{ending}", None) for kind in kinds]
            setattr(made, name, _LSTMSingleLayer.from_params(*parameters, split_gates=split_gates))
        return made


class LSTM(nn.Module):
    """An LSTM whose parts can be observed and quantized. `from_float` converts a `torch.nn.LSTM`.

    Args:
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size).
      dropout: not used. A warning says so.
      bidirectional: add layers that read backwards.
      device: of the parameters.
      dtype: of the parameters.
      split_gates: compute the gates in layers of their own.

    Raises:
      ValueError: `dropout` is no number from 0 to 1.

    >>> import torchlike as torch
    >>> output, (h, c) = torch.ao.nn.quantizable.LSTM(3, 4)(torch.ones(5, 2, 3))
    >>> output.shape
    torch.Size([5, 2, 4])
    """

    _FLOAT_MODULE: Any = nn.LSTM

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.training = False  # the layers of a new module are in training mode, as in PyTorch
        _check_dropout(dropout, num_layers)
        rest = bias, False, bidirectional, device, dtype
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(_LSTMLayer(size, hidden_size, *rest, split_gates=split_gates) for size in sizes)

    def forward(self, x: Any, hidden: Any = None) -> tuple[Any, tuple[Any, Any]]:
        """Return the outputs of the last layer, and the last states h and c of all layers.

        Args:
          x: (L, N, input_size), or (N, L, input_size) with `batch_first`.
          hidden: the first states h and c. They start as zeros.
        """
        if self.batch_first:
            x = x.transpose(0, 1)
        starts = self._starts(x, hidden)
        ends = []
        for layer, start in zip(self.layers, starts, strict=True):
            x, h, c = layer(x, start)
            ends.append((h, c))
        found = [torch.stack(states, 0) for states in zip(*ends, strict=True)]
        found = [states.reshape(-1, states.shape[-2], states.shape[-1]) for states in found]
        return (x.transpose(0, 1) if self.batch_first else x), (found[0], found[1])

    def _starts(self, x: Any, hidden: Any) -> list[Any]:
        """Return the first states of each layer."""
        directions = 2 if self.bidirectional else 1
        shape = self.num_layers, directions, x.shape[1], self.hidden_size
        if hidden is None:
            zeros = torch.zeros(shape, dtype=torch.float, device=x.device).squeeze(1)
            if x.is_quantized:
                zeros = torch.quantize_per_tensor(zeros, scale=1.0, zero_point=0, dtype=x.dtype)
            return [(zeros[place], zeros[place]) for place in range(self.num_layers)]
        h, c = (each.reshape(shape).squeeze(1) for each in hidden)
        return [(h[place], c[place]) for place in range(self.num_layers)]

    def _get_name(self) -> str:
        return "QuantizableLSTM"

    @classmethod
    def from_float(cls, other: Any, qconfig: Any = None, split_gates: bool = False) -> Any:
        """Return a module with copies of the parameters of a float LSTM, and with observers.

        Args:
          other: the float LSTM.
          qconfig: the configuration, if `other` has none.
          split_gates: compute the gates in layers of their own.

        Raises:
          AssertionError: `other` is of another class, or there is no configuration.
        """
        _check_kind(cls, other)
        if not hasattr(other, "qconfig") and not qconfig:
            raise AssertionError("other must have qconfig or qconfig must be provided")
        sizes = other.input_size, other.hidden_size, other.num_layers, other.bias
        rest = other.batch_first, other.dropout, other.bidirectional
        made = cls(*sizes, *rest, split_gates=split_gates)
        made.qconfig = getattr(other, "qconfig", qconfig)
        for place in range(other.num_layers):
            made.layers[place] = _LSTMLayer.from_float(other, place, qconfig, split_gates)
        if other.training:
            made.train()
            return torch.ao.quantization.prepare_qat(made, inplace=True)
        made.eval()
        return torch.ao.quantization.prepare(made, inplace=True)

    @classmethod
    def from_observed(cls, other: Any) -> Any:
        """Raise: `torch.ao.nn.quantized.LSTM` converts an observed module.

        Args:
          other: not used.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            "It looks like you are trying to convert a non-quantizable LSTM module. Please, see the examples on "
            "quantizable LSTMs."
        )


def _check_dropout(dropout: Any, num_layers: int) -> None:
    if not isinstance(dropout, numbers.Number) or isinstance(dropout, bool) or not 0 <= float(dropout) <= 1:  # type: ignore[arg-type]
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if float(dropout) > 0:  # type: ignore[arg-type]
        warn(_IGNORED)
        if num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={float(dropout)} and num_layers={num_layers}"  # type: ignore[arg-type]
            )
