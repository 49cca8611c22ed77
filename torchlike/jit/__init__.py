"""The public names of TorchScript. Functions and modules are not compiled. They run as ordinary Python code.

Traced modules can be saved: their files hold programs of `torch.export`.
"""

from __future__ import annotations

import builtins
import os
import types
import typing
from collections.abc import Callable
from typing import Any
from typing import Final as Final

from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike.futures import Future as Future
from torchlike.jit import _trace
from torchlike.jit._script import RecursiveScriptModule as RecursiveScriptModule
from torchlike.jit._script import ScriptFunction as ScriptFunction
from torchlike.jit._script import ScriptModule as ScriptModule
from torchlike.jit._script import TopLevelTracedModule as TopLevelTracedModule
from torchlike.jit._script import TracedFunction as _TracedFunction
from torchlike.jit._trace import TracerWarning as TracerWarning
from torchlike.nn import Module


def is_scripting() -> bool:
    """Return False, because code is never compiled by TorchScript."""
    return False


def is_tracing() -> bool:
    """Return False, because code is never traced by TorchScript.

    >>> import torchlike as torch
    >>> torch.jit.is_tracing()
    False
    """
    return False


def annotate(the_type: Any, the_value: Any) -> Any:
    """Return `the_value`. The type is only used by TorchScript's compiler.

    Args:
      the_type: a type.
      the_value: any object.
    """
    return the_value


def export(fn: Callable) -> Callable:
    """Return `fn` unchanged. In TorchScript, the decorator marks a method to be compiled.

    Args:
      fn: a function.
    """
    return fn


