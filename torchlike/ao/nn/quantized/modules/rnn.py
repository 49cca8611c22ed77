"""The quantized LSTM, made of an observed one."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike.ao.nn import quantizable as nnqa

__all__ = ["LSTM"]


class LSTM(nnqa.LSTM):
    """A quantized LSTM. `from_observed` converts a `torch.ao.nn.quantizable.LSTM` that has seen data.

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
    """

    _FLOAT_MODULE = nnqa.LSTM

    def _get_name(self) -> str:
        return "QuantizedLSTM"

    @classmethod
    def from_float(cls, *args: Any, **kwargs: Any) -> Any:
        """Raise: an observed module is converted by `from_observed`.

        Args:
          *args, **kwargs: not used.

        Raises:
          NotImplementedError: always.
        """
        raise NotImplementedError(
            "It looks like you are trying to convert a non-observed LSTM module. Please, see the examples on "
            "quantizable LSTMs."
        )

    @classmethod
    def from_observed(cls, other: Any) -> Any:
        """Return the quantized module of an observed one.

        Args:
          other: the observed module.

        Raises:
          AssertionError: `other` is of another class.
        """
        if type(other) is not cls._FLOAT_MODULE:
            raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")
        made = torch.ao.quantization.convert(other, inplace=False, remove_qconfig=True)
        made.__class__ = cls
        return made
