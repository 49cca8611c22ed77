"""`torch.cuda.tunable`: the tuning of matrix products, which XLA does itself. Every call raises an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike.cuda import _refused

__all__ = [
    "enable",
    "is_enabled",
    "tuning_enable",
    "tuning_is_enabled",
    "record_untuned_enable",
    "record_untuned_is_enabled",
    "set_max_tuning_duration",
    "get_max_tuning_duration",
    "set_max_tuning_iterations",
    "get_max_tuning_iterations",
    "set_filename",
    "get_filename",
    "get_results",
    "get_validators",
    "read_file",
    "tune_gemm_in_file",
    "mgpu_tune_gemm_in_file",
    "set_rotating_buffer_size",
    "get_rotating_buffer_size",
    "set_numerical_check_tolerances",
]
_INSTEAD = "XLA chooses the kernels of matrix products"


def _function(name: str, symbol: str = "") -> Callable[..., Any]:
    native = "_cuda_" + (symbol or f"tunableop_{name}")
    return _refused.function(f"tunable.{name}", _INSTEAD, lambda: _errors.making.no_native(native))


enable = _function("enable")
is_enabled = _function("is_enabled")
tuning_enable = _function("tuning_enable")
tuning_is_enabled = _function("tuning_is_enabled")
record_untuned_enable = _function("record_untuned_enable", "record_untuned_enable")
record_untuned_is_enabled = _function("record_untuned_is_enabled", "record_untuned_is_enabled")
set_max_tuning_duration = _function("set_max_tuning_duration")
get_max_tuning_duration = _function("get_max_tuning_duration")
set_max_tuning_iterations = _function("set_max_tuning_iterations")
get_max_tuning_iterations = _function("get_max_tuning_iterations")
set_filename = _function("set_filename")
get_filename = _function("get_filename")
get_results = _function("get_results")
get_validators = _function("get_validators")
read_file = _function("read_file", "tunableop_get_filename")
tune_gemm_in_file = _function("tune_gemm_in_file", "tunableop_is_enabled")
mgpu_tune_gemm_in_file = _function("mgpu_tune_gemm_in_file", "tunableop_is_enabled")
set_rotating_buffer_size = _function("set_rotating_buffer_size")
get_rotating_buffer_size = _function("get_rotating_buffer_size")
set_numerical_check_tolerances = _function("set_numerical_check_tolerances")
