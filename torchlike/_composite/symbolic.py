"""The names of PyTorch's symbolic numbers. In torchlike all sizes are plain numbers, except those of ragged dims."""

from __future__ import annotations

import math
from typing import Any

from torchlike import _errors


class SymInt:
    """The type of symbolic integers; the constructor raises.

    Args:
      args: not used.
    """

    def __init__(self, *args: Any) -> None:
        raise _errors.arguments.cannot(type(self).__name__, "use a number: all sizes are concrete")


class SymFloat(SymInt):
    """The type of symbolic floating-point numbers; the constructor raises.

    Args:
      args: not used.
    """


class SymBool(SymInt):
    """The type of symbolic booleans; the constructor raises.

    Args:
      args: not used.
    """


def sym_int(a: Any) -> int:
    """Round a number toward zero.

    Args:
      a: a number.
    """
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a: Any) -> float:
    """Return `float(a)`.

    Args:
      a: a number.
    """
    return float(a)


def sym_sqrt(a: Any) -> float:
    """Return the square root of a number.

    Args:
      a: a number.
    """
    return math.sqrt(a)


def sym_not(a: Any) -> bool:
    """Return `not a`.

    Args:
      a: a bool.
    """
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """Return the larger of two numbers, as a float if either is a float.

    Args:
      a, b: numbers.
    """
    return _of_common_kind(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers, as a float if either is a float.

    Args:
      a, b: numbers.
    """
    return _of_common_kind(min(a, b), a, b)


def _of_common_kind(found: Any, a: Any, b: Any) -> Any:
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """Return `t if b else f`. Both values must have the same type.

    Args:
      b: the condition.
      t, f: the values for True and for False.
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


def sym_sum(*args: Any) -> Any:
    """Return the sum of the numbers, or of the numbers in a single sequence.

    Args:
      args: numbers, or one sequence of numbers.
    """
    return sum(args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args)
