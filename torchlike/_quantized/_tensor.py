"""The quantized tensor class. A member holds the integers, and the quantizer says which real numbers they stand for.

Like a sparse tensor, it is not in `TENSOR_TYPES` and has no storage of its own. An operator without a rule for
quantized tensors therefore raises an error, and no quantized tensor is converted by accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import quantized as q
from torchlike._engine import Aval
from torchlike._sparse._tensor import COMPOSED, asked
from torchlike._tensor import binding, factories
from torchlike._tensor.overriding import _disabled_torch_function_impl
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, wrap

_new = object.__new__
rows = binding.CALLERS


@dataclass(frozen=True)
class PerTensor:
    """One scale and one zero point: real = (integer - zero_point) * scale."""

    scale: float
    zero_point: int

    scheme = q.per_tensor_affine


@dataclass(frozen=True, eq=False)
class PerChannel:
    """A scale and a zero point for each index of the dim `axis`."""

    scales: Tensor  # (channels,), float64, or float32 if the zero points are float32
    zero_points: Tensor  # (channels,)
    axis: int

    @property
    def scheme(self) -> q.qscheme:
        is_float = self.zero_points.is_floating_point()
        return q.per_channel_affine_float_qparams if is_float else q.per_channel_affine

    def shaped(self, ndim: int) -> tuple[Tensor, Tensor]:
        """Return the scales and zero points, shaped to broadcast to a tensor with `ndim` dims."""
        shape = [1] * ndim
        shape[self.axis] = -1
        return self.scales.view(shape), self.zero_points.view(shape)


def _missing() -> Any:
    def missing(self: QuantizedTensor) -> Any:
        raise _errors.quantized.refused(asked())

    return property(missing, lambda self, value: missing(self))


class QuantizedTensor(Tensor):
    """A tensor of integers that stand for real numbers. `make` creates it."""

    __slots__ = ("_dtype_", "_ints", "_quantizer")

    _storage = _missing()
    _chain = _missing()
    _strides = property(lambda self: self._ints._strides)  # type: ignore[assignment]
    _offset = _missing()
    _cache = _missing()
    _tracks = _missing()
    _origin = None  # never a view
    _counter = None
    _edge = None  # never differentiable
    _grad = None

    _dtype_: q.quantized_dtype
    _ints: Tensor
    _quantizer: PerTensor | PerChannel

    __torch_function__ = _disabled_torch_function_impl
    dtype = property(lambda self: self._dtype_, doc="The quantized dtype.")  # type: ignore[assignment]

    @property
    def _aval(self) -> Aval:
        return self._ints._aval

    def _members(self) -> tuple[Tensor, ...]:
        """Return the plain tensors that this tensor consists of."""
        at = self._quantizer
        return (self._ints, at.scales, at.zero_points) if isinstance(at, PerChannel) else (self._ints,)

    def _maker(self) -> Callable[..., Any]:
        """Return a function that builds a similar tensor from the values of new members."""
        return functools.partial(_of_values, self._dtype_, self._quantizer)

    def overwrite(self, other: Any) -> QuantizedTensor:
        """Replace the contents by those of another quantized tensor, and return this tensor."""
        self._ints, self._quantizer = other._ints, other._quantizer
        return self


QuantizedTensor.__name__ = QuantizedTensor.__qualname__ = "Tensor"
TENSOR_TYPES.discard(QuantizedTensor)
COMPOSED.add(QuantizedTensor)


def make(ints: Tensor, dtype: q.quantized_dtype, quantizer: PerTensor | PerChannel) -> Any:
    """Return a quantized tensor of the given members, without checks."""
    made = _new(QuantizedTensor)
    made._ints, made._dtype_, made._quantizer = ints, dtype, quantizer
    return made


def _of_values(dtype: q.quantized_dtype, at: PerTensor | PerChannel, *values: Any) -> Any:
    found = [wrap(value) for value in values]
    return make(found[0], dtype, PerChannel(found[1], found[2], at.axis) if isinstance(at, PerChannel) else at)


def like(t: QuantizedTensor, ints: Tensor) -> Any:
    """Return a quantized tensor with the same quantizer and other integers."""
    return make(ints, t._dtype_, t._quantizer)


def per_tensor(t: Any, name: str) -> PerTensor:
    """Return the quantizer of a tensor with one scale. Raise for any other."""
    if not isinstance(t, QuantizedTensor) or not isinstance(t._quantizer, PerTensor):
        raise _errors.quantized.refused(name)
    return t._quantizer


def constant(number: float, dtype: Any, like: Tensor) -> Tensor:
    """Return a zero-dim tensor on the device of `like`."""
    return factories.tensor(number, dtype=dtype).to(like.device)


def quantized(x: Tensor, dtype: q.quantized_dtype, scale: float, zero_point: int, is_result: bool = False) -> Any:
    """Return a float32 tensor quantized with one scale, without checks. Kernels of operators round their results so
    that ties do not depend on the zero point (`is_result`)."""
    at = constant(scale, _dtypes.float32, x), constant(zero_point, _dtypes.int32, x)
    is_wide = dtype is q.qint32
    row = rows["_quantize_results" if is_result else "_quantize_channels" if is_wide else "_quantize_values"]
    ints = row(x.detach(), *at, dtype.stored.name)
    return make(ints, dtype, PerTensor(scale, zero_point))


def dequantized(t: QuantizedTensor) -> Tensor:
    """Return the real numbers as float32."""
    if isinstance(t._quantizer, PerTensor):
        scale: Any = constant(t._quantizer.scale, _dtypes.float32, t._ints)
        zero: Any = t._quantizer.zero_point
        return (t._ints.to(_dtypes.int32) - zero).float() * scale
    scale, zero = t._quantizer.shaped(t._ints.ndim)
    if zero.is_floating_point():
        return (t._ints.float() - zero) * scale.float()
    return (t._ints.to(_dtypes.int64) - zero).float() * scale.float()


def fused(t: QuantizedTensor) -> Tensor:
    """Return the real numbers of a tensor with one scale, as kernels of PyTorch compute them.

    They multiply the level by the scale and add the shift, and round once. The numbers differ from `dequantized` in the
    last bit, which decides ties when the result is quantized.
    """
    at: Any = t._quantizer
    scale = np.float32(at.scale)
    shift = -(scale * np.float32(at.zero_point))
    return (t._ints.double() * float(scale) + float(shift)).float()
