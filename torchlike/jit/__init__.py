"""The public names of TorchScript. Traced and scripted code runs as Python.

Files of traces hold programs of `torch.export`, and files of scripts hold checked sources.
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
from torchlike._api.homes import settle as _settle
from torchlike._errors.warned import warn
from torchlike._transforms import answers as _answers
from torchlike._transforms.marks import TracerWarning as TracerWarning
from torchlike.futures import Future as Future
from torchlike.jit import _check, _freezing, _scripted, _scripting, _trace
from torchlike.jit._freezing import Frozen as _Frozen  # noqa: F401 - `settle` gives it PyTorch's module
from torchlike.jit._fusion import CompilationUnit as CompilationUnit
from torchlike.jit._fusion import enable_onednn_fusion as enable_onednn_fusion
from torchlike.jit._fusion import export_opnames as export_opnames
from torchlike.jit._fusion import onednn_fusion_enabled as onednn_fusion_enabled
from torchlike.jit._fusion import set_fusion_strategy as set_fusion_strategy
from torchlike.jit._fusion import strict_fusion as strict_fusion
from torchlike.jit._script import RecursiveScriptModule as RecursiveScriptModule
from torchlike.jit._script import ScriptFunction as ScriptFunction
from torchlike.jit._script import ScriptModule as ScriptModule
from torchlike.jit._script import TopLevelTracedModule as TopLevelTracedModule
from torchlike.jit._script import TracedFunction as _TracedFunction
from torchlike.jit._scripted import Scripted as _Scripted  # noqa: F401 - as above
from torchlike.jit._scripting import Error as Error
from torchlike.jit._trace import TracingCheckError as TracingCheckError
from torchlike.nn import Module


def is_scripting() -> bool:
    """Return whether a scripted function or module is running.

    >>> import torchlike as torch
    >>> torch.jit.is_scripting()
    False
    """
    return _scripting.is_running()


def is_tracing() -> bool:
    """Return whether a call of `torch.jit.trace`, or of a traced function, is running.

    >>> import torchlike as torch
    >>> torch.jit.is_tracing()
    False
    """
    return _answers.current() is not None


def annotate(the_type: Any, the_value: Any) -> Any:
    """Return `the_value`. The type is only used by TorchScript's compiler.

    Args:
      the_type: a type.
      the_value: any object.

    >>> import torchlike as torch
    >>> torch.jit.annotate(int, 3)
    3
    """
    return the_value


def export(fn: Callable) -> Callable:
    """Mark a method that `script` and `save` keep although forward does not call it. Return the function.

    Args:
      fn: a function.
    """
    return _with_modifier(fn, "export")


def _with_modifier(fn: Any, modifier: str) -> Any:
    marked: Any = fn.fget if builtins.isinstance(fn, property) else fn
    marked._torchscript_modifier = modifier
    return fn


def unused(fn: Callable) -> Callable:
    """Mark a method that raises an error in scripted modules. Return the function.

    Args:
      fn: a function.

    >>> import torchlike as torch
    >>> @torch.jit.unused
    ... def shown(x):
    ...     return str(x)
    >>> shown(3)
    '3'
    """
    return _with_modifier(fn, "unused")


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Mark a function that remains Python code in scripted modules. Return the function.

    A module with such a method cannot be saved. The decorator can be used with or without arguments.

    Args:
      drop: the function, or in TorchScript, whether calls are removed.
      kwargs: has no effect.

    >>> import torchlike as torch
    >>> @torch.jit.ignore
    ... def shown(x):
    ...     return str(x)
    >>> shown(3)
    '3'
    """
    if callable(drop):
        return _with_modifier(drop, "ignore")
    if drop:
        warn(_errors.making.IGNORE_DROP.format(kwargs), FutureWarning)
    return lambda fn: _with_modifier(fn, "unused" if drop else "ignore")


def script_method(fn: Callable) -> Callable:
    """Return `fn` unchanged. In TorchScript, the decorator marks a method of a `ScriptModule`.

    Args:
      fn: a function.
    """
    return fn


