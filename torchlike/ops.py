"""`torch.ops.aten`: PyTorch's operators by their ATen names, such as `torch.ops.aten.native_layer_norm.default`.

An operator calls the torchlike function of the same name. The arguments determine the overload.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torchlike
from torchlike import _errors
from torchlike._composite.nn import native_functions
from torchlike._quantized._namespace import quantized as quantized


class OpOverload:
    """An overload of an ATen operator, such as `torch.ops.aten.add.Tensor`. Calls run the operator."""

    def __init__(self, packet: _Operator, overload: str) -> None:
        self.overloadpacket, self._overloadname, self.namespace = packet, overload, "aten"
        self.__name__, self.__module__ = f"{packet.__name__}.{overload}", "torch.ops.aten"
        self.__qualname__ = self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.overloadpacket(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self.overloadpacket.__name__}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __reduce__(self) -> Any:
        return _overload, (self.overloadpacket.__name__, self._overloadname)

    def __deepcopy__(self, memo: Any) -> OpOverload:
        return self

    def name(self) -> str:
        """Return the qualified name, such as `aten::add.Tensor`."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"aten::{self.overloadpacket.__name__}{suffix}"


def _overload(name: str, overload: str) -> OpOverload:
    return getattr(getattr(aten, name), overload)


class _Operator:
    """An ATen operator. An overload name, such as `default`, is an attribute."""

    def __init__(self, name: str, function: Callable) -> None:
        self.__name__, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        known = _overloads().get(self.__name__)
        if known is not None and overload not in known:
            raise AttributeError(f"The underlying op of 'aten.{self.__name__}' has no overload name '{overload}'")
        made = self.__dict__[overload] = OpOverload(self, overload)
        return made

    def __repr__(self) -> str:
        return f"aten.{self.__name__}"

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return list(_overloads().get(self.__name__, ["default"]))


@functools.cache
def _overloads() -> dict[str, list[str]]:
    """Return the names of the overloads of the ATen operators."""
    lines = (Path(__file__).parent / "_api" / "overloads.txt").read_text().splitlines()
    return {name: overloads for name, *overloads in map(str.split, lines)}


def _slice(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    return input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)]


_MORE: dict[str, Callable] = {  # operators without a public function of their name and arguments
    "slice": _slice,
    "silu": lambda input: torchlike.nn.functional.silu(input),
    "_softmax": lambda input, dim, half_to_float: torchlike.softmax(input, dim),
    "_log_softmax": lambda input, dim, half_to_float: torchlike.log_softmax(input, dim),
    "repeat": lambda input, repeats: input.repeat(repeats),
    "view": lambda input, size: input.view(size),
    "expand": lambda input, size, implicit=False: input.expand(size),
    "permute": lambda input, dims: input.permute(dims),
}


class _Aten:
    def __getattr__(self, name: str) -> _Operator:
        function = _MORE.get(name) or native_functions.OPS.get(name) or getattr(torchlike, name, None)
        if function is None and name.endswith("_"):  # in-place operators are methods
            function = getattr(torchlike.Tensor, name, None)
        if not callable(function):
            raise _errors.arguments.unknown_name("torch.ops.aten", name, list(native_functions.OPS))
        operator = self.__dict__[name] = _Operator(name, function)
        return operator


aten = _Aten()


def load_library(path: Any) -> None:
    """Raise OSError: a shared library for PyTorch needs PyTorch's own C++ libraries."""
    raise OSError(
        f"Could not load this library: {path}: it needs PyTorch's own C++ libraries, which torchlike replaces"
    )


spaces: dict[str, Any] = {}  # the namespaces of the operators of `torch.library`


def __getattr__(name: str) -> Any:
    found = spaces.get(name)
    if found is None:
        raise _errors.arguments.unknown_name("torch.ops", name, ["aten"])
    return found
