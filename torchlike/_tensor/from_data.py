"""NumPy arrays from Python data (numbers, nested sequences, arrays), with the dtype that PyTorch infers."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _native
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import modes

_MOST_DIMS = 128
_NUMBERS = frozenset((int, float, bool, complex))
_FILLED = frozenset((_dtypes.float32, _dtypes.float64, _dtypes.int64, _dtypes.bool_))  # dtypes of `_native.numbers`


def dtype_of(name: str, dtype: Any) -> Dtype | None:
    """Return a `dtype=` argument as a dtype or None. Python types are accepted."""
    if dtype is None or dtype.__class__ is Dtype:
        return dtype
    if isinstance(dtype, type) and dtype in _dtypes.OF_PYTHON:
        return _dtypes.OF_PYTHON[dtype]
    if isinstance(dtype, Dtype):
        raise _errors.arguments.kind_unsupported(f"torch.{dtype.name}", "tensors of this dtype")
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")


def of_numpy(array: np.ndarray, dtype: Dtype | None = None) -> np.ndarray:
    """Return a row-major copy of an array, cast with PyTorch's casting rules."""
    check_array(array)
    made = np.array(array, order="C", copy=True)
    if dtype is None:
        return made
    if made.dtype.kind == "c" and not dtype.is_complex and dtype is not _dtypes.bool_:
        _errors.dtypes.warn_of_cast(_dtypes.from_numpy(made.dtype), dtype)
        made = np.real(made)
    with np.errstate(invalid="ignore", over="ignore"):
        return _dtypes.cast(made, dtype)


def check_array(array: np.ndarray) -> None:
    """Raise PyTorch's errors for an array that a tensor cannot represent."""
    if any(s % array.itemsize for s in array.strides if array.itemsize):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
            "reallocate the memory."
        )
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are "
            "not currently supported. (You can probably work around this by making a copy of your array  "
            "with array.copy().) "
        )
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte "
            "orders is currently not supported."
        )
    _supported(array)


def _supported(array: np.ndarray | np.generic) -> Dtype:
    """Return the dtype of an array or a NumPy number, or raise PyTorch's error."""
    found = _dtypes.FROM_NUMPY.get(array.dtype.newbyteorder("="))
    if found is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
            "uint16, uint8, and bool."
        )
    return found


def of_data(data: Any, dtype: Dtype | None = None) -> np.ndarray:
    """Return a NumPy array with the contents of a number, an array or nested sequences."""
    if data.__class__ in _NUMBERS:
        return _stored([data], dtype or modes.scalar_dtype(data.__class__)).reshape(())
    if data.__class__ in (list, tuple) and data and data[0].__class__ in _NUMBERS:
        made = _filled(data, dtype or modes.scalar_dtype(data[0].__class__))
        if made is not None:
            return made
        if (kinds := {x.__class__ for x in data}) <= _NUMBERS:
            return _stored(data, dtype or _inferred(data, kinds), kinds)
    if isinstance(data, np.ndarray) or (dtype is None and isinstance(data, np.generic) and _is_number(data)):
        return of_numpy(np.asarray(data), dtype)
    if isinstance(data, str | bytes):
        raise _errors.making.data_of_text(data)
    shape = _sizes(data)
    _warn_of_arrays(data)
    if 0 in shape:  # the lengths of the other sequences do not matter
        return np.empty(shape, (dtype or inferred(data)).numpy)
    flat: list = []
    _flatten(data, shape, 0, flat, dtype is None)
    kind = dtype or _inferred(flat)
    if kind is not _dtypes.uint64:  # its elements must be ints
        number = _PROTOCOLS[kind.category]
        flat = [x if x.__class__ in _NUMBERS else number(x) for x in flat]
    return _stored(flat, kind).reshape(shape)


def _is_number(x: np.generic) -> bool:
    """Return whether a NumPy number can be an element of the dtype that PyTorch infers for it."""
    return x.dtype in _dtypes.FROM_NUMPY and x.dtype != np.uint64


