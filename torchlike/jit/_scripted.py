"""Scripted functions and modules. Calls run the Python code."""

from __future__ import annotations

import functools
import io
import types
from collections.abc import Callable, Mapping
from typing import Any

import torchlike
from torchlike import _errors
from torchlike.jit import _scripting
from torchlike.jit._check import Checks, checked_function, checked_module
from torchlike.jit._frozen import FrozenModule
from torchlike.jit._kinds import fits, of_value
from torchlike.jit._script import RecursiveScriptModule, ScriptFunction
from torchlike.jit._signature import Signature


def _result(made: Any) -> Any:
    """Return a result with the containers that TorchScript has: sizes are lists, named results are tuples."""
    if isinstance(made, torchlike.Size):
        return list(made)
    if isinstance(made, tuple):
        items = [_result(each) for each in made]
        is_users = hasattr(made, "_fields") and not type(made).__module__.startswith("torch")
        return type(made)(*items) if is_users else tuple(items)
    return made


class CompiledFunction(ScriptFunction):
    """A scripted function. It checks the types of its arguments and runs the Python function.

    Args:
      function: the Python function.
      signature: its types; None for a function of a file.
      decisions: the conditions that the compiler decides (see `Checks`).
    """

    def __init__(
        self, function: Callable, signature: Signature | None = None, decisions: Mapping[tuple, Any] | None = None
    ) -> None:
        functools.update_wrapper(self, function)
        self.function, self._signature, self.decisions = function, signature, decisions or {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._signature is not None:
            args, kwargs = self._signature.checked(args, kwargs), {}
        return _result(_scripting.call(self.function, args, kwargs))

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def qualified_name(self) -> str:
        """The name in TorchScript."""
        return f"__torch__.{self.function.__qualname__}"

    @property
    def schema(self) -> Any:
        """The name, the types of the arguments and the type of the result. It prints as PyTorch's schema."""
        return self._signature

    @property
    def code(self) -> str:
        """The source of the function as it is saved."""
        from torchlike.jit._collected import Collected

        collected = Collected(self.decisions)
        collected.value(self.function)
        return collected.functions[0]["source"] + "\n"

    @property
    def graph(self) -> Any:
        """Not supported: there is no graph of TorchScript."""
        raise _errors.arguments.no_torchscript("ScriptFunction.graph")

    @property
    def inlined_graph(self) -> Any:
        """Not supported: there is no graph of TorchScript."""
        raise _errors.arguments.no_torchscript("ScriptFunction.inlined_graph")

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Write the function to a file.

        Args:
          f: a path, or a file that is open for writing bytes.
          _extra_files: further files of the archive: names to strings or bytes.
        """
        from torchlike.jit import _files

        _files.save_script(self, f, _extra_files, self.decisions)

    def save_to_buffer(self, _extra_files: Any = None) -> bytes:
        """Return the file of `save` as bytes."""
        file = io.BytesIO()
        self.save(file, _extra_files)
        return file.getvalue()


class Scripted(RecursiveScriptModule):
    """A scripted module. It shares parameters and buffers with the module, and has copies of its other attributes.

    Args:
      inner: the copy of the module, which runs.
      signatures: the types of its methods by name, if they are known.
      decisions: the conditions that the compiler decides (see `Checks`).
    """

    def __init__(
        self,
        inner: Any,
        signatures: dict[str, Signature] | None = None,
        decisions: Mapping[tuple, Any] | None = None,
    ) -> None:
        own = self.__dict__
        own.update(torchlike.nn.Module().__dict__)
        own["_inner"], own["_signatures"], own["_decisions"] = inner, signatures or {}, decisions or {}
        own.update({name: inner.__dict__[name] for name in ("_parameters", "_buffers")})
        own["_non_persistent_buffers_set"] = inner._non_persistent_buffers_set
        own["_modules"] = {n: m if m is None else Scripted(m, None, decisions) for n, m in inner._modules.items()}
        own["training"] = inner.training
        own["original_name"] = inner.__dict__.get("original_name", type(inner).__name__)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the forward of the module."""
        return self._called("forward", self._inner, args, kwargs)

    def _called(self, name: str, function: Callable, args: tuple, kwargs: dict) -> Any:
        signature = self._signatures.get(name)
        if signature is not None:
            args, kwargs = signature.checked(args, kwargs), {}
        return _result(_scripting.call(function, args, kwargs))

    def __getattr__(self, name: str) -> Any:
        try:
            return super(RecursiveScriptModule, self).__getattr__(name)
        except AttributeError:
            inner = self.__dict__.get("_inner")
            if inner is None or name.startswith("__") or not hasattr(inner, name):
                raise
        found = getattr(inner, name)
        if isinstance(found, types.MethodType):
            return functools.wraps(found)(lambda *args, **kwargs: self._called(name, found, args, kwargs))
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        inner = self.__dict__.get("_inner")
        if inner is None or isinstance(value, torchlike.nn.Module):
            super().__setattr__(name, value)
        elif name == "training" or name not in inner.__dict__:
            super().__setattr__(name, value)
            setattr(inner, name, value)
        else:
            kind = of_value(inner.__dict__[name])
            if not fits(of_value(value), kind):
                text = f"Unable to cast Python instance of type {type(value)} to C++ type"
                raise RuntimeError(f"Could not cast attribute '{name}' to type {kind}: {text}")
            setattr(inner, name, value)

    def __len__(self) -> int:
        return len(self._inner)

    def __getitem__(self, key: Any) -> Any:
        found = self._inner[key]
        return next((made for made in self._modules.values() if made is not None and made._inner is found), found)

    def __iter__(self) -> Any:
        return iter(self._modules.values())

    @property
    def code(self) -> str:
        """The source of forward as it is saved. A module of torchlike has none: a file holds only its name."""
        from torchlike.jit._collected import Collected, is_library

        if is_library(type(self._inner)):
            raise _errors.arguments.no_torchscript(f"ScriptModule.code of {self.original_name}")
        collected = Collected(self._decisions)
        collected.value(type(self._inner).forward)
        return collected.functions[0]["source"] + "\n"

    @property
    def graph(self) -> Any:
        """Not supported: there is no graph of TorchScript."""
        raise _errors.arguments.no_torchscript("ScriptModule.graph")

    @property
    def inlined_graph(self) -> Any:
        """Not supported: there is no graph of TorchScript."""
        raise _errors.arguments.no_torchscript("ScriptModule.inlined_graph")

    def programs(self) -> Any:
        """Not supported: the file of a scripted module holds sources. Trace the module for a program."""
        raise _errors.arguments.no_torchscript("ScriptModule.programs")

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Write the module to a file, as `torch.jit.save` does.

        Args:
          f: a path, or a file that is open for writing bytes.
          _extra_files: further files of the archive: names to strings or bytes.
        """
        from torchlike.jit import _files

        _files.save_script(self._inner, f, _extra_files, self._decisions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise RuntimeError(
            f"Tried to serialize object __torch__.{self.original_name} which does not have a __getstate__ method "
            "defined!"
        )

    def __deepcopy__(self, memo: dict) -> Any:
        import copy

        return Scripted(copy.deepcopy(self._inner, memo), self._signatures, self._decisions)


class FunctionModule(torchlike.nn.Module):
    """A loaded function as a module.

    Args:
      function: the function.
    """

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.__dict__.update(forward=function, original_name="PlaceholderModule", function=function)


Scripted.__name__ = Scripted.__qualname__ = "RecursiveScriptModule"


def script_function(function: Any) -> CompiledFunction:
    """Return a scripted function. Refuse what TorchScript refuses."""
    checks = Checks()
    return CompiledFunction(function, checked_function(function, checks), checks.decisions)


def script_module(module: torchlike.nn.Module) -> Scripted:
    """Return a scripted module. Refuse what TorchScript refuses."""
    checks = Checks()
    signatures = checked_module(module, checks)
    inner = FrozenModule(module, freezes=False).module
    for part in inner.modules():
        for name in dir(type(part)):
            modifier = getattr(getattr(type(part), name, None), "_torchscript_modifier", "")
            change = {"unused": _scripting.forbidden, "ignore": _scripting.outside}.get(modifier)
            if change is not None:
                part.__dict__[name] = change(getattr(part, name))
    return Scripted(inner, signatures, checks.decisions)
