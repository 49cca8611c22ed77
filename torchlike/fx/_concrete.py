"""Arguments that a trace replaces by constants (`concrete_args`)."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike._internal import warn

from . import _errors
from .node import map_aggregate

if TYPE_CHECKING:
    from ._symbolic_trace import Tracer

_CHECKED = bool | int | float | complex | str | torchlike.dtype | torchlike.device


class PHBase:
    """The class of `PH`."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


_assert_is_none.__module__ = "torch.fx._symbolic_trace"


def specialized(tracer: Tracer, name: str, default: tuple, value: Any) -> Any:
    """Return the value of a specialized parameter. Record a placeholder, and a check that callers pass the value."""
    inside: list[Any] = []
    map_aggregate(value, inside.append)
    if value is not PH and any(each is PH for each in inside):
        raise _errors.cannot("fx.PH in a container of concrete_args", "pass PH for the whole argument")
    given = tracer.create_proxy("placeholder", f"{name}_1", default, {})
    message = f"{name} has been specialized to have value {value} but got another value"
    if value is PH:
        return given
    if isinstance(value, _CHECKED):
        same = tracer.create_proxy("call_function", operator.eq, (given, value), {})
        tracer.create_proxy("call_function", vars(torchlike)["_assert"], (same, message), {})
    elif value is None:
        tracer.create_proxy("call_function", _assert_is_none, (given, message), {})
    else:
        warn(
            f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the "
            "user to make sure that your inputs match the inputs you specialized the function with.",
        )
    return value


__all__ = ["PH", "PHBase", "specialized"]
