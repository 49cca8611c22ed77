"""TorchScript by name: functions and modules stay Python's, so what a script would have run is run as it is written."""

from __future__ import annotations

import builtins
import types
import typing
from collections.abc import Callable
from typing import Any
from typing import Final as Final

from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike.futures import Future as Future


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
    if callable(drop):
        return drop
    if drop:
        warn(_errors.making.IGNORE_DROP.format(kwargs), FutureWarning)
    return lambda fn: fn


def script_method(fn: Callable) -> Callable:
    """A method of a compiled module."""
    return fn


def _overload_method(func: Callable) -> Callable:
    """One of several signatures of a method, of which scripts choose; Python calls the last."""
    return func


def _overload(func: Callable) -> Callable:
    """One of several signatures of a function, of which scripts choose; Python calls the last."""
    return func


def script_if_tracing(fn: Callable) -> Callable:
    """A function that a tracer would compile rather than follow."""
    return fn


_script_if_tracing = script_if_tracing


def interface(obj: type) -> type:
    """A class that says which methods a script's modules have."""
    return obj


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, what is inside it too: `list[int]`, `Optional[Tensor]`, a tuple of types.

    >>> import torchlike as torch
    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    is_of, kind, inner = builtins.isinstance, typing.get_origin(target_type), typing.get_args(target_type)
    if is_of(target_type, tuple):
        return any(isinstance(obj, each) for each in target_type)
    if kind in (typing.Union, types.UnionType):
        return any(isinstance(obj, each) for each in inner)
    if kind is None:
        return is_of(obj, target_type)
    if not is_of(obj, kind):
        return False
    if kind is tuple:
        return len(obj) == len(inner) and all(map(isinstance, obj, inner))
    if kind is dict:
        return all(isinstance(key, inner[0]) and isinstance(value, inner[1]) for key, value in obj.items())
    return all(isinstance(each, inner[0]) for each in obj)


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """The result of a call, which is made at once: what it records runs later, fused with the rest."""
    future: Future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future) -> Any:
    """What `fork` gave."""
    return future.wait()


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Any:
    """The module itself, which must be in eval mode: what is constant is found when a step is compiled."""
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on "
            "your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """As `freeze`."""
    return freeze(mod, other_methods)


def trace_module(
    mod: Any,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
) -> Any:
    """As `trace`, for several methods: `inputs` has the example inputs of each by its name."""
    for name, given in inputs.items():
        trace(getattr(mod, name), given)
    return mod


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function, module or class itself: it runs as Python, fused like everything else.

    What only a compiled one has (`save`, `code`, `graph`) it has not.
    """
    if not callable(obj) and not builtins.isinstance(obj, dict | list | str):
        raise _errors.arguments.no_torchscript("script")
    return obj


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    *,
    example_kwarg_inputs: dict | None = None,
    **internal: Any,
) -> Any:
    """The function or module itself, called once with the example inputs, as a tracer would call it.

    A traced one repeats what the examples did; this one goes on to look at what it is given, which is what a tracer's
    warnings ask for. What only a traced one has (`save`, `code`, `graph`) it has not.
    """
    if internal:
        raise _errors.arguments.unsupported("jit.trace", sorted(internal)[0])
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    elif example_inputs is not None:
        func(*(example_inputs if builtins.isinstance(example_inputs, tuple | list) else (example_inputs,)))
    return func


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Refused: there is no compiled program to save."""
    raise _errors.arguments.no_torchscript("save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Refused: such a file holds a program of PyTorch's."""
    raise _errors.arguments.no_torchscript("load")


def _get_trace_graph(*args: Any, **kwargs: Any) -> Any:
    """Refused: there is no graph."""
    raise _errors.arguments.no_torchscript("_get_trace_graph")