def _overload_method(func: Callable) -> Callable:
    """Note that a method has overloads, so the types of its arguments are not known. Return the function."""
    _check.overloaded.add((func.__module__, func.__qualname__))
    return func


def _overload(func: Callable) -> Callable:
    """Note that a function has overloads, so the types of its arguments are not known. Return the function."""
    _check.overloaded.add((func.__module__, func.__qualname__))
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
    """Return a copy of a scripted or traced module whose parameters and attributes are constants.

    Args:
      mod: a scripted or traced module in eval mode.
      preserved_attrs: the names of attributes and methods that the result has beside forward.
      optimize_numerics: has no effect, because XLA optimizes every program.

    Raises:
      RuntimeError: `mod` is in training mode or not scripted, or it lacks a preserved attribute.

    >>> import torchlike as torch
    >>> frozen = torch.jit.freeze(torch.jit.script(torch.nn.Linear(2, 2).eval()))
    >>> list(frozen.parameters())
    []
    """
    _trace.deprecated("freeze", "use `torch.compile` instead")
    return _freezing.frozen_module(mod, preserved_attrs)


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """Return the module frozen, like `freeze`. There are no further optimizations.

    Args:
      mod: a scripted or traced module in eval mode.
      other_methods: the names of methods that the result has beside forward.
    """
    _trace.deprecated("optimize_for_inference", "use `torch.compile` instead")
    if hasattr(mod, "training"):
        return freeze(mod, other_methods)
    return mod  # it is frozen already


def trace_module(
    mod: Any,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
) -> Any:
    """Trace several methods of a module.

    Args:
      mod: the module.
      inputs: a dict from method names to example inputs.
      check_trace, check_inputs, check_tolerance, strict: as for `trace`; `check_inputs` is a list of such dicts.
      optimize: accepted for compatibility, without effect, as in PyTorch.

    Returns:
      A traced module. `save` writes only its forward.

    >>> import torchlike as torch
    >>> traced = torch.jit.trace_module(torch.nn.Linear(2, 3), {"forward": torch.ones(1, 2)})
    >>> traced(torch.ones(4, 2)).shape
    torch.Size([4, 3])
    """
    made: Any = None
    others: dict[str, Any] = {}
    for name, given in inputs.items():
        method, args = mod if name == "forward" else getattr(mod, name), _positional(given)
        checks = [each[name] for each in check_inputs] if check_inputs else None
        traced = _trace.traced(method, args, {}, _trace.Check(check_trace, checks, check_tolerance), strict)
        if name == "forward":
            made = TopLevelTracedModule(mod, traced, tuple(args), {})
        else:
            others[name] = traced
    if made is None:
        made = TopLevelTracedModule(mod, _trace.Trace(mod, strict), (), {})
    made.__dict__.update(others)
    return made


def _positional(given: Any) -> tuple | list:
    return given if builtins.isinstance(given, tuple | list) else (given,)


