"""PyTorch's dtypes, type promotion and numerical limits."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import ml_dtypes
import numpy as np

from torchlike import _errors


class dtype:
    """An element type. There is one object for each type, so equality is identity.

    Args:
      name: the name without "torch.".
      numpy: the scalar type of NumPy.
      category: the kind of numbers, which orders promotion.

    >>> import torchlike as torch
    >>> torch.float32.itemsize, torch.float32.is_floating_point
    (4, True)
    """

    __slots__ = ("category", "is_complex", "is_floating_point", "itemsize", "name", "numpy")

    def __init__(self, name: str, numpy: type, category: int) -> None:
        self.name = name
        self.numpy: np.dtype[Any] = np.dtype(numpy)
        self.category = category  # 0 bool, 1 integer, 2 floating, 3 complex
        self.is_floating_point = category == FLOATING
        self.is_complex = category == COMPLEX
        self.itemsize = self.numpy.itemsize

    @property
    def stored(self) -> np.dtype[Any]:
        """The NumPy dtype of the stored elements. Quantized dtypes store integers."""
        return self.numpy

    @property
    def is_signed(self) -> bool:
        return self.numpy.kind == "i" or (self.category >= FLOATING and self is not float8_e8m0fnu)

    def to_complex(self) -> dtype:
        """Return the complex dtype whose parts have at least this precision."""
        if self in FLOAT8:
            raise _errors.dtypes.no_complex_of(self)
        if self is float16:
            from torchlike._dtypes.unsupported import NAMES

            return NAMES["complex32"]  # no tensor can have this dtype
        return complex128 if self in (float64, complex128) else complex64

    def to_real(self) -> dtype:
        """Return the dtype of the real part of this dtype."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


BOOL, INTEGER, FLOATING, COMPLEX = range(4)

bool_ = dtype("bool", np.bool_, BOOL)
uint8 = dtype("uint8", np.uint8, INTEGER)
int8 = dtype("int8", np.int8, INTEGER)
int16 = dtype("int16", np.int16, INTEGER)
int32 = dtype("int32", np.int32, INTEGER)
int64 = dtype("int64", np.int64, INTEGER)
uint16 = dtype("uint16", np.uint16, INTEGER)
uint32 = dtype("uint32", np.uint32, INTEGER)
uint64 = dtype("uint64", np.uint64, INTEGER)
float16 = dtype("float16", np.float16, FLOATING)
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, FLOATING)
float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, FLOATING)
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, FLOATING)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, FLOATING)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, FLOATING)
float8_e8m0fnu = dtype("float8_e8m0fnu", ml_dtypes.float8_e8m0fnu, FLOATING)
float32 = dtype("float32", np.float32, FLOATING)
float64 = dtype("float64", np.float64, FLOATING)
complex64 = dtype("complex64", np.complex64, COMPLEX)
complex128 = dtype("complex128", np.complex128, COMPLEX)

FLOAT8_SIGNED = (float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz)
FLOAT8 = (*FLOAT8_SIGNED, float8_e8m0fnu)  # used for casts and storage; few operators accept them
NARROW = (bfloat16, *FLOAT8)  # floating dtypes that NumPy does not have
ALL = (
    bool_,
    uint8,
    int8,
    int16,
    int32,
    int64,
    uint16,
    uint32,
    uint64,
    *FLOAT8,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
)
WIDE = (uint16, uint32, uint64)  # unsigned integers for which PyTorch has few operators
FLOAT8_NUMPY = tuple(d.numpy for d in FLOAT8)
FROM_NUMPY = {d.numpy: d for d in ALL}
ALIASES = {
    "half": float16,
    "float": float32,
    "double": float64,
    "short": int16,
    "int": int32,
    "long": int64,
    "cfloat": complex64,
    "cdouble": complex128,
    "bool": bool_,
}
OF_PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}
SCALAR_CATEGORY = {bool: BOOL, int: INTEGER, float: FLOATING, complex: COMPLEX}


def from_numpy(numpy_dtype: np.dtype) -> dtype:
    """Return the dtype that corresponds to a NumPy dtype."""
    found = FROM_NUMPY.get(numpy_dtype)
    if found is None:
        kind = np.dtype(numpy_dtype)
        if kind in FROM_NUMPY:
            return FROM_NUMPY[kind]
        raise TypeError(
            "can't convert np.ndarray of type numpy.object_. The only supported types are: float64, float32, float16, "
            "complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
            if kind.kind == "O"
            else f"can't convert np.ndarray of type {kind.type.__module__}.{kind.name}."
        )
    return found


