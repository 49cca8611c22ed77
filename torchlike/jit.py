"""What programs ask of TorchScript when they are run as they stand: nothing is scripted here, nor traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class TracerWarning(Warning):
    """What a tracer warns of; none is ever given."""


def is_scripting() -> bool:
    """Whether this is run by a script: no."""
    return False


def is_tracing() -> bool:
    """Whether this is run by a tracer: no."""
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value; the type is for scripts."""
    return the_value


def export(fn: Callable) -> Callable:
    """A method that a script would have too."""
    return fn


def unused(fn: Callable) -> Callable:
    """A method that a script would refuse to call."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A method that a script would leave to Python; as a decorator with or without arguments."""
    return drop if callable(drop) else lambda fn: fn
