"""Errors of fake quantization."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name


def zero_point_outside() -> RuntimeError:
    return RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def scale_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Scale must be Float or BFloat16, found {scalar_name(dtype)}")


def zero_point_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Zero-point must be Int32, Float or Half, found {scalar_name(dtype)}")


def channels() -> RuntimeError:
    return RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
