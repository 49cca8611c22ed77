"""Operators on quantized tensors with one scale. An operator without a rule raises an error with its name.

Most rules work on the integers. The others compute in float32 and round once, as PyTorch's kernels do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import quantized as q
from torchlike._ops import Op
from torchlike._quantized import _tensor as t
from torchlike._sparse._rules import elsewhere as sparse_elsewhere
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

RULES: dict[str, Callable] = {}


def rule(*names: str) -> Callable:
    """Return a decorator that registers a function as the rule of the named operators for quantized tensors."""

    def decorate(function: Callable) -> Callable:
        RULES.update(dict.fromkeys(names, function))
        return function

    return decorate


def elsewhere(op: Op, args: tuple, kwargs: dict) -> Any:
    """Return the result of an operator that has a quantized or a sparse operand."""
    given = [x for a in (*args, *kwargs.values()) for x in (a if isinstance(a, list | tuple) else (a,))]
    if not any(isinstance(x, t.QuantizedTensor) for x in given):
        return sparse_elsewhere(op, args, kwargs)
    found = RULES.get(op.name)
    if found is None:
        raise _errors.quantized.refused(op.name.strip("_"))
    return found(*args, **kwargs)


# -- moves -------------------------------------------------------------------------------------------------------------


def _move(name: str) -> Callable:
    def move(input: Any, *args: Any, **kwargs: Any) -> Any:
        t.per_tensor(input, name)
        return t.like(input, rows[name](input._ints, *args, **kwargs))

    return move


for _name in (
    "view",
    "permute",
    "transpose",
    "unsqueeze",
    "squeeze",
    "expand",
    "pixel_shuffle",
    "channel_shuffle",
    "flip",
):
    RULES[_name] = _move(_name)
for _dims in (2, 3):
    RULES[f"_max_pool{_dims}d"] = _move(f"_max_pool{_dims}d")


@rule("_max_pool1d")
def max_pool1d(input: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the maxima of windows. The operator has no kernel for bytes."""
    t.per_tensor(input, "max_pool1d")
    return t.like(input, rows["_max_pool1d"](input._ints.float(), *args, **kwargs).to(input._ints.dtype))


# -- in levels ---------------------------------------------------------------------------------------------------------


@rule("relu")
def relu(input: Any) -> Any:
    """Return the tensor with no level below the zero point."""
    zero = t.per_tensor(input, "relu").zero_point
    return t.like(input, input._ints.clamp(min=zero))


def relu_(self: Any) -> Any:
    """Replace the levels below the zero point."""
    return self.overwrite(relu(self))


@rule("clamp")
def clamp(input: Any, min: float | None = None, max: float | None = None) -> Any:
    """Return the tensor clamped to the levels nearest to `min` and `max`."""
    at = t.per_tensor(input, "clamp")
    low, high = (None if x is None else _level(input, at, x) for x in (min, max))
    return t.like(input, input._ints.clamp(low, high))


@rule("_hardtanh")
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return the tensor clamped to `[min_val, max_val]`."""
    return clamp(input, min_val, max_val)


def _level(input: Any, at: t.PerTensor, number: float) -> int:
    limits = _dtypes.iinfo(input.dtype)
    return max(limits.min, min(limits.max, round(number / at.scale) + at.zero_point))


def _averaged(name: str) -> Callable:
    def average(input: Any, *args: Any, **kwargs: Any) -> Any:
        at = t.per_tensor(input, name)
        shifted = (input._ints.to(_dtypes.int32) - at.zero_point).float()
        level = rows[name](shifted, *args, **kwargs) + at.zero_point
        return t.like(input, levels(level, input.dtype))

    return average


for _dims in (1, 2, 3):
    RULES[f"_avg_pool{_dims}d"] = _averaged(f"_avg_pool{_dims}d")
    RULES[f"_adaptive_avg_pool{_dims}d"] = _averaged(f"_adaptive_avg_pool{_dims}d")
RULES["mean"] = _averaged("mean")


def levels(level: Tensor, dtype: q.quantized_dtype) -> Tensor:
    """Return levels as integers, rounded and clipped to the range of the dtype."""
    limits = _dtypes.iinfo(dtype)
    return level.round().clamp(limits.min, limits.max).to(_dtypes.from_numpy(dtype.stored))


# -- by way of float32 -------------------------------------------------------------------------------------------------


def through_float(function: Callable, inputs: tuple, scale: float, zero_point: int) -> Any:
    """Return `function` of the real numbers, quantized with the given scale and the dtype of the first input."""
    for x in inputs:
        t.per_tensor(x, function.__name__)
    numbers = [t.fused(x) for x in inputs]
    return t.quantized(function(*numbers), inputs[0].dtype, scale, zero_point, is_result=True)


@rule("sigmoid")
def sigmoid(input: Any) -> Any:
    """Return the sigmoid. Its range [0, 1] takes all levels."""
    return through_float(rows["sigmoid"], (input,), 1 / 256, -128 if input.dtype is q.qint8 else 0)


@rule("tanh")
def tanh(input: Any) -> Any:
    """Return the hyperbolic tangent. Its range [-1, 1] takes all levels."""
    return through_float(rows["tanh"], (input,), 2 / 256, 0 if input.dtype is q.qint8 else 128)


@rule("cat")
def cat(tensors: Any, dim: int = 0) -> Any:
    """Concatenate. The result has the quantizer of the first tensor."""
    at = t.per_tensor(tensors[0], "cat")
    return concatenated(tensors, dim, at.scale, at.zero_point)


@rule("stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    """Stack. The result has the quantizer of the first tensor."""
    for x in tensors:
        t.per_tensor(x, "stack")
    place = dim if dim >= 0 else dim + tensors[0].ndim + 1
    return cat([t.like(x, x._ints.unsqueeze(place)) for x in tensors], place)


def chunk(self: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return the parts of a tensor, in at most `chunks` chunks along `dim`."""
    t.per_tensor(self, "chunk")
    return tuple(t.like(self, part) for part in self._ints.chunk(chunks, dim))


def concatenated(tensors: Any, dim: int, scale: float, zero_point: int) -> Any:
    """Concatenate and quantize with the given scale."""
    joined = rows["cat"]([t.dequantized(x) for x in tensors], dim)
    return t.quantized(joined, tensors[0].dtype, scale, zero_point)


def product(a: Any, b: Any, scale: float, zero_point: int, has_relu: bool = False) -> Any:
    """Return the product of two tensors. The levels are multiplied exactly."""
    first, second = t.per_tensor(a, "mul"), t.per_tensor(b, "mul")
    factors = a._ints.to(_dtypes.int32) - first.zero_point, b._ints.to(_dtypes.int32) - second.zero_point
    made = of_product(factors[0] * factors[1], (first.scale, second.scale), a.dtype, scale, zero_point)
    return relu(made) if has_relu else made


def of_product(exact: Tensor, scales: tuple[float, float], dtype: Any, scale: float, zero_point: int) -> Any:
    """Return int32 products of levels as a quantized tensor. `scales` are those of the factors."""
    step = np.float32(scales[0]) * np.float32(scales[1]) * (np.float32(1) / np.float32(scale))
    level = (exact.float() * float(step)).round() + zero_point
    return t.make(levels(level, dtype), dtype, t.PerTensor(scale, zero_point))


METHODS: dict[str, Callable] = {
    "chunk": chunk,
    "relu": relu,
    "relu_": relu_,
    "clamp": clamp,
    "mean": lambda self, *args, **kwargs: RULES["mean"](self, *args, **kwargs),
    "sigmoid": sigmoid,
    "tanh": tanh,
}
