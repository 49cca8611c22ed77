"""The names of PyTorch's C++ extension module that Python programs use."""

from __future__ import annotations

from enum import Enum, auto
from importlib import import_module
from typing import Any

from torchlike._C import _nn as _nn
from torchlike._dtypes import devices, modes
from torchlike._errors.math.linalg import LinAlgError as _LinAlgError  # noqa: F401 - its public place
from torchlike._random import Generator as Generator
from torchlike._tensor.overriding import DisableTorchFunction as DisableTorchFunction
from torchlike._tensor.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from torchlike._tensor.overriding import _disabled_torch_function_impl as _disabled_torch_function_impl
from torchlike._tensor.tensor import Tensor
from torchlike.cuda._any_streams import Stream as Stream

_TensorMeta = type(Tensor)


def __getattr__(name: str) -> Any:
    if name == "_distributed_c10d":  # imported on first use, because it needs torchlike.distributed
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


class DispatchKey(Enum):
    """PyTorch's dispatch keys, by name. A built-in operator of torchlike has a single kernel for all of them."""

    CPU = auto()
    CUDA = auto()
    Meta = auto()
    Autograd = auto()
    AutogradCPU = auto()
    AutogradCUDA = auto()
    AutocastCPU = auto()
    AutocastCUDA = auto()
    AutocastXPU = auto()
    CompositeImplicitAutograd = auto()
    CompositeExplicitAutograd = auto()


class DispatchKeySet:
    """A set of dispatch keys."""

    def __init__(self, key: DispatchKey | frozenset) -> None:
        self._keys = key if isinstance(key, frozenset) else frozenset((key,))

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys | other._keys)

    def has(self, key: DispatchKey) -> bool:
        """Return whether `key` is in the set."""
        return key in self._keys


class Graph:
    """The type of a TorchScript graph; it has no instances in torchlike."""


class Value:
    """The type of a value in a TorchScript graph; it has no instances in torchlike."""


def _log_api_usage_once(event: str) -> None:
    """Do nothing: torchlike collects no usage statistics."""


def _get_default_device() -> str:
    """Return the default device as a string."""
    return str(modes.get_default_device())


def _get_tracing_state() -> None:
    """Return None: torchlike has no TorchScript tracer."""


def _get_accelerator(check: bool | None = None) -> devices.device:
    """Return the CUDA device if one is available, else the CPU device."""
    return devices.device("cuda" if devices.jax_devices("cuda") else "cpu")