def unused(fn: Callable) -> Callable:
    """Return `fn` unchanged. In TorchScript, the decorator replaces the body of the method by an error.

    Args:
      fn: a function.
    """
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Return the function unchanged. In TorchScript, the decorator leaves a function uncompiled.

    The decorator can be used with or without arguments.

    Args:
      drop: the function, or in TorchScript, whether calls are removed.
      kwargs: has no effect.
    """
    if callable(drop):
        return drop
    if drop:
        warn(_errors.making.IGNORE_DROP.format(kwargs), FutureWarning)
    return lambda fn: fn


def script_method(fn: Callable) -> Callable:
    """Return `fn` unchanged. In TorchScript, the decorator marks a method of a `ScriptModule`.

    Args:
      fn: a function.
    """
    return fn


def _overload_method(func: Callable) -> Callable:
    """Return `func` unchanged. In TorchScript, the decorator declares an overload of a method."""
    return func


def _overload(func: Callable) -> Callable:
    """Return `func` unchanged. In TorchScript, the decorator declares an overload of a function."""
    return func


def script_if_tracing(fn: Callable) -> Callable:
    """Return `fn` unchanged. In TorchScript, the decorator compiles a function when it is called during tracing.

    Args:
      fn: a function.
    """
    return fn


_script_if_tracing = script_if_tracing


def interface(obj: type) -> type:
    """Return the class unchanged. In TorchScript, the decorator declares a module interface.

    Args:
      obj: a class.
    """
    return obj


def isinstance(obj: Any, target_type: Any) -> bool:
    """Return whether an object is an instance of a type, including parameterized types.

    The elements of containers are checked too. The type can be, for example, `list[int]`, `Optional[Tensor]` or a tuple
    of types.

    Args:
      obj: any object.
      target_type: a type, or a tuple of types.

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
    """Call `func(*args, **kwargs)` and return a completed future with the result.

    The call runs immediately, not asynchronously. As always, its operators may be recorded and executed later.

    Args:
      func: the function.
      args, kwargs: its arguments.
    """
    future: Future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future) -> Any:
    """Return the result of a future that `fork` returned.

    Args:
      future: a future.
    """
    return future.wait()


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Any:
    """Return the module unchanged. The module must be in eval mode.

    Freezing is unnecessary, because constants are detected when a step is compiled.

    Args:
      mod: a module in eval mode.
      preserved_attrs, optimize_numerics: have no effect.

    Raises:
      RuntimeError: The module is in training mode.
    """
    _trace.deprecated("freeze", "use `torch.compile` instead")
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on "
            "your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """Return the module unchanged, like `freeze`.

    Args:
      mod: a module in eval mode.
      other_methods: has no effect.
    """
    _trace.deprecated("optimize_for_inference", "use `torch.compile` instead")
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
    """Call `trace` for several methods of a module, and return the module unchanged.

    Args:
      mod: the module.
      inputs: a dict from method names to example inputs.
      check_trace, check_inputs: as for `trace`; `check_inputs` is a list of such dicts.
      optimize, check_tolerance, strict: accepted for compatibility, without effect.
    """
    for name, given in inputs.items():
        method = mod if name == "forward" else getattr(mod, name)
        checks = [each[name] for each in check_inputs] if check_inputs else None
        _trace.examples(method, _positional(given), {}, check_trace, checks)
    return mod


def _positional(given: Any) -> tuple | list:
    return given if builtins.isinstance(given, tuple | list) else (given,)


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Return the function, module or class unchanged. A dict, list or string is also returned unchanged.

    The result runs as ordinary Python code. It lacks the members `save`, `code` and `graph` of a compiled object.

    Args:
      obj: a function, module, class, dict, list or string.
      optimize, example_inputs: have no effect.
    """
    if not callable(obj) and not builtins.isinstance(obj, dict | list | str):
        raise _errors.arguments.no_torchscript("script")
    _trace.deprecated("script")
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
    """Call a function or module with the example inputs, and return a traced function or module.

    A module traced by PyTorch repeats the operators of the example call. The one returned here calls the original, so
    it keeps its data-dependent control flow. It shares parameters and buffers with the original, and keeps the training
    mode of the trace. `save`, `code` and `graph` export it (see `torch.export`): every dim of the inputs varies that
    can. A `TracerWarning` shows each place where a tensor becomes a Python value, which a PyTorch trace would not
    record.

    Args:
      func: the function or module.
      example_inputs: a tuple or list of positional arguments, or a single argument.
      check_trace: whether the function is called twice more, without gradients, as by PyTorch's check.
      check_inputs: a list of arguments for the check, in place of `example_inputs`.
      optimize, check_tolerance, strict: accepted for compatibility, without effect.
      example_kwarg_inputs: a dict of keyword arguments, in place of `example_inputs`.
      internal: not supported.
    """
    if internal:
        raise _errors.arguments.unsupported("jit.trace", sorted(internal)[0])
    _trace.deprecated("trace")
    args = () if example_inputs is None else _positional(example_inputs)
    if example_inputs is not None or example_kwarg_inputs is not None:
        _trace.examples(func, args, example_kwarg_inputs or {}, check_trace, check_inputs)
    if builtins.isinstance(func, ScriptModule | ScriptFunction):
        return func
    kind: Any = TopLevelTracedModule if builtins.isinstance(func, Module) else _TracedFunction
    return kind(func, tuple(args), dict(example_kwarg_inputs or {}))


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Write a traced module or function to a file, which `load` reads without its source.

    The file holds the weights and programs in StableHLO, not TorchScript.

    Args:
      m: a result of `trace` or `load`.
      f: a path, or a file that is open for writing bytes.

    Raises:
      AttributeError: `m` is neither traced nor loaded.
      RuntimeError: the module reads elements, or samples random numbers.
    """
    if builtins.isinstance(f, str | os.PathLike):
        m.save(f, _extra_files=_extra_files)
    else:
        f.write(m.save_to_buffer(_extra_files=_extra_files))


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Return a module that `save` wrote. No code of the file is run.

    Args:
      f: a path, or a file that is open for reading bytes.
      map_location: the device of the parameters and buffers; None for the CPU.

    Raises:
      ValueError: the path does not exist.
      RuntimeError: the file was written by PyTorch, or it is damaged.
    """
    from torchlike.jit import _files

    if _restore_shapes:
        raise _errors.arguments.unsupported("jit.load", "_restore_shapes")
    module = _files.load(f, _extra_files)
    return module if map_location is None else module.to(map_location)


def _get_trace_graph(*args: Any, **kwargs: Any) -> Any:
    """Raise an error, because there is no TorchScript graph."""
    raise _errors.arguments.no_torchscript("_get_trace_graph")
