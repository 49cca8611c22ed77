"""Activations and norms of quantized tensors. They compute in float32 and round once, as PyTorch's kernels do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._dtypes import quantized as q
from torchlike._quantized import _tensor as t
from torchlike._quantized._rules import levels, of_product, rule, through_float
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def elu(self: Any, output_scale: float, output_zero_point: int, alpha: float = 1.0, *rest: float) -> Any:
    """Return the ELU, quantized with the given scale."""
    return through_float(lambda x: rows["_elu"](x, alpha), (self,), output_scale, output_zero_point)


def celu(self: Any, output_scale: float, output_zero_point: int, alpha: float = 1.0) -> Any:
    """Return the CELU, quantized with the given scale."""
    return through_float(lambda x: rows["_celu"](x, alpha), (self,), output_scale, output_zero_point)


def sigmoid(qx: Any, output_scale: float, output_zero_point: int) -> Any:
    """Return the sigmoid, quantized with the given scale."""
    return through_float(rows["sigmoid"], (qx,), output_scale, output_zero_point)


def softmax(qx: Any, dim: int, output_scale: float, output_zero_point: int) -> Any:
    """Return the softmax along a dim, quantized with the given scale."""
    t.per_tensor(qx, "softmax")
    return t.quantized(rows["_softmax"](t.dequantized(qx), dim), qx.dtype, output_scale, output_zero_point)


def prelu(qx: Any, weight: Any, output_scale: float, output_zero_point: int) -> Any:
    """Return the PReLU, quantized with the given scale. As in PyTorch, the slope 1 is a level of the weight too."""
    at, slope_at = t.per_tensor(qx, "prelu"), t.per_tensor(weight, "prelu")
    x, slopes = (each._ints.to(_dtypes.int32) - found.zero_point for each, found in ((qx, at), (weight, slope_at)))
    limits = _dtypes.iinfo(weight.dtype)
    one = round(1 / slope_at.scale)
    one = max(limits.min - slope_at.zero_point, min(limits.max - slope_at.zero_point, one))
    if slopes.numel() > 1:
        slopes = slopes.view([-1 if dim == 1 else 1 for dim in range(max(qx.ndim, 2))])
    exact = x * rows["where"](x > 0, slopes.new_full((), one), slopes)
    return of_product(exact, (at.scale, slope_at.scale), qx.dtype, output_scale, output_zero_point)


def dropout(self: Any, output_scale: float, output_zero_point: int, p: float = 0.5, training: bool = False) -> Any:
    """Return the tensor unchanged."""
    return self


def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Any:
    """Return the layer norm, quantized with the given scale."""
    given = tuple(normalized_shape), _plain(weight), _plain(bias), eps
    return through_float(lambda x: rows["_layer_norm"](x, *given), (input,), output_scale, output_zero_point)


def group_norm(
    qx: Any,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Any:
    """Return the group norm, quantized with the given scale."""
    given = num_groups, _plain(weight), _plain(bias), eps
    return through_float(lambda x: rows["_group_norm"](x, *given), (qx,), output_scale, output_zero_point)


def instance_norm(
    input: Any, weight: Tensor | None, bias: Tensor | None, eps: float, output_scale: float, output_zero_point: int
) -> Any:
    """Return the instance norm, quantized with the given scale."""
    return group_norm(input, input.shape[1], weight, bias, eps, output_scale, output_zero_point)


def batch_norm(
    qx: Any,
    weight: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> Any:
    """Return the batch norm with running statistics, quantized with the given scale. It computes with levels."""
    at, shape = t.per_tensor(qx, "batch_norm"), [-1] + [1] * (qx.ndim - 2)
    factor = weight / (var + eps).sqrt()
    scale = (factor * (np.float32(at.scale) / np.float32(output_scale))).detach().view(shape)
    shift = ((bias - mean * factor) / output_scale).detach().view(shape)
    level = (qx._ints.to(_dtypes.int32) - at.zero_point).float() * scale + shift
    made = levels(level.round() + output_zero_point, qx.dtype)
    return t.make(made, qx.dtype, t.PerTensor(output_scale, output_zero_point))


def _plain(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.detach()


# -- functions with the scale of the input -----------------------------------------------------------------------------


@rule("_threshold")
def threshold(input: Any, threshold: float, value: float) -> Any:
    """Return the tensor with elements up to a number replaced by another."""
    at = t.per_tensor(input, "threshold")
    return through_float(lambda x: rows["_threshold"](x, threshold, value), (input,), at.scale, at.zero_point)


@rule("_leaky_relu")
def leaky_relu(input: Any, negative_slope: float = 0.01, in_place: bool = False) -> Any:
    """Return the leaky ReLU with the scale of the input. It has no gradient, so `in_place` makes no difference."""
    at = t.per_tensor(input, "leaky_relu")
    return through_float(lambda x: rows["_leaky_relu"](x, negative_slope), (input,), at.scale, at.zero_point)


@rule("_hardsigmoid")
def hardsigmoid(input: Any) -> Any:
    """Return the hard sigmoid. Its range [0, 1] takes all levels."""
    return through_float(rows["_hardsigmoid"], (input,), 1 / 256, -128 if input.dtype is q.qint8 else 0)


FUNCTIONS: dict[str, Callable] = {
    f.__name__: f for f in (elu, celu, sigmoid, softmax, prelu, dropout, layer_norm, group_norm, instance_norm)
}
