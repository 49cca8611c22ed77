"""The few names of PyTorch's C++ module that programs use."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from torchlike import _dtypes
from torchlike._composite.views.conversions import _parse_to as parse_to
from torchlike._dtypes import devices, modes
from torchlike._dtypes import memory_format as mf
from torchlike._tensor.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from torchlike._tensor.overriding import _disabled_torch_function_impl as _disabled_torch_function_impl
from torchlike._tensor.tensor import Tensor
from torchlike.cuda._any_streams import Stream as Stream

_TensorMeta = type(Tensor)


class DispatchKey(Enum):
    """The kinds of kernels among which PyTorch chooses, by name; here there is one for all."""

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
    """A set of such kinds."""

    def __init__(self, key: DispatchKey | frozenset) -> None:
        self._keys = key if isinstance(key, frozenset) else frozenset((key,))

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys | other._keys)

    def has(self, key: DispatchKey) -> bool:
        """Whether this kind is among them."""
        return key in self._keys


class Graph:
    """A function as PyTorch's tracer keeps it; nothing is one here."""


class Value:
    """A value of such a graph; nothing is one here."""


def _log_api_usage_once(event: str) -> None:
    """What PyTorch's own builds count; nothing is counted here."""


def _get_default_device() -> str:
    """The kind of device on which tensors are made, as text."""
    return str(modes.get_default_device())


def _get_tracing_state() -> None:
    """What a tracer keeps: nothing, since there is none."""


def _get_accelerator(check: bool | None = None) -> devices.device:
    """The kind of device that work goes to fastest."""
    return devices.device("cuda" if devices.jax_devices("cuda") else "cpu")


class _nn:
    """Arguments of modules."""

    @staticmethod
    def _parse_to(*args: Any, **kwargs: Any) -> tuple:
        """Device, dtype, `non_blocking` and memory format of a call of `to`; None where one was not given."""
        device, dtype, _, memory_format = parse_to(args, kwargs)
        if isinstance(device, Tensor):
            device, dtype = device.device, device.dtype
        flags = [a for a in args if isinstance(a, bool)]
        waits = flags[0] if flags else bool(kwargs.get("non_blocking", False))
        place = None if device is None else devices.device(device)
        assert dtype is None or isinstance(dtype, _dtypes.dtype)
        return place, dtype, waits, kwargs.get("memory_format") if memory_format is not mf.preserve_format else None
