"""What PyTorch refuses before it draws, in its words."""

from __future__ import annotations

import warnings

import ml_dtypes
import numpy as np

_BF16 = np.dtype(ml_dtypes.bfloat16)
_SCALAR_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "float16": "Half", "bfloat16": "BFloat16",
    "float32": "Float", "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
_C_NAMES = {
    "bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short int", "int32": "int",
    "int64": "long int", "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip


def scalar_name(dtype: np.dtype) -> str:
    """The name in messages such as `not implemented for 'Long'`."""
    return _SCALAR_NAMES.get(dtype.name, dtype.name.capitalize())


def c_name(dtype: np.dtype) -> str:
    """The name in messages such as `out of bounds for unsigned char`."""
    return _C_NAMES.get(dtype.name, dtype.name)


def is_floating(dtype: np.dtype) -> bool:
    return dtype == _BF16 or (dtype.kind == "f" and dtype.itemsize in (2, 4, 8))


def mantissa_digits(dtype: np.dtype) -> int:
    """Bits of the significand, the hidden one included."""
    return ml_dtypes.finfo(dtype).nmant + 1


def bounds(dtype: np.dtype) -> tuple[float, float]:
    """The least and greatest finite value."""
    if dtype.kind == "b":
        return 0, 1
    info = ml_dtypes.finfo(dtype) if is_floating(dtype) else np.iinfo(dtype)
    number = float if is_floating(dtype) else int
    return number(info.min), number(info.max)


def require_floating(dtype: np.dtype, kernel: str) -> None:
    if not is_floating(dtype):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def require_continuous(dtype: np.dtype, distribution: str, name: str) -> None:
    if not is_floating(dtype):
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. "
            f"dtype must be a floating point but you specified {name}"
        )


def require(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def require_in_bounds(value: float, name: str, dtype: np.dtype) -> None:
    low, high = bounds(dtype)
    require(low <= value <= high, f"{name} is out of bounds for {c_name(dtype)}")


def warn_beyond_precision(value: int, name: str, dtype: np.dtype) -> None:
    digits = mantissa_digits(dtype)
    if abs(value) > 1 << digits:
        warnings.warn(
            f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {c_name(dtype)} can "
            "support discrete uniform distribution only within this range. This warning will become an error in "
            "version 1.7 release, please fix the code in advance",
            stacklevel=4,
        )
