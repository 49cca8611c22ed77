"""Checks that several families share: which dtypes an operator takes."""

from __future__ import annotations

from collections.abc import Callable

from torchlike import _errors
from torchlike._dtypes import BOOL, COMPLEX, FLOATING, INTEGER
from torchlike._ops._rules import Call, result_type

REAL = (BOOL, INTEGER, FLOATING)
INEXACT = (FLOATING, COMPLEX)


def only(kernel: str, *categories: int) -> Callable[[Call], None]:
    """A check that the common dtype is of one of these categories; `kernel` is PyTorch's name for the loop."""

    def check(call: Call) -> None:
        dtype = result_type(call.promoted, call.numbers)
        if dtype.category not in categories:
            raise _errors.not_implemented(kernel, dtype)

    return check


def not_bool(kernel: str) -> Callable[[Call], None]:
    """A check that the common dtype is not bool."""
    return only(kernel, INTEGER, FLOATING, COMPLEX)


def real_number(kernel: str) -> Callable[[Call], None]:
    """A check that the common dtype is an integer or a real floating-point one."""
    return only(kernel, INTEGER, FLOATING)


def not_complex(kernel: str) -> Callable[[Call], None]:
    """A check that the common dtype is not complex."""
    return only(kernel, *REAL)


def whole(kernel: str) -> Callable[[Call], None]:
    """A check that the common dtype is bool or an integer."""
    return only(kernel, BOOL, INTEGER)
