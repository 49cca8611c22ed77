"""Errors of quantization."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name
from torchlike._errors.layouts import Elsewhere


def zero_point_outside() -> RuntimeError:
    return RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def scale_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Scale must be Float or BFloat16, found {scalar_name(dtype)}")


def zero_point_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Zero-point must be Int32, Float or Half, found {scalar_name(dtype)}")


def channels() -> RuntimeError:
    return RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")


# -- quantized tensors -------------------------------------------------------------------------------------------------


def refused(name: str) -> Elsewhere:
    return Elsewhere(f"{name}: not supported for quantized tensors by torchlike yet")


def of_plain(name: str) -> NotImplementedError:
    return NotImplementedError(f"Could not run 'aten::{name}' with arguments from the 'CPU' backend.")


def only_float32(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Quantize only works on Float Tensor, got {scalar_name(dtype)}")


def not_quantized(dtype: Any) -> RuntimeError:
    return RuntimeError(f"ScalarType {scalar_name(dtype)} is not supported in new_qtensor.")


def zero_point_range(function: str, zero_point: int, is_above: bool) -> RuntimeError:
    bound = "above upper" if is_above else "below lower"
    return RuntimeError(f"{function} zero_point {zero_point} is {bound} bound.")


def scales_length(expected: int, got: int) -> RuntimeError:
    return RuntimeError(f"length of scales must equal to channel, expected {expected} got, {got}")


def channel_axis(axis: int, ndim: int) -> RuntimeError:
    return RuntimeError(
        f"Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, {ndim})"
    )


def expected_scheme(per_channel: bool) -> RuntimeError:
    wanted = (
        "quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == kPerChannelAffineFloatQParams"
        if per_channel
        else "quantizer->qscheme() == kPerTensorAffine"
    )
    return RuntimeError(
        f"Expected {wanted} to be true, but got false.  (Could this error message be improved?  If so, please report "
        "an enhancement request to PyTorch.)"
    )


def weight_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"The weight of a quantized layer must be of dtype torch.qint8, but is of {dtype}")


def activation_dtype(dtype: Any) -> RuntimeError:
    shown = dtype.name.replace("qu", "QU").replace("qi", "QI").replace("int", "Int")
    return RuntimeError(f"quantized::conv_transpose(FBGEMM): Expected activation data type QUInt8 but got {shown}")