def cast(array: Any, to: dtype) -> Any:
    """Return a NumPy array cast to another dtype, with the rounding of XLA and PyTorch.

    They round float64 to half precision twice, by way of float32. NumPy rounds once.
    """
    if to is float16 and array.dtype == np.float64:
        array = array.astype(np.float32)
    if to in FLOAT8 or array.dtype in FLOAT8_NUMPY:
        return cast_float8(array, to, _numpy_step)
    return array.astype(to.numpy)


def cast_float8(array: Any, to: dtype, step: Callable[[Any, dtype], Any]) -> Any:
    """Cast from or to an 8-bit float by way of float32. `step` casts between float32 and the 8-bit float."""
    if array.dtype == to.numpy:
        return array
    if array.dtype in FLOAT8_NUMPY:
        array = step(array, float32)
    if to not in FLOAT8:
        return array.astype(to.numpy)
    return step(array if array.dtype == np.float32 else array.astype(np.float32), to)


def _numpy_step(array: Any, to: dtype) -> Any:
    with np.errstate(all="ignore"):
        return rounded_to_float8(np, array, to)


def rounded_to_float8(xp: Any, x: Any, to: dtype) -> Any:
    """Cast between float32 and an 8-bit float as PyTorch does.

    A cast to e4m3fn clips values to the range of the dtype. A cast to e5m2 keeps the sign of NaN. A cast to e8m0fnu
    uses only the magnitude, and zero becomes the smallest value. A cast from e4m3fnuz or e5m2fnuz to float32 gives
    positive NaN, because these dtypes have a single NaN.
    """
    if to is float32:
        made = x.astype(np.float32)
        return xp.where(xp.isnan(made), np.float32(np.nan), made) if x.dtype in _ONE_NAN else made
    if to is float8_e8m0fnu:
        return _exponent(x)
    if to is float8_e5m2:
        bits = xp.where(xp.isnan(x), 127 + 128 * xp.signbit(x), x.astype(to.numpy).view(np.uint8))
        return bits.astype(np.uint8).view(to.numpy)
    return (xp.clip(x, -448.0, 448.0) if to is float8_e4m3fn else x).astype(to.numpy)


def _exponent(x: Any) -> Any:
    """Round the magnitude of float32 to the nearest power of two, ties away from zero. Infinity becomes NaN.

    The function works on bits, since compiled programs flush the subnormal numbers near the smallest value to zero.
    """
    bits = x.view(np.uint32)
    found = (bits >> 23) & 255
    up = (bits & 0x400000 != 0) & ((found > 0) | (bits & 0x3FFFFF != 0)) & (found < 255)
    return (found + up).astype(np.uint8).view(float8_e8m0fnu.numpy)


_ONE_NAN = (float8_e4m3fnuz.numpy, float8_e5m2fnuz.numpy)
_SIGNED = (int8, int16, int32, int64)
_FLOATS = (float16, bfloat16, float32, float64)


def _promote_integers(a: dtype, b: dtype) -> dtype:
    if a.is_signed == b.is_signed:
        return a if a.itemsize >= b.itemsize else b
    signed = a if a.is_signed else b
    return int16 if signed is int8 else signed


def _promote_floats(a: dtype, b: dtype) -> dtype:
    if a.itemsize == b.itemsize:
        return float32  # float16 with bfloat16
    return a if a.itemsize > b.itemsize else b


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if a in FLOAT8 or b in FLOAT8:
        raise _errors.dtypes.float8_promotion(a, b)
    for one, other in ((a, b), (b, a)):
        if one in WIDE and not other.is_floating_point:
            raise _errors.dtypes.wide_promotion(a, b)
    if a.category != b.category:
        low, high = sorted((a, b), key=lambda d: d.category)
        if high.category != COMPLEX or low.category != FLOATING:
            return high
        return complex128 if low is float64 else high
    if a.category == INTEGER:
        return _promote_integers(a, b)
    if a.category == FLOATING:
        return _promote_floats(a, b)
    return complex128


_TABLE: dict[tuple[dtype, dtype], dtype] = {}


