"""Checks shared by several operator families: supported dtypes and ranges of numbers.

A check (`Op.check`) runs once for each new signature. A guard (`Op.guard`) checks concrete values at every call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import (
    BOOL,
    COMPLEX,
    FLOAT8,
    FLOATING,
    INTEGER,
    WIDE,
    bfloat16,
    bool_,
    check_number,
    float16,
    float32,
    float64,
)
from torchlike._engine import Value
from torchlike._engine.trace.batched_values import outermost
from torchlike._ops.schema.typing_rules import Call, result_type

REALS = (BOOL, INTEGER, FLOATING)
INEXACT = (FLOATING, COMPLEX)
NUMBERS = (INTEGER, FLOATING, COMPLEX)
REAL_FLOATS = (FLOATING,)
SINGLE_REALS = (BOOL, INTEGER, float32, float64)  # for loops that do not support half precision
EMPTY = "empty"  # in `DtypeRules.takes`: tensors of any dtype that have no elements, for which PyTorch skips the loop


def only(kernel: str, *categories: int, wide: bool = False) -> Callable[[Call], None]:
    """Return a check that the common dtype is in one of these categories.

    The check also rejects 8-bit floats that the operator does not support.

    Args:
      kernel: PyTorch's name of the loop, for the error.
      wide: whether the loop also supports uint16, uint32 and uint64. Few loops do.
    """

    def check(call: Call) -> None:
        dtype = result_type(call.promoted, call.numbers)
        asked = call.arguments.get("dtype")
        narrow = dtype in FLOAT8 and dtype not in call.op.dtypes.float8 and (asked is None or asked in FLOAT8)
        if dtype.category not in categories or (dtype in WIDE and not wide) or narrow:
            raise _errors.dtypes.not_implemented(kernel, dtype)

    return check


def not_wide(kernel: str) -> Callable[[Call], None]:
    """Return a check that the common dtype is not uint16, uint32 or uint64."""
    return only(kernel, BOOL, INTEGER, FLOATING, COMPLEX)


def not_bool(kernel: str, wide: bool = False) -> Callable[[Call], None]:
    """Return a check that the common dtype is not bool."""
    return only(kernel, INTEGER, FLOATING, COMPLEX, wide=wide)


def real_number(kernel: str) -> Callable[[Call], None]:
    """Return a check that the common dtype is an integer or real floating-point dtype."""
    return only(kernel, INTEGER, FLOATING)


def not_complex(kernel: str, wide: bool = True) -> Callable[[Call], None]:
    """Return a check that the common dtype is not complex."""
    return only(kernel, *REALS, wide=wide)


def whole(kernel: str, wide: bool = True) -> Callable[[Call], None]:
    """Return a check that the common dtype is bool or an integer dtype."""
    return only(kernel, BOOL, INTEGER, wide=wide)


def in_order(*checks: Callable[[Call], None]) -> Callable[[Call], None]:
    """Return a check that runs several checks in order."""

    def check(call: Call) -> None:
        for each in checks:
            each(call)

    return check


CHECKED_AT_ONCE = 1 << 22  # host arrays with up to this many elements are checked


def whole_divisor(input: Any = None, other: Any = None, **_: Any) -> None:
    """Raise if an integer is divided by an integer zero and the divisor is known on the host (a guard).

    Large divisors are not checked (see `CHECKED_AT_ONCE`).
    """
    if _has_zero(other) and not _is_real(input) and not (_is_bool(other) and _is_bool(input)):
        raise RuntimeError("ZeroDivisionError")


def rounded_divisor(input: Any = None, other: Any = None, rounding_mode: str | None = None, **_: Any) -> None:
    """Run `whole_divisor` if the division has a rounding mode (a guard)."""
    if rounding_mode is not None:
        whole_divisor(input, other)


def _has_zero(divisor: Any) -> bool:
    if not isinstance(divisor, Value):
        return isinstance(divisor, int) and divisor == 0
    host = outermost(divisor).peek()
    return isinstance(host, np.ndarray) and host.dtype.kind in "iub" and host.size <= CHECKED_AT_ONCE and not host.all()


def _is_bool(x: Any) -> bool:
    return x.aval.dtype is bool_ if isinstance(x, Value) else isinstance(x, bool)


def _is_real(x: Any) -> bool:
    return x.aval.dtype.category >= FLOATING or not x.aval.numel if isinstance(x, Value) else isinstance(x, float)


def bounds_in_range(input: Any, min: Any = None, max: Any = None) -> None:
    """Raise if a number given as `min` or `max` is out of the range of the result's dtype (a guard)."""
    _in_range([input], min, max)


def chosen_in_range(condition: Any, input: Any = None, other: Any = None) -> None:
    """Raise if a number operand of `where` is out of the range of the result's dtype (a guard).

    In half precision, such a number becomes infinite instead.
    """
    tensors = [x for x in (input, other) if isinstance(x, Value)]
    if not any(x.aval.dtype in (float16, bfloat16) for x in tensors):
        _in_range(tensors, input, other)


def _in_range(tensors: list[Value], *given: Any) -> None:
    numbers = [b for b in given if b.__class__ in (int, float) and not 0 <= b <= 127]
    if numbers:
        kinds = [b.__class__ for b in given if b is not None and not isinstance(b, Value)]
        dtype = result_type([x.aval for x in tensors], kinds)
        for number in numbers:
            check_number(number, dtype)


def exponent_in_range(input: Any = None, exponent: Any = None, **_: Any) -> None:
    """Raise if a number exponent is out of the range of the result's dtype (a guard)."""
    if isinstance(input, Value) and input.aval.dtype not in WIDE:
        _in_range([input], exponent)
