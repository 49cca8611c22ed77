"""Helpers of observers and of quantized layers."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.nn.utils.parametrize import is_parametrized

_PER_TENSOR = (torch.per_tensor_affine, torch.per_tensor_symmetric)
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_symmetric, torch.per_channel_affine_float_qparams)
_SYMMETRIC = (torch.per_tensor_symmetric, torch.per_channel_symmetric)
_SIGNED, _UNSIGNED, _WIDE = (torch.qint8, torch.int8), (torch.quint8, torch.uint8), (torch.qint32, torch.int32)

DEPRECATION_WARNING = (
    "torch.ao.quantization is deprecated and will be removed in 2.10. \n"
    "For migrations of users: \n"
    "1. Eager mode quantization (torch.ao.quantization.quantize, torch.ao.quantization.quantize_dynamic), please "
    "migrate to use torchao eager mode quantize_ API instead \n"
    "2. FX graph mode quantization (torch.ao.quantization.quantize_fx.prepare_fx,"
    "torch.ao.quantization.quantize_fx.convert_fx, please migrate to use torchao pt2e quantization API instead "
    "(prepare_pt2e, convert_pt2e) \n"
    "3. pt2e quantization has been migrated to torchao (https://github.com/pytorch/ao/tree/main/torchao/quantization/"
    "pt2e) \n"
    "see https://github.com/pytorch/ao/issues/2259 for more details"
)


def is_per_tensor(qscheme: Any) -> bool:
    """Return whether a scheme has one scale."""
    return qscheme in _PER_TENSOR


def is_per_channel(qscheme: Any) -> bool:
    """Return whether a scheme has one scale for each channel."""
    return qscheme in _PER_CHANNEL


def is_symmetric(qscheme: Any) -> bool:
    """Return whether a scheme puts zero in the middle of the range."""
    return qscheme in _SYMMETRIC


def check_min_max_valid(min_val: Any, max_val: Any) -> bool:
    """Return whether an observer has seen data. Warn if not.

    Args:
      min_val: the smallest values.
      max_val: the largest values.

    Raises:
      AssertionError: a smallest value exceeds the largest.
    """
    unseen = "must run observer before calling calculate_qparams. Returning default values."
    if min_val.numel() == 0 or max_val.numel() == 0:
        warn(unseen)
        return False
    is_one = min_val.dim() == 0 or max_val.dim() == 0
    if is_one and min_val.item() == float("inf") and max_val.item() == float("-inf"):
        warn(unseen)
        return False
    if bool((min_val > max_val).any()):
        raise AssertionError(f"min {min_val} should be less than max {max_val}")
    return True


def validate_qmin_qmax(quant_min: int, quant_max: int) -> None:
    """Raise if a range does not contain 0, or has less than two levels.

    Args:
      quant_min: the lowest level.
      quant_max: the highest level.

    Raises:
      AssertionError: the range is invalid.
    """
    if not quant_min <= 0 <= quant_max:
        raise AssertionError("Used-specified quantization range must include 0.")
    if quant_min >= quant_max:
        raise AssertionError("qmin must be strictly less than qmax for user-specified quantization range.")


def calculate_qmin_qmax(
    quant_min: int | None, quant_max: int | None, has_customized_qrange: bool, dtype: Any, reduce_range: bool
) -> tuple[int, int]:
    """Return the lowest and the highest level of an observer.

    Args:
      quant_min: the lowest level that the user asked for.
      quant_max: the highest level that the user asked for.
      has_customized_qrange: whether the user asked for a range.
      dtype: the dtype, whose range is the default.
      reduce_range: use half of the range.

    Raises:
      AssertionError: the range has more levels than the dtype.
    """
    if has_customized_qrange and quant_min is not None and quant_max is not None:
        count = quant_max - quant_min + 1
        if dtype in _SIGNED and not 0 < count <= 256:
            raise AssertionError("quantization range should be positive and not exceed the maximum bit range (=256).")
        if dtype in _WIDE and not 0 < count <= 2**32:
            raise AssertionError(
                "quantization range should be positive and not exceed the maximum bit range (=4294967296)."
            )
        return (quant_min // 2, quant_max // 2) if reduce_range else (quant_min, quant_max)
    if dtype in _SIGNED:
        return (-64, 63) if reduce_range else (-128, 127)
    if dtype in _UNSIGNED:
        return (0, 127) if reduce_range else (0, 255)
    if dtype in (*_WIDE, torch.uint16, torch.int16):
        limits = torch.iinfo(dtype)
        return limits.min, limits.max
    return 0, 15


def has_no_children_ignoring_parametrizations(module: Any) -> bool:
    """Return whether a module is a leaf. The modules of a parametrization do not count.

    Args:
      module: a module.
    """
    if not module._modules:
        return True
    return is_parametrized(module) and list(module._modules) == ["parametrizations"]


def get_combined_dict(default_dict: dict, additional_dict: dict) -> dict:
    """Return both dictionaries in one. The second takes precedence.

    Args:
      default_dict: the first dictionary.
      additional_dict: the second dictionary.
    """
    return {**default_dict, **additional_dict}


def factory_kwargs(kwargs: Any) -> dict[str, Any]:
    """Return the keyword arguments of tensors, `device`, `dtype` and `memory_format`, that a module got.

    Args:
      kwargs: the arguments of the module, with `factory_kwargs` of its own, or None.

    Raises:
      TypeError: an argument is unknown, or given twice.
    """
    if kwargs is None:
        return {}
    given = {name: value for name, value in kwargs.items() if name != "factory_kwargs"}
    unknown = given.keys() - {"device", "dtype", "memory_format"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    more = kwargs.get("factory_kwargs", {})
    for name in given.keys() & more.keys():
        raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return {**more, **given}