def _check_kinds(function: str, **given: Any) -> None:
    for i, (name, kind) in enumerate(given.items()):
        if not isinstance(kind, dtype):
            raise _errors.arguments.wrong_type(function, name, i + 1, "torch.dtype", kind)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype to which both dtypes can be promoted, by PyTorch's rules.

    Args:
      type1, type2: the dtypes.

    >>> torchlike.promote_types(torchlike.int32, torchlike.float16)
    torch.float16
    """
    found = _TABLE.get((type1, type2))
    if found is None:
        _check_kinds("promote_types", type1=type1, type2=type2)
        found = _TABLE[type1, type2] = _promote(type1, type2)
    return found


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether PyTorch allows a result of dtype `from_` to be stored in dtype `to`.

    Args:
      from_: the dtype of the result.
      to: the dtype of the target.

    >>> torchlike.can_cast(torchlike.float32, torchlike.int32)
    False
    """
    if from_.__class__ is not dtype or to.__class__ is not dtype:
        _check_kinds("can_cast", from_=from_, to=to)
    if from_.category > to.category:
        return False
    return not (to is bool_ and from_ is not bool_)


def opmath(d: dtype) -> dtype:
    """Return the dtype in which element-wise arithmetic on `d` is done before the result is rounded to `d`."""
    return float32 if d is float16 or d in NARROW else d


def _check_dtype(name: str, given: Any) -> None:
    if not isinstance(given, dtype):
        raise _errors.arguments.wrong_type(name, "type", 1, "torch.dtype", given)


class _Limits:
    """The common part of `finfo` and `iinfo`. Two of them are equal if their dtypes are."""

    _of: dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self._of is other._of

    __hash__ = None  # type: ignore[assignment]


_DEFAULT: Any = object()


class finfo(_Limits):
    """The numerical limits of a floating-point dtype, or of the parts of a complex one.

    Args:
      type: a floating-point or complex dtype. Default: the default dtype.

    >>> import torchlike as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype = _DEFAULT) -> None:
        from torchlike._dtypes import modes

        d = modes.default_dtype if type is _DEFAULT else type
        _check_dtype("finfo", d)
        if d.category < FLOATING:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        info = ml_dtypes.finfo(d.to_real().numpy)
        self._of = real = d.to_real()
        self.bits, self.dtype = real.itemsize * 8, real.name
        self.max, self.min = float(info.max), float(info.min)
        self.eps, self.tiny = float(info.eps), float(info.tiny)
        if d is float8_e5m2fnuz:
            self.eps = 0.125  # PyTorch's value, although the number after 1 is 1.25
        self.smallest_normal = self.tiny
        self.resolution = 1.0 if d in FLOAT8 else float(f"{info.resolution:.0e}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """The numerical limits of an integer dtype.

    Args:
      type: an integer dtype.

    >>> import torchlike as torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    def __init__(self, type: dtype) -> None:
        _check_dtype("iinfo", type)
        if type.category != INTEGER:
            raise _errors.dtypes.not_integer(type)
        info = np.iinfo(type.stored)
        self._of, self.dtype = type, type.name
        self.bits, self.max, self.min = info.bits, int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def check_number(number: Any, dtype: dtype) -> None:
    """Raise if a dtype cannot represent a Python number: it is out of range, or has an imaginary part.

    Negative integers are accepted for unsigned dtypes, modulo the range.
    """
    kind = number.__class__
    if kind not in (int, float, complex) or dtype.category == BOOL:
        return
    if kind is int and not -(1 << 63) <= number < 1 << 64:
        raise _errors.dtypes.too_large(number)
    if kind is complex and number.imag and not dtype.is_complex:
        raise _errors.dtypes.overflow(_errors.dtypes.fixed_width_name(dtype))
    if dtype.category == INTEGER:
        info = np.iinfo(dtype.numpy)
        low, high = info.min or (-int(info.max) if kind is int else 0), info.max
        parts: tuple = () if kind is complex else (number,)
    elif abs(number) <= 2**15:
        return
    else:
        high = finfo(dtype).max
        low, parts = -high, tuple(x for x in (number.real, number.imag) if isfinite(x))
    if not all(low <= x <= high for x in parts):
        raise _errors.dtypes.overflow(_errors.dtypes.fixed_width_name(dtype))


def real_number(number: Any, kind: str) -> Any:
    """Return a number that is converted to the C type `kind`. Raise RuntimeError if its imaginary part is not 0."""
    if number.__class__ is not complex:
        return number
    if number.imag:
        raise _errors.dtypes.overflow(kind)
    return number.real
