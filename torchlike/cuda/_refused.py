"""Functions of `torch.cuda` that are not supported. Without a GPU, each raises the error of PyTorch's CPU build."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import accelerators


def refuse(name: str, instead: str, absent: Exception | None = None) -> NoReturn:
    """Raise an error: `absent` without a GPU (by default PyTorch's usual error), else one that names the function."""
    if not accelerators.devices("cuda"):
        raise _errors.making.absent("cuda") if absent is None else absent
    raise _errors.arguments.cannot(f"cuda.{name}", instead)


def function(name: str, instead: str, absent: Callable[[], Exception] | None = None) -> Callable[..., Any]:
    """Return a function that calls `refuse`."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        refuse(name, instead, None if absent is None else absent())

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = (
        f"Raise an error: `{name}` is not supported; {instead}.\n\n"
        "Args:\n  args, kwargs: not used. They may be those of PyTorch's function.\n"
    )
    return refused


def native(name: str, instead: str, symbol: str) -> Callable[..., Any]:
    """Return a function that raises AttributeError without a GPU, like PyTorch's functions without their C++ part.

    The function may be called with a device, which must be a GPU.
    """
    refused = function(name, instead, lambda: _errors.making.no_native(symbol))

    @functools.wraps(refused)
    def checked(device: Any = None, *args: Any, **kwargs: Any) -> Any:
        if isinstance(device, str | devices.device):
            accelerators.number("cuda", device)
        refused()

    return checked


def _no_nvml() -> Exception:
    return ModuleNotFoundError("nvidia-ml-py does not seem to be installed or it can't be imported.")


def sensor(name: str) -> Callable[..., Any]:
    """Return a function of NVIDIA's management library, which raises an error."""
    return function(name, "use the program nvidia-smi", _no_nvml)
