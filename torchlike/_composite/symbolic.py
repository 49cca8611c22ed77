"""The sizes that PyTorch's compiler leaves open, by name: here every size is a plain number, so none is ever made."""

from __future__ import annotations

import math
from typing import Any

from torchlike import _errors


class SymInt:
    """A whole number that is left open; here none is."""

    def __init__(self, *args: Any) -> None:
        raise _errors.arguments.cannot(type(self).__name__, "use a number: sizes are never left open")


class SymFloat(SymInt):
    """A floating-point number that is left open; here none is."""


class SymBool(SymInt):
    """A truth value that is left open; here none is."""


def sym_int(a: Any) -> int:
    """The whole number towards zero."""
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a: Any) -> float:
    """`float(a)`."""
    return float(a)


def sym_sqrt(a: Any) -> float:
    """The square root of a number."""
    return math.sqrt(a)


def sym_not(a: Any) -> bool:
    """`not a`."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if either is one."""
    return _of_common_kind(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if either is one."""
    return _of_common_kind(min(a, b), a, b)


def _of_common_kind(found: Any, a: Any, b: Any) -> Any:
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """`t if b else f`, which are of one type."""
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_sum(*args: Any) -> Any:
    """The sum of the numbers, or of those in the one sequence that is given."""
    return sum(args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args)
