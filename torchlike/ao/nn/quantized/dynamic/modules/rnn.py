"""The LSTM with int8 weights, whose inputs and states are quantized at run time, by their own ranges."""

from __future__ import annotations

import numbers
from typing import Any

import torchlike as torch
from torchlike import nn
from torchlike._errors import arguments
from torchlike._errors.warned import warn
from torchlike._quantized._recurrent import CellParams
from torchlike.ao.nn._refused import refused
from torchlike.ao.nn.quantized.dynamic.modules.linear import weight_observer
from torchlike.ao.nn.quantized.modules.utils import _quantize_weight

_PLACE = "torch.ao.nn.quantized.dynamic"
_GATES = 4


class PackedParameter(nn.Module):
    """The packed weights of one layer and direction.

    Args:
      param: the weights.
    """

    def __init__(self, param: Any) -> None:
        super().__init__()
        self.param = param

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "param"] = self.param

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        self.param = state_dict[prefix + "param"]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )


class LSTM(nn.Module):
    """An LSTM with int8 weights. Inputs, states and results are float tensors.

    Args:
      input_size: the size of an input step.
      hidden_size: the size of the state.
      num_layers: the number of stacked layers.
      bias: add biases.
      batch_first: inputs and outputs have the shape (N, L, size) instead of (L, N, size).
      dropout: the dropout probability between layers, in training mode.
      bidirectional: run each layer in both directions.
      dtype: `torch.qint8`.

    Raises:
      ValueError: `dropout` is not in [0, 1].
      NotImplementedError: the dtype is `torch.float16`.

    >>> import torchlike as torch
    >>> output, (h, c) = torch.ao.nn.quantized.dynamic.LSTM(10, 20)(torch.ones(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([1, 3, 20]))
    """

    _FLOAT_MODULE = nn.LSTM
    _version = 2

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = torch.qint8,
    ) -> None:
        super().__init__()
        self.mode = "LSTM"
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.dtype = dtype
        self.version: int | None = 2
        self.training = False
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        if dtype is torch.float16:
            raise arguments.kind_unsupported(f"{_PLACE}.LSTM", "weights of dtype float16")
        params = [self._random(layer) for layer in range(num_layers) for _ in range(self._directions)]
        self._all_weight_values = nn.ModuleList([PackedParameter(param) for param in params])

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _random(self, layer: int) -> CellParams:
        """Return random weights, as PyTorch draws them for a layer that is not converted."""
        gates = _GATES * self.hidden_size
        width = self.input_size if layer == 0 else self.hidden_size * self._directions
        weights = [torch.randn(gates, width), torch.randn(gates, self.hidden_size)]
        biases = torch.randn(gates), torch.randn(gates)
        packed = [torch.quantize_per_tensor(w, scale=0.1, zero_point=0, dtype=torch.qint8) for w in weights]
        pack = torch.ops.quantized.linear_prepack
        return CellParams(pack(packed[0], biases[0]), pack(packed[1], biases[1]), *biases, True)

    def _get_name(self) -> str:
        return "DynamicQuantizedLSTM"

    def extra_repr(self) -> str:
        """Return the sizes and the options that differ from the defaults."""
        shown = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}
        shown += [f"{name}={getattr(self, name)}" for name, usual in defaults.items() if getattr(self, name) != usual]
        return ", ".join(shown)

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the outputs of all steps and the last states.

        Args:
          input: (L, N, input_size), or (N, L, input_size) if `batch_first`.
          hx: the first states h and c, each (layers · directions, N, hidden_size); by default zeros.

        Raises:
          RuntimeError: the input or a state does not fit.
          NotImplementedError: the input is a `PackedSequence`.
        """
        if isinstance(input, nn.utils.rnn.PackedSequence):
            raise arguments.unsupported(f"{_PLACE}.LSTM", "input as a PackedSequence")
        if input.dim() != 3:
            raise RuntimeError(f"input must have 3 dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )
        size = len(self._all_weight_values), input.size(0 if self.batch_first else 1), self.hidden_size
        if hx is None:
            zeros = torch.zeros(size, dtype=input.dtype, device=input.device)
            hx = (zeros, zeros)
        for place, state in enumerate(hx):
            if tuple(state.shape) != size:
                raise RuntimeError(f"Expected hidden[{place}] size {size}, got {list(state.size())}")
        return self._run(input.transpose(0, 1) if self.batch_first else input, *hx)

    def _run(self, x: Any, h: Any, c: Any) -> Any:
        params: list[Any] = [module.param for module in self._all_weight_values]
        ends_h, ends_c = [], []
        for layer in range(self.num_layers):
            if layer and self.training and self.dropout:
                x = nn.functional.dropout(x, self.dropout)
            outputs = []
            for direction in range(self._directions):
                place = layer * self._directions + direction
                steps = x.flip(0) if direction else x
                found, last_h, last_c = params[place].run(steps, h[place], c[place])
                outputs.append(found.flip(0) if direction else found)
                ends_h.append(last_h)
                ends_c.append(last_c)
            x = outputs[0] if len(outputs) == 1 else torch.cat(outputs, -1)
        return x.transpose(0, 1) if self.batch_first else x, (torch.stack(ends_h), torch.stack(ends_c))

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        self.version = local_metadata.get("version")
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer of a float LSTM.

        Args:
          mod: the float layer, with a configuration.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class, has no configuration or has no biases.
          RuntimeError: the weight's dtype is not supported.
          NotImplementedError: the weight's dtype is `torch.float16`, or the layer has projections.
        """
        if type(mod) is not nn.LSTM:
            raise AssertionError("nn.quantized.dynamic.RNNBase.from_float only works for nn.LSTM and nn.GRU")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if mod.proj_size:
            raise arguments.unsupported(f"{_PLACE}.LSTM", "proj_size")
        dtype = weight_observer(mod).dtype
        if dtype not in (torch.qint8, torch.float16):
            raise RuntimeError(f"Unsupported dtype for dynamic RNN quantization: {dtype}")
        options = mod.num_layers, mod.bias, mod.batch_first, mod.dropout, mod.bidirectional
        made = cls(mod.input_size, mod.hidden_size, *options, dtype)
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        suffixes = [f"_l{n}{end}" for n in range(mod.num_layers) for end in ("", "_reverse")[: made._directions]]
        made._all_weight_values = nn.ModuleList([PackedParameter(_packed(mod, suffix)) for suffix in suffixes])
        return made

    def _weight_bias(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {"weight": {}, "bias": {}}
        suffixes = [f"_l{n}{end}" for n in range(self.num_layers) for end in ("", "_reverse")[: self._directions]]
        for suffix, module in zip(suffixes, self._all_weight_values):
            for name, packed in (("ih", module.param.packed_ih), ("hh", module.param.packed_hh)):
                found["weight"][f"weight_{name}{suffix}"], found["bias"][f"bias_{name}{suffix}"] = packed.unpack()
        return found

    def get_weight(self) -> dict[str, Any]:
        """Return the quantized weights by the names of the float layer."""
        return self._weight_bias()["weight"]

    def get_bias(self) -> dict[str, Any]:
        """Return the biases by the names of the float layer."""
        return self._weight_bias()["bias"]


def _packed(mod: Any, suffix: str) -> CellParams:
    """Return the packed weights of one layer and direction of a float LSTM."""
    packed, biases = [], []
    for name in ("ih", "hh"):
        weight, bias = getattr(mod, f"weight_{name}{suffix}"), getattr(mod, f"bias_{name}{suffix}")
        watcher = weight_observer(mod)
        watcher(weight)
        packed.append(torch.ops.quantized.linear_prepack(_quantize_weight(weight.float(), watcher), bias))
        biases.append(bias.detach())
    return CellParams(packed[0], packed[1], biases[0], biases[1], True)


GRU = refused("GRU", _PLACE)
GRUCell = refused("GRUCell", _PLACE)
LSTMCell = refused("LSTMCell", _PLACE)
RNNCell = refused("RNNCell", _PLACE)
