"""`torch.ops.quantized`: the operators that quantized layers call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._quantized import _embeddings, _layers, _rules
from torchlike._quantized import _resize as _resize  # registers its rule
from torchlike._quantized import _tensor as t
from torchlike._quantized._products import PackedParams, TransposedParams, dynamic, dynamic_conv, static
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def linear_prepack(W: Any, B: Tensor | None = None) -> PackedParams:
    """Return the packed parameters of a linear layer."""
    return PackedParams(W, B)


def linear_unpack(W_prepack: PackedParams) -> tuple:
    """Return the weight and the bias of packed parameters."""
    return W_prepack.unpack()


def linear(X: Any, W_prepack: PackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Any:
    """Return the quantized product of (..., in) and (out, in)."""
    return static(X, W_prepack, Y_scale_i, Y_zero_point_i)


def linear_relu(X: Any, W_prepack: PackedParams, Y_scale_i: float, Y_zero_point_i: int) -> Any:
    """Return the ReLU of `linear`."""
    return static(X, W_prepack, Y_scale_i, Y_zero_point_i, has_relu=True)


def linear_dynamic(X: Tensor, W_prepack: PackedParams, reduce_range: bool = False) -> Tensor:
    """Return the float product of a float input, which is quantized by its own range."""
    return dynamic(X, W_prepack, reduce_range)


def linear_relu_dynamic(X: Tensor, W_prepack: PackedParams, reduce_range: bool = False) -> Tensor:
    """Return the ReLU of `linear_dynamic`."""
    return rows["relu"](dynamic(X, W_prepack, reduce_range))


def _prepack(weight: Any, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int) -> PackedParams:
    """Return the packed parameters of a convolution."""
    return PackedParams(weight, bias, (tuple(stride), tuple(padding), tuple(dilation), groups))


def _conv(qx: Any, packed_weight: PackedParams, output_scale: float, output_zero_point: int) -> Any:
    """Return the quantized convolution."""
    return static(qx, packed_weight, output_scale, output_zero_point)


def _conv_relu(qx: Any, packed_weight: PackedParams, output_scale: float, output_zero_point: int) -> Any:
    """Return the ReLU of the quantized convolution."""
    return static(qx, packed_weight, output_scale, output_zero_point, has_relu=True)


def _transposed_prepack(
    weight: Any, bias: Tensor | None, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> PackedParams:
    """Return the packed parameters of a transposed convolution."""
    places = tuple(stride), tuple(padding), tuple(output_padding), tuple(dilation)
    return TransposedParams(weight, bias, (*places, groups))


def _conv_dynamic(qx: Any, packed_weight: PackedParams, reduce_range: bool = False) -> Tensor:
    """Return the float convolution of a float input, which is quantized by its own range."""
    return dynamic_conv(qx, packed_weight, reduce_range)


def add(qa: Any, qb: Any, scale: float, zero_point: int) -> Any:
    """Return the sum, quantized with the given scale."""
    return _rules.through_float(rows["add"], (qa, qb), scale, zero_point)


def add_relu(qa: Any, qb: Any, scale: float, zero_point: int) -> Any:
    """Return the ReLU of the sum."""
    return _rules.through_float(lambda a, b: rows["relu"](rows["add"](a, b)), (qa, qb), scale, zero_point)


def mul(qa: Any, qb: Any, scale: float, zero_point: int) -> Any:
    """Return the product, quantized with the given scale."""
    return _rules.product(qa, qb, scale, zero_point)


def mul_relu(qa: Any, qb: Any, scale: float, zero_point: int) -> Any:
    """Return the ReLU of the product."""
    return _rules.product(qa, qb, scale, zero_point, has_relu=True)


def matmul(qa: Any, qb: Any, scale: float, zero_point: int) -> Any:
    """Return the matrix product, quantized with the given scale."""
    for x in (qa, qb):
        t.per_tensor(x, "matmul")
    return t.quantized(rows["matmul"](t.dequantized(qa), t.dequantized(qb)), qa.dtype, scale, zero_point)


def cat(qx: Any, dim: int, scale: float | None = None, zero_point: int | None = None) -> Any:
    """Concatenate. By default, the result has the scale of the first tensor."""
    if scale is None or zero_point is None:
        return _rules.cat(qx, dim)
    return _rules.concatenated(qx, dim, scale, zero_point)


def relu6(qx: Any, inplace: bool = False) -> Any:
    """Return the tensor clamped to [0, 6]."""
    made = _rules.hardtanh(qx, 0.0, 6.0)
    return qx.overwrite(made) if inplace else made


def leaky_relu(qx: Any, negative_slope: float, inplace: bool, output_scale: float, output_zero_point: int) -> Any:
    """Return the leaky ReLU, quantized with the given scale."""
    made = _rules.through_float(
        lambda x: rows["_leaky_relu"](x, negative_slope), (qx,), output_scale, output_zero_point
    )
    return qx.overwrite(made) if inplace else made


def hardswish(input: Any, output_scale: float, output_zero_point: int) -> Any:
    """Return x clip(x + 3, 0, 6) / 6, quantized with the given scale."""
    return _rules.through_float(rows["_hardswish"], (input,), output_scale, output_zero_point)


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
    """Return the batch norm with running statistics, quantized with the given scale."""
    return _layers.batch_norm(qx, weight, bias, mean, var, eps, float(output_scale), int(output_zero_point))


def batch_norm_relu(qx: Any, *statistics: Any) -> Any:
    """Return the ReLU of `batch_norm`."""
    return _rules.relu(batch_norm(qx, *statistics))


_FUNCTIONS: dict[str, Callable] = {
    f.__name__: f
    for f in (
        linear_prepack,
        linear_unpack,
        linear,
        linear_relu,
        linear_dynamic,
        linear_relu_dynamic,
        add,
        add_relu,
        mul,
        mul_relu,
        matmul,
        cat,
        relu6,
        leaky_relu,
        hardswish,
        batch_norm,
    )
}
_FUNCTIONS |= _layers.FUNCTIONS | _embeddings.FUNCTIONS
for _dims in (1, 2, 3):
    _FUNCTIONS[f"conv{_dims}d_prepack"] = _prepack
    _FUNCTIONS[f"conv{_dims}d_unpack"] = linear_unpack
    _FUNCTIONS[f"conv{_dims}d"] = _conv
    _FUNCTIONS[f"conv{_dims}d_relu"] = _conv_relu
    _FUNCTIONS[f"conv{_dims}d_dynamic"] = _conv_dynamic
    _FUNCTIONS[f"batch_norm{_dims}d"] = batch_norm
    _FUNCTIONS[f"batch_norm{_dims}d_relu"] = batch_norm_relu
    _FUNCTIONS[f"conv_transpose{_dims}d_prepack"] = _transposed_prepack
    _FUNCTIONS[f"conv_transpose{_dims}d_unpack"] = linear_unpack
    _FUNCTIONS[f"conv_transpose{_dims}d"] = _conv
    _FUNCTIONS[f"conv_transpose{_dims}d_dynamic"] = _conv_dynamic


class _Quantized:
    """The namespace. An operator that it lacks raises an error with its name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _FUNCTIONS.get(name)
        if found is None:
            raise _errors.arguments.kind_unsupported(f"torch.ops.quantized.{name}", "this operator and its kind")
        return found

    def __dir__(self) -> list[str]:
        return sorted(_FUNCTIONS)


quantized = _Quantized()
