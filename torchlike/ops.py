"""`torch.ops.aten`: PyTorch's operators by their ATen names, such as `torch.ops.aten.native_layer_norm.default`.

An operator calls the torchlike function of the same name. The arguments determine the overload.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import _errors
from torchlike._composite.nn import native_functions


class _Operator:
    """An ATen operator. An overload name, such as `default`, is an attribute that returns the operator itself."""

    def __init__(self, name: str, function: Callable) -> None:
        self.__name__, self._function = name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, overload: str) -> _Operator:
        if overload.startswith("__"):
            raise AttributeError(overload)
        return self

    def __repr__(self) -> str:
        return f"aten.{self.__name__}"


class _Aten:
    def __getattr__(self, name: str) -> _Operator:
        function = native_functions.OPS.get(name) or getattr(torchlike, name, None)
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


def __getattr__(name: str) -> Any:
    from torchlike import library

    found = library.namespace(name)
    if found is None:
        raise _errors.arguments.unknown_name("torch.ops", name, ["aten"])
    return found
