"""Rules for the tensors passed as `out=`. Each operator has one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._errors import outs
from torchlike._ops.schema import typing_rules

Misfit = Callable[[Any, Any], Exception | None]  # (the result's dtype, `out`'s dtype) -> error


# The memory order of a resized `out`: that of the result; row-major; row-major unless `out` had no elements, in which
# case that of the result
STRIDED, ROWS, ROWS_UNLESS_EMPTY = "strided", "rows", "rows unless empty"


class Into(NamedTuple):
    """The requirements of a function on the tensors passed as `out=`.

    Without `misfit`, `out` may have any dtype to which the result's dtype can be cast. If the function has several
    results, `misfit` and `cast` may be tuples with one function for each result.
    """

    misfit: Misfit | tuple[Misfit | None, ...] | None = None  # returns the error to raise if the dtypes differ, or None
    cast: Misfit | tuple[Misfit, ...] = _errors.dtypes.cannot_cast  # returns the error if the result cannot be cast
    first: Callable[[Any], Exception | None] | None = None  # checks `out`'s dtype before any computation or sampling
    apart: int | None = None  # operands from this position on must not share memory with `out`, not even all of it
    computes: bool = False  # without `dtype=`, the function computes in `out`'s dtype
    quiet: bool = False  # resizes `out` without a warning
    order: str = STRIDED  # the memory order of a resized `out`
    overloads: bool | None = None  # errors do not name the argument; None: as in the function's other errors
    late: bool = False  # checks dtypes before it checks which tensors require grad
    # PyTorch's name of the operator, for the error that it has no derivative for `out=`. None: the function is a
    # composite in PyTorch, so autograd records it with `out=` too. "aten::name": autograd records it, but `out` must
    # not require grad. "aten::": autograd records nothing.
    called: str | None = ""


CASTABLE = Into()
EXACT = Into(_errors.dtypes.exact_out)
SAME = Into(outs.found)  # for an operator with one operand and a result of the same dtype
COMPUTES = Into(computes=True)


def of_row(op: Any) -> Into:
    """Return the default rule of an operator whose declaration does not set `out`."""
    if op.family == "operator":
        return EXACT
    is_common = getattr(op.typing, "keywords", {}).get("promote") is typing_rules.common
    return SAME if op.family == "pointwise" and is_common and _has_one_operand(op) else CASTABLE


def _has_one_operand(op: Any) -> bool:
    parameters = [str(p.annotation).split(" |")[0] for p in op.signature.parameters.values()]
    return parameters[0] == "Array" and not {"Array", "Operand", "Arrays"}.intersection(parameters[1:])


def safely(name: str, *results: str) -> Any:
    """Return `Into.cast` with the error messages of the linear algebra function `name`, one for each result."""
    made = [outs.not_safely(name, result) for result in results or ("result",)]
    return tuple(made) if len(made) > 1 else made[0]
