"""Linear layers and convolutions of quantized tensors, and their packed weights.

A product accumulates int8 by int8 in int32. The zero points are subtracted afterwards, by way of the sums of the
weights and of the activations.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import quantized as q
from torchlike._quantized import _tensor as t
from torchlike._quantized._make import quantize_per_tensor_dynamic
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_REDUCED, _FULL = (0, 127), (0, 255)
_SHIFT = 128  # the kernels take unsigned bytes minus this


class PackedParams:
    """The quantized weight and the float bias of a layer, with the scales and sums of the weight for its product.

    Args:
      weight: a qint8 tensor (out, ...), with one scale or one per output channel.
      bias: (out,), float32, or None.
      geometry: stride, padding, dilation and groups of a convolution. A linear layer has none.
    """

    def __init__(self, weight: Any, bias: Tensor | None, geometry: tuple[Any, ...] = ()) -> None:
        if not isinstance(weight, t.QuantizedTensor):
            raise _errors.quantized.of_plain("linear_prepack")
        if weight.dtype is not q.qint8:
            raise _errors.quantized.weight_dtype(weight.dtype)
        self._weight: Any = weight
        self._given_bias = bias
        self.geometry = geometry
        self._fill()

    def _fill(self) -> None:
        self._bias = None if self._given_bias is None else self._given_bias.detach()
        ints, at = self._weight._ints, self._weight._quantizer
        self._kernel = ints = self._factors(ints)
        self._sums = ints.to(_dtypes.int32).flatten(1).sum(1, dtype=_dtypes.int32)  # (out,)
        if isinstance(at, t.PerTensor):
            self._scales: Tensor = t.constant(at.scale, _dtypes.float32, ints)
            self._zeros: Any = at.zero_point or None
        else:
            self._scales = at.scales.float()
            self._zeros = at.zero_points.to(_dtypes.int32) if bool((at.zero_points != 0).any()) else None

    def _factors(self, ints: Tensor) -> Tensor:
        """Return the integers of the weight as (out, in / groups, ...)."""
        return ints

    def unpack(self) -> tuple[Any, Tensor | None]:
        """Return the weight and the bias."""
        return self._weight, self._given_bias

    def on(self, x: Tensor) -> PackedParams:
        """Return the parameters on the device of `x`. The move is permanent."""
        if x.device != self._weight.device:
            self._weight = self._weight.to(x.device)
            self._given_bias = None if self._given_bias is None else self._given_bias.to(x.device)
            self._fill()
        return self

    def accumulated(self, ints: Tensor, zero_point: Any) -> Tensor:
        """Return the int32 products of the weight and of the integers `ints`, whose real zero is `zero_point`."""
        packed, channels = self._kernel, [-1] + [1] * (ints.ndim - 2) if self.geometry else [-1]
        shift = _SHIFT if ints.dtype is _dtypes.uint8 else 0
        found = self._product(ints, packed, zero_point)
        found = found - (zero_point - shift) * self._sums.view(channels)
        if self._zeros is None:
            return found
        zeros = self._zeros.view(channels) if isinstance(self._zeros, Tensor) else self._zeros
        ones = packed.new_ones(packed.shape)
        of_ones = self._product(ints, ones, zero_point) - (zero_point - shift) * ones[0].numel()
        return found - zeros * of_ones

    def _product(self, ints: Tensor, weight: Tensor, zero_point: Any) -> Tensor:
        if not self.geometry:
            return rows["_int8_linear"](ints, weight)
        return rows["_int8_conv"](ints, weight, zero_point, *self.geometry)

    def shaped(self, x: Tensor | None, ndim: int) -> Any:
        """Return a tensor of one number per output channel, shaped to broadcast to the result."""
        return x if x is None or not x.ndim or not self.geometry else x.view([-1] + [1] * (ndim - 2))

    def __reduce__(self) -> tuple:
        return type(self), (self._weight, self._given_bias, self.geometry)

    def __deepcopy__(self, memo: dict) -> PackedParams:
        return type(self)(copy.deepcopy(self._weight, memo), copy.deepcopy(self._given_bias, memo), self.geometry)


class TransposedParams(PackedParams):
    """The quantized weight and the float bias of a transposed convolution.

    It is computed as a convolution of the input, spread out by the stride, with the flipped weight.

    Args:
      weight: a qint8 tensor (in, out / groups, ...), with one scale.
      bias: (out,), float32, or None.
      geometry: stride, padding, output padding, dilation and groups.
    """

    def __init__(self, weight: Any, bias: Tensor | None, geometry: tuple[Any, ...]) -> None:
        if isinstance(weight, t.QuantizedTensor):
            at = weight._quantizer
            if not isinstance(at, t.PerTensor):
                raise RuntimeError("Per Channel Quantization is currently disabled for transposed conv")
            weight = t.make(weight._ints, weight._dtype_, t.PerTensor(float(np.float32(at.scale)), at.zero_point))
        super().__init__(weight, bias, geometry)

    def _factors(self, ints: Tensor) -> Tensor:
        groups, spatial = self.geometry[-1], ints.shape[2:]
        flipped = ints.flip(*range(2, ints.ndim)) if spatial else ints
        grouped = flipped.reshape(groups, ints.shape[0] // groups, *ints.shape[1:]).transpose(1, 2)
        return grouped.reshape(groups * ints.shape[1], ints.shape[0] // groups, *spatial).contiguous()

    def _product(self, ints: Tensor, weight: Tensor, zero_point: Any) -> Tensor:
        stride, padding, output_padding, dilation, groups = self.geometry
        sizes = zip(weight.shape[2:], stride, padding, output_padding, dilation, strict=True)
        pads = tuple((d * (k - 1) - p, d * (k - 1) - p + more, s - 1) for k, s, p, more, d in sizes)
        ones = (1,) * len(stride)
        return rows["_int8_conv"](ints, weight, zero_point, ones, pads, dilation, groups)


def static(input: Any, packed: PackedParams, scale: float, zero_point: int, has_relu: bool = False) -> Any:
    """Return the quantized product of a quantized input and packed parameters."""
    at = t.per_tensor(input, "the input of a quantized layer")
    packed, ints = packed.on(input), input._ints
    if isinstance(packed, TransposedParams) and input.dtype is not q.quint8:
        raise _errors.quantized.activation_dtype(input.dtype)
    total = packed.accumulated(ints, at.zero_point)
    step = t.constant(at.scale, _dtypes.float32, ints) * packed._scales
    ends = t.constant(scale, _dtypes.float32, ints), t.constant(zero_point, _dtypes.int32, ints)
    step, bias = packed.shaped(step, total.ndim), packed.shaped(packed._bias, total.ndim)
    made = rows["_requantize"](total, bias, step, *ends, input.dtype.stored.name, has_relu)
    return t.make(made, input.dtype, t.PerTensor(scale, zero_point))


def dynamic(input: Tensor, packed: PackedParams, reduce_range: bool) -> Tensor:
    """Return the float product of a float input, quantized by its own range, and packed parameters."""
    if isinstance(input, t.QuantizedTensor):
        raise _errors.quantized.refused("linear_dynamic")
    x, packed = input.detach(), packed.on(input)
    exact, zero_point = rows["_dynamic_parameters"](x, *(_REDUCED if reduce_range else _FULL))
    scale = exact.float()
    ints = rows["_quantize_values"](x, scale, zero_point, "uint8")
    made = packed.accumulated(ints, zero_point).float() * (scale * packed._scales)
    return made if packed._bias is None else made + packed._bias


def dynamic_conv(input: Tensor, packed: PackedParams, reduce_range: bool) -> Tensor:
    """Return the convolution of a float input, quantized by its own range.

    As in PyTorch, the result is rounded with the scale of the input.
    """
    x = quantize_per_tensor_dynamic(input, q.quint8, reduce_range)
    at = x._quantizer
    return t.dequantized(static(x, packed, at.scale, at.zero_point))
