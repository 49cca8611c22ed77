"""What functions ask of the tensors given as `out=`: a few rules, of which each row has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._errors import outs
from torchlike._ops.schema import typing_rules

Misfit = Callable[[Any, Any], Exception | None]  # of the result's dtype and `out`'s


# The order of a resized `out`: the result's; row-major; row-major, but the result's where it held no element
STRIDED, ROWS, ROWS_UNLESS_EMPTY = "strided", "rows", "rows unless empty"


class Into(NamedTuple):
    """What a function asks of the tensors given as `out=`.

    Without `misfit`, `out` may have any dtype to which the result's can be cast. Of several results each may have a
    rule of its own.
    """

    misfit: Misfit | tuple[Misfit | None, ...] | None = None  # raised where the dtypes differ, and it is not None
    cast: Misfit | tuple[Misfit, ...] = _errors.dtypes.cannot_cast  # raised where the result cannot be cast
    first: Callable[[Any], Exception | None] | None = None  # refuses `out`'s dtype before anything is computed or drawn
    apart: int | None = None  # the operand from which on none may lie in the memory written to, not even in all of it
    computes: bool = False  # without `dtype=` it computes in `out`'s dtype
    quiet: bool = False  # resizes `out` without a warning
    order: str = STRIDED  # what order a resized `out` gets
    overloads: bool | None = None  # whether errors name no argument; None: as the function's do
    late: bool = False  # looks at dtypes before it looks at what requires grad
    # PyTorch's name of the operator that has no derivative for `out`. None: it is made of others, so records how `out`
    # was made. "aten::name": so it does, but `out` must not require grad; "aten::": nothing is recorded.
    called: str | None = ""


CASTABLE = Into()
EXACT = Into(_errors.dtypes.exact_out)
SAME = Into(outs.found)  # of one operand, whose dtype is the result's
COMPUTES = Into(computes=True)


def of_row(op: Any) -> Into:
    """The rule of a row that names none."""
    if op.family == "operator":
        return EXACT
    is_common = getattr(op.typing, "keywords", {}).get("promote") is typing_rules.common
    return SAME if op.family == "pointwise" and is_common and _has_one_operand(op) else CASTABLE


def _has_one_operand(op: Any) -> bool:
    parameters = [str(p.annotation).split(" |")[0] for p in op.signature.parameters.values()]
    return parameters[0] == "Array" and not {"Array", "Operand", "Arrays"}.intersection(parameters[1:])


def safely(name: str, *results: str) -> Any:
    """The sentences of a function of linear algebra about results that cannot be cast."""
    made = [outs.not_safely(name, result) for result in results or ("result",)]
    return tuple(made) if len(made) > 1 else made[0]
