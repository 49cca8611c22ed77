"""Errors of functions that imitate quantization."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name


def crossed_bounds() -> RuntimeError:
    return RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")


def zero_point_outside() -> RuntimeError:
    return RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def scale_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Scale must be Float or BFloat16, found {scalar_name(dtype)}")


def zero_point_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(f"Zero-point must be Int32, Float or Half, found {scalar_name(dtype)}")


def other_rank(name: str) -> RuntimeError:
    return RuntimeError(f"{name} should be a 1-D tensor")


def other_lengths() -> RuntimeError:
    return RuntimeError("scale and zero-point need to have the same dimensions")


def channels() -> RuntimeError:
    return RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
