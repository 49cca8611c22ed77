"""The few names of PyTorch's C++ module that programs use."""

from __future__ import annotations

from typing import Any

from torchlike import _device, _dtypes
from torchlike import _memory_format as mf
from torchlike._functions import _parse_to as parse_to
from torchlike._streams import Stream as Stream
from torchlike._tensor import Tensor


def _get_tracing_state() -> None:
    """What a tracer keeps: nothing, since there is none."""


def _get_accelerator(check: bool | None = None) -> _device.device:
    """The kind of device that work goes to fastest."""
    return _device.device("cuda" if _device.jax_devices("cuda") else "cpu")


@staticmethod  # as an attribute of a class it stays a function
def _disabled_torch_function_impl(func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    """The `__torch_function__` of what wants none: the function is called as it is."""
    return func(*args, **(kwargs or {}))


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
        place = None if device is None else _device.device(device)
        assert dtype is None or isinstance(dtype, _dtypes.dtype)
        return place, dtype, waits, kwargs.get("memory_format") if memory_format is not mf.preserve_format else None
