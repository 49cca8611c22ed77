"""Helpers of observers and of quantized layers."""

from __future__ import annotations

import functools
from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.ao.quantization.quant_type import QuantType
from torchlike.nn.utils.parametrize import is_parametrized

_PER_TENSOR = (torch.per_tensor_affine, torch.per_tensor_symmetric)
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_symmetric, torch.per_channel_affine_float_qparams)
_SYMMETRIC = (torch.per_tensor_symmetric, torch.per_channel_symmetric)
_SIGNED, _UNSIGNED, _WIDE = (torch.qint8, torch.int8), (torch.quint8, torch.uint8), (torch.qint32, torch.int32)
_BYTES = (*_SIGNED, *_UNSIGNED)
_FLOAT8 = (torch.float8_e5m2, torch.float8_e4m3fn)
_UNDERLYING = {
    torch.quint8: torch.uint8,
    torch.qint8: torch.int8,
    torch.qint32: torch.int32,
    torch.quint4x2: torch.uint8,
    torch.quint2x4: torch.uint8,
    **{dtype: dtype for dtype in (torch.uint8, torch.int8, torch.uint16, torch.int16, torch.int32, *_FLOAT8)},
}

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


def getattr_from_fqn(obj: Any, fqn: str) -> Any:
    """Return the attribute with a name that has points.

    Args:
      obj: the object.
      fqn: the name.
    """
    return functools.reduce(getattr, fqn.split("."), obj)


def to_underlying_dtype(qdtype: Any) -> Any:
    """Return the dtype of the integers of a quantized dtype.

    Args:
      qdtype: the quantized dtype.

    Raises:
      AssertionError: the dtype is not supported.
    """
    found = _UNDERLYING.get(qdtype)
    if found is None:
        raise AssertionError(f"Unsupported dtype: {qdtype}")
    return found


# -- configurations ----------------------------------------------------------------------------------------------------


def activation_dtype(qconfig: Any) -> Any:
    """Return the dtype of activations.

    Args:
      qconfig: a configuration.

    Raises:
      AssertionError: `qconfig` is None.
    """
    return _activation(qconfig).dtype


def _activation(qconfig: Any) -> Any:
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine activation dtype")
    return qconfig.activation()


def weight_dtype(qconfig: Any) -> Any:
    """Return the dtype of weights.

    Args:
      qconfig: a configuration.

    Raises:
      AssertionError: `qconfig` is None.
    """
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine weight dtype")
    return qconfig.weight().dtype


def get_qconfig_dtypes(qconfig: Any) -> tuple[Any, Any, bool]:
    """Return the dtypes of activations and of weights, and whether activations are quantized at run time.

    Args:
      qconfig: a configuration.

    Raises:
      AssertionError: `qconfig` is None.
    """
    if qconfig is None:
        raise AssertionError("qconfig must be provided to extract dtypes")
    activation = qconfig.activation()
    return activation.dtype, qconfig.weight().dtype, getattr(activation, "is_dynamic", False)


def activation_is_statically_quantized(qconfig: Any) -> bool:
    """Return whether activations are quantized with fixed scales.

    Args:
      qconfig: a configuration.
    """
    made = _activation(qconfig)
    kinds = (*_BYTES, *_WIDE, torch.int16, torch.float16, *_FLOAT8)
    return made.dtype in kinds and not getattr(made, "is_dynamic", False)


def activation_is_dynamically_quantized(qconfig: Any) -> bool:
    """Return whether activations are quantized at run time.

    Args:
      qconfig: a configuration.
    """
    return get_qconfig_dtypes(qconfig)[2]


def activation_is_int8_quantized(qconfig: Any) -> bool:
    """Return whether activations have 8 bits.

    Args:
      qconfig: a configuration.
    """
    return activation_dtype(qconfig) in _BYTES


def activation_is_int32_quantized(qconfig: Any) -> bool:
    """Return whether activations are integers of 32 bits.

    Args:
      qconfig: a configuration.
    """
    return activation_dtype(qconfig) in _WIDE


def weight_is_quantized(qconfig: Any) -> bool:
    """Return whether weights are quantized.

    Args:
      qconfig: a configuration.
    """
    kinds = (*_BYTES, torch.float16, torch.quint4x2, torch.int16, torch.int32, *_FLOAT8)
    return weight_dtype(qconfig) in kinds


def weight_is_statically_quantized(qconfig: Any) -> bool:
    """Return whether weights have 8 bits.

    Args:
      qconfig: a configuration.
    """
    return weight_dtype(qconfig) in _BYTES


def op_is_int8_dynamically_quantized(qconfig: Any) -> bool:
    """Return whether weights have 8 bits, and activations get them at run time.

    Args:
      qconfig: a configuration.
    """
    activation, weight, is_dynamic = get_qconfig_dtypes(qconfig)
    return activation in _UNSIGNED and weight in _SIGNED and is_dynamic


def get_quant_type(qconfig: Any) -> QuantType:
    """Return the kind of quantization of a configuration.

    Args:
      qconfig: a configuration.

    Raises:
      AssertionError: `qconfig` is None.
      Exception: the dtypes do not fit.
    """
    if qconfig is None:
        raise AssertionError("qconfig must be provided to determine quant type")
    activation, weight = qconfig.activation(), qconfig.weight()
    static = (*_BYTES, *_WIDE, torch.quint4x2, torch.int16, *_FLOAT8)
    is_dynamic = getattr(activation, "is_dynamic", False)
    if weight.dtype in static:
        if is_dynamic:
            return QuantType.DYNAMIC
        return QuantType.STATIC if activation.dtype in static else QuantType.WEIGHT_ONLY
    if weight.dtype is torch.float16:
        if is_dynamic:
            return QuantType.DYNAMIC
        if activation.dtype is torch.float16:
            return QuantType.STATIC
    raise Exception(  # the class that PyTorch raises
        f"Unrecognized dtype combination in get_quant_type: activation({activation.dtype}),weight({weight.dtype})"
    )


def get_swapped_custom_module_class(custom_module: Any, custom_module_class_mapping: dict, qconfig: Any) -> Any:
    """Return the class that replaces that of a module in a kind of quantization.

    Args:
      custom_module: the module.
      custom_module_class_mapping: the classes, by the kind of quantization and by the classes that they replace.
      qconfig: the configuration, which says the kind.

    Raises:
      AssertionError: there is no class.
    """
    kind = get_quant_type(qconfig)
    found = custom_module_class_mapping.get(kind, {}).get(type(custom_module))
    if found is None:
        raise AssertionError(
            f"did not find corresponding observed module class for {type(custom_module)} in mapping: "
            f"{custom_module_class_mapping.get(kind, {})}"
        )
    return found