def _warn_of_arrays(data: Any) -> None:
    """Warn if the innermost sequence contains arrays."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
        if isinstance(data, np.ndarray) and data.ndim:
            _errors.deprecated.say("list of arrays")


def is_sequence(data: Any) -> bool:
    """Return whether PyTorch treats an object as a sequence.

    Sequences are lists, tuples, ranges, arrays and tensors with dims, and other objects that have `__len__` and
    `__getitem__`, except dicts.
    """
    if isinstance(data, list | tuple | range | str | bytes):
        return True
    if isinstance(data, dict) or data.__class__ in _NUMBERS:
        return False
    if hasattr(data, "ndim") and hasattr(data, "tolist"):
        return data.ndim > 0
    return hasattr(data, "__len__") and hasattr(data, "__getitem__")


def _sizes(data: Any) -> tuple[int, ...]:
    sizes = []
    while is_sequence(data) or isinstance(data, np.ndarray):  # `len` of an array without dims raises
        if isinstance(data, str) and data:
            raise ValueError("too many dimensions 'str'")
        sizes.append(len(data))
        if len(sizes) > _MOST_DIMS:
            raise ValueError(f"too many dimensions '{_errors.arguments.type_name(data)}'")
        if not len(data):
            break
        data = data[0]
        if hasattr(data, "_storage"):  # a tensor as an item must have one element, and counts as a number
            break
    return tuple(sizes)


def _flatten(data: Any, sizes: tuple[int, ...], depth: int, out: list, infers: bool) -> None:
    """Append the elements to `out`. Raise for text if the dtype is to be inferred."""
    if infers and isinstance(data, str | bytes):
        inferred(data)
    if depth == len(sizes):
        out.append(data)
        return
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != sizes[depth]:
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got {len(data)})")
    if depth == len(sizes) - 1 and isinstance(data, list | tuple):
        out += data
        return
    if isinstance(data, np.ndarray) or hasattr(data, "_storage"):
        if infers:
            inferred(data)
        rows: Any = data
        out.extend(rows.reshape(-1))
        return
    for i in range(len(data)):
        _flatten(data[i], sizes, depth + 1, out, infers)


def _inferred(flat: Sequence, kinds: set[type] | None = None) -> Dtype:
    """Return the dtype of numbers. `kinds` are their classes, if they are known."""
    if not flat:
        return modes.default_dtype
    kinds = kinds or {x.__class__ for x in flat}
    if len(kinds) == 1 and kinds <= _NUMBERS:
        return modes.scalar_dtype(next(iter(kinds)))
    if kinds <= _NUMBERS:
        return max((modes.scalar_dtype(k) for k in kinds), key=lambda d: d.category)
    return reduce(_dtypes.promote_types, dict.fromkeys(inferred(x) for x in flat))


def inferred(x: Any) -> Dtype:
    """Return the dtype that PyTorch infers for a number, an array, a tensor or a sequence."""
    if isinstance(x, np.ndarray | np.generic):
        return _supported(x)
    if isinstance(getattr(x, "dtype", None), Dtype):
        return x.dtype
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return modes.scalar_dtype(kind)
    if isinstance(x, str | bytes):
        raise _errors.making.data_of_text(x)
    if is_sequence(x):
        return _inferred([x[i] for i in range(len(x))])
    raise RuntimeError(f"Could not infer dtype of {_errors.arguments.type_name(x)}")


# -- elements of other classes -----------------------------------------------------------------------------------------


def _real(x: Any) -> float:
    """Return an element of a floating dtype, by `__float__` or `__index__`."""
    if isinstance(x, float):
        return float.__pos__(x)
    return math.ldexp(x, 0)  # unlike `float`, it refuses text


def _complex(x: Any) -> complex:
    """Return an element of a complex dtype, by `__complex__`, `__float__` or `__index__`."""
    if isinstance(x, complex):
        return complex.__pos__(x)
    return complex(x) if hasattr(type(x), "__complex__") else complex(_real(x))


def _index(x: Any) -> Any:
    """Return an element of an integer dtype, by `__index__`. Floats stay floats, which are truncated later."""
    return float.__pos__(x) if isinstance(x, float) else operator.index(x)


def _truth(x: Any) -> Any:
    """Return an element of the dtype bool."""
    if isinstance(x, complex):
        return complex.__pos__(x)
    return bool(x) if isinstance(x, np.bool_) else _index(x)


_PROTOCOLS = {_dtypes.BOOL: _truth, _dtypes.INTEGER: _index, _dtypes.FLOATING: _real, _dtypes.COMPLEX: _complex}


def _stored(flat: Sequence, dtype: Dtype, kinds: set[type] | None = None) -> np.ndarray:
    """Return numbers as an array. `kinds` are their classes, if they are known."""
    if kinds is None and (made := _filled(flat, dtype)) is not None:
        return made
    kinds = kinds or {x.__class__ for x in flat}
    if dtype.category == _dtypes.COMPLEX:
        with np.errstate(over="ignore"):
            return np.array(flat, np.complex128).astype(dtype.numpy)
    if dtype.category == _dtypes.INTEGER:
        found = _in_range(flat, dtype) if kinds == {int} else None
        return _whole(flat, dtype) if found is None else found
    if complex in kinds and dtype is not _dtypes.bool_:
        raise TypeError("must be real number, not complex")
    with np.errstate(over="ignore"):
        return _dtypes.cast(np.array(flat, np.bool_ if dtype is _dtypes.bool_ else np.float64), dtype)


def _filled(flat: Sequence, dtype: Dtype) -> np.ndarray | None:
    """Return plain numbers as an array, or None if they are not of the dtype's class or C code is not there."""
    if _native.numbers is None or dtype not in _FILLED:
        return None
    made = np.empty(len(flat), dtype.numpy)
    return made if _native.numbers.fill(made, flat) else None


