"""TorchScript by name: functions and modules stay Python's, so what a script would have run is run as it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import Final as Final

from torchlike import _errors


class TracerWarning(Warning):
    """What a tracer warns of; none is ever given."""


class ScriptModule:
    """A compiled module: nothing is one here, and none can be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.no_torchscript("ScriptModule")


class ScriptFunction:
    """A compiled function: nothing is one here, and none can be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.no_torchscript("ScriptFunction")


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


def script_method(fn: Callable) -> Callable:
    """A method of a compiled module."""
    return fn


def _overload_method(func: Callable) -> Callable:
    """One of several signatures of a method, of which scripts choose; Python calls the last."""
    return func


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function, module or class itself: it runs as Python, fused like everything else.

    What only a compiled one has (`save`, `code`, `graph`) it has not.
    """
    if not callable(obj) and not isinstance(obj, dict | list | str):
        raise _errors.arguments.no_torchscript("script")
    return obj


def trace(func: Any, example_inputs: Any = None, optimize: Any = None, check_trace: bool = True,
          check_inputs: Any = None, check_tolerance: float = 1e-5, strict: bool = True, *,
          example_kwarg_inputs: dict | None = None, **internal: Any) -> Any:  # fmt: skip
    """The function or module itself, called once with the example inputs, as a tracer would call it.

    A traced one repeats what the examples did; this one goes on to look at what it is given, which is what a tracer's
    warnings ask for. What only a traced one has (`save`, `code`, `graph`) it has not.
    """
    if internal:
        raise _errors.arguments.unsupported("jit.trace", sorted(internal)[0])
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    elif example_inputs is not None:
        func(*(example_inputs if isinstance(example_inputs, tuple | list) else (example_inputs,)))
    return func


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Refused: there is no compiled program to save."""
    raise _errors.arguments.no_torchscript("save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Refused: such a file holds a program of PyTorch's."""
    raise _errors.arguments.no_torchscript("load")
