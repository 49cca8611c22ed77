"""The LSTM with int8 weights."""

from __future__ import annotations

from typing import Any

from torchlike._errors import arguments
from torchlike._quantized._products import PackedParams, dynamic
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


class CellParams:
    """The packed weights of one layer and direction of an LSTM.

    Args:
      packed_ih: the packed weight and bias of the inputs.
      packed_hh: the packed weight and bias of the states.
      bias_ih: the bias of the inputs.
      bias_hh: the bias of the states.
      reduce_range: quantize inputs and states to 7 bits.
    """

    def __init__(
        self, packed_ih: PackedParams, packed_hh: PackedParams, bias_ih: Tensor, bias_hh: Tensor, reduce_range: bool
    ) -> None:
        if packed_hh._zeros is not None:
            raise arguments.unsupported("torch.ao.nn.quantized.dynamic.LSTM", "weights with nonzero zero points")
        self.packed_ih, self.packed_hh = packed_ih, packed_hh
        self.bias_ih, self.bias_hh, self.reduce_range = bias_ih, bias_hh, reduce_range

    def run(self, x: Tensor, h: Tensor, c: Tensor) -> Any:
        """Return the outputs (L, N, hidden) for the inputs (L, N, size), and the last states.

        The inputs of all steps are quantized with one scale. Each state has its own.
        """
        packed = self.packed_hh.on(x)
        gates = dynamic(x, self.packed_ih, self.reduce_range)
        high = 127 if self.reduce_range else 255
        weights = packed._weight._ints, packed._sums, packed._scales, packed._bias
        return rows["_int8_lstm"](gates, h.detach(), c.detach(), *weights, high)