def _in_range(flat: Sequence[int], dtype: Dtype) -> np.ndarray | None:
    """Return ints as an array, or None if some may be out of the range of the dtype."""
    try:
        wide = np.array(flat, np.int64)
    except OverflowError:
        return None
    if dtype is _dtypes.int64:
        return wide
    info = np.iinfo(dtype.numpy)
    return wide.astype(dtype.numpy) if info.min <= wide.min() and wide.max() <= info.max else None


def _whole(flat: Sequence, dtype: Dtype) -> np.ndarray:
    """Return numbers as an array of ints, or raise PyTorch's error for the first that is not one of the dtype."""
    if dtype is _dtypes.uint64:
        return np.array([_unsigned(x) for x in flat], np.uint64)
    info = np.iinfo(dtype.numpy)
    low = info.min if info.min else -int(info.max)
    whole = []
    for x in flat:
        if isinstance(x, complex):
            raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
        if isinstance(x, float) and not (info.min <= x <= info.max and x < 2.0**63):
            raise _errors.dtypes.overflow(dtype.name)
        n = int(x)
        if not -(2**63) <= n < 2**63:
            raise _errors.dtypes.too_large_to_unpack()
        if not low <= n <= info.max:
            raise _errors.dtypes.overflow(dtype.name)
        whole.append(n)
    return np.array([n % 2**64 for n in whole], np.uint64).astype(dtype.numpy)


def _unsigned(x: Any) -> int:
    if not isinstance(x, int):
        raise TypeError("an integer is required")
    if x < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if x >= 2**64:
        raise OverflowError("int too big to convert")
    return int(x)


def filled(shape: tuple[int, ...], number: Any, dtype: Dtype) -> np.ndarray:
    """Return an array filled with one number, which must be in the range of the dtype."""
    _dtypes.check_number(number, dtype)
    return _full(shape, number, dtype)


def exact(number: Any) -> Any:
    """Return an instance of a subclass of a Python number, such as a member of an IntEnum, as a Python number."""
    for kind in (int, float, complex):
        if isinstance(number, kind):
            return kind.__pos__(number)  # type: ignore[arg-type] - not `kind(number)`, which calls the subclass
    return number


def scalar(number: Any, dtype: Dtype, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Return an array of a number that is assigned to a part of a tensor.

    A number that is too large for float16 or bfloat16 becomes infinite. Other dtypes must have the number in range.
    """
    if number.__class__ not in _NUMBERS:
        number = exact(number)
    is_int = number.__class__ is int and -(1 << 63) <= number < 1 << 63
    if dtype not in (_dtypes.float16, _dtypes.bfloat16) or not (is_int or number.__class__ is float):
        _dtypes.check_number(number, dtype)
    return _full(shape, number, dtype)


def _full(shape: tuple[int, ...], number: Any, dtype: Dtype) -> np.ndarray:
    if number.__class__ is int and number == 0:  # the system provides pages of zeros when they are first used
        return np.zeros(shape, dtype.numpy)
    if dtype.category == _dtypes.INTEGER and number.__class__ in (int, float):
        number = int(number) % 2 ** np.iinfo(dtype.numpy).bits
        return np.full(shape, np.array(number, f"u{dtype.itemsize}").astype(dtype.numpy), dtype.numpy)
    if dtype in _dtypes.FLOAT8:
        return np.full(shape, _dtypes.cast(np.asarray(number), dtype), dtype.numpy)
    with np.errstate(over="ignore"):
        if dtype is _dtypes.float16:
            number = np.float32(number)
        return np.full(shape, number, dtype.numpy)