def script(obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Return a scripted function or module. A class, dict or list is returned unchanged.

    Calls run the Python code, in which `is_scripting` is True. The types of annotated arguments are checked. What
    TorchScript's compiler does not take is refused, as far as types can be inferred. `save` writes the sources,
    constants and tensors, with all control flow.

    Args:
      obj: a function, module, class, dict or list.
      optimize, example_inputs: have no effect.

    Raises:
      torch.jit.frontend.NotSupportedError: a statement or expression that TorchScript does not have.
      RuntimeError: the types do not match, or a name or attribute is not defined.

    >>> import torchlike as torch
    >>> @torch.jit.script
    ... def sign(x):
    ...     if bool(x.sum() > 0):
    ...         return x
    ...     return -x
    >>> sign(-torch.ones(2))
    tensor([1., 1.])
    """
    if builtins.isinstance(obj, int | float | complex | str | None | types.BuiltinFunctionType):
        raise TypeError(f"{type(obj)} is a built-in class")
    if builtins.isinstance(obj, type) and issubclass(obj, Module):
        text = f"Type '{obj}' cannot be compiled since it inherits from nn.Module, pass an instance instead"
        raise RuntimeError(text)
    _trace.deprecated("script")
    if builtins.isinstance(obj, ScriptModule | ScriptFunction):
        return obj
    if builtins.isinstance(obj, Module):
        return _scripted.script_module(obj)
    if builtins.isinstance(obj, types.MethodType):
        obj = obj.__func__
    return _scripted.script_function(obj) if builtins.isinstance(obj, types.FunctionType) else obj


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

    The result repeats the example call: wherever a tensor or a size became a Python value, a later call gets the value
    of the example, so it takes the same branches. A `TracerWarning` shows each such place. The result shares parameters
    and buffers with the original, and keeps the attributes and the training mode of the trace. `code` and `graph` show
    its exported program (see `torch.export`), in which every dim of the inputs varies that can.

    Args:
      func: the function or module.
      example_inputs: a tuple or list of positional arguments, or a single argument.
      check_trace: whether the function is called twice more, without gradients, as by PyTorch's check.
      check_inputs: a list of arguments for the check, in place of `example_inputs`.
      check_tolerance: the relative tolerance with which the check compares the results with those of the function. A
        larger difference gives a `TracerWarning`.
      strict: whether a dict as the result is refused.
      optimize: has no effect, as in PyTorch.
      example_kwarg_inputs: a dict of keyword arguments, in place of `example_inputs`.
      internal: not supported.
    """
    if internal:
        raise _errors.arguments.unsupported("jit.trace", sorted(internal)[0])
    _trace.deprecated("trace")
    args = () if example_inputs is None else _positional(example_inputs)
    if builtins.isinstance(func, ScriptModule | ScriptFunction):
        return func
    kwargs = dict(example_kwarg_inputs or {})
    made = _trace.traced(func, args, kwargs, _trace.Check(check_trace, check_inputs, check_tolerance), strict)
    kind: Any = TopLevelTracedModule if builtins.isinstance(func, Module) else _TracedFunction
    return kind(func, made, tuple(args), kwargs)


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Write a traced or scripted module or function to a file, which `load` reads without its source.

    The file holds the weights, not TorchScript. A trace is written as programs in StableHLO where `torch.export` has
    them, and a script as its checked sources.

    Args:
      m: a result of `trace`, `script` or `load`.
      f: a path, or a file that is open for writing bytes.

    Raises:
      AttributeError: `m` is neither traced, scripted nor loaded.
      NotImplementedError: a script uses something that files cannot contain.
    """
    _trace.deprecated("save", "switch to `torch.export`")
    if builtins.isinstance(f, str | os.PathLike):
        m.save(f, _extra_files=_extra_files)
    else:
        f.write(m.save_to_buffer(_extra_files=_extra_files))


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Return a module that `save` wrote.

    The file of a trace usually holds programs, which are no Python code. The file of a script holds the sources of its
    functions. They run when the module is called, and reach tensors, Python values and listed functions only: no files,
    no imports, no internals of Python. They may take any time and memory.

    Args:
      f: a path, or a file that is open for reading bytes.
      map_location: the device of the parameters and buffers; None for the CPU.

    Raises:
      ValueError: the path does not exist.
      RuntimeError: the file was written by PyTorch, or it is damaged.
    """
    from torchlike.jit import _files

    _trace.deprecated("load", "switch to `torch.export`")
    if _restore_shapes:
        raise _errors.arguments.unsupported("jit.load", "_restore_shapes")
    module = _files.load(f, _extra_files)
    return module if map_location is None else module.to(map_location)


def _get_trace_graph(*args: Any, **kwargs: Any) -> Any:
    """Raise an error, because there is no TorchScript graph."""
    raise _errors.arguments.no_torchscript("_get_trace_graph")


class Attribute:
    """A value of a module with its type. Not supported: the constructor raises.

    Args:
      value: not used.
      type: not used.
    """

    def __init__(self, value: Any, type: Any) -> None:
        raise _errors.arguments.cannot("jit.Attribute", "annotate the attribute in the class of the module")


_settle(__name__, globals())
