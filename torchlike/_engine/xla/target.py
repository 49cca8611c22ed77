"""The platform for which kernels are traced.

A kernel that differs between the CPU and accelerators calls `for_cpu()`. Code that lowers a program enters
`tracing_for(device)`. The platform is a JAX user context (`jax.make_user_context`), so it is part of the keys of JAX's
trace caches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax

from torchlike._dtypes.devices import cpu, to_jax
from torchlike._dtypes.devices import device as Device

_ANY, _ACCELERATOR = "any", "accelerator"
_platform = jax.make_user_context("cpu")  # the CPU by default: outside of a lowering, kernels run on host arrays
_ahead = jax.make_user_context(None)  # the platform of the target, while work is recorded or compiled ahead of time


class UndecidedError(Exception):
    """Raised by `for_cpu()` in a trace that may be lowered for any platform."""


def for_cpu() -> bool:
    """Return whether the calling kernel is traced for the CPU."""
    platform = _platform.value
    if platform == _ANY:
        raise UndecidedError
    return platform == "cpu"


def platform_of(device: Device) -> str:
    """Return JAX's name of the platform for which the kernels of a device are traced.

    The meta device has the CPU's platform.
    """
    if _ahead.value is not None:
        return _ahead.value
    return "cpu" if device.type in ("cpu", "meta") else to_jax(device).platform


def compiling_for(platform: str) -> AbstractContextManager[None]:
    """Return a context in which the kernels of all devices are traced for a platform that may not be present.

    Work that is compiled ahead of time must be recorded and lowered in this context, because some plans depend on the
    platform (`pinned`). Programs that run nevertheless use the platform that they run on.
    """
    return _ahead(platform)


def tracing_for(device: Device | str) -> AbstractContextManager[None]:
    """Return a context in which kernels are traced for a device or a named platform."""
    return _platform(device if isinstance(device, str) else platform_of(device))


def tracing_for_any() -> AbstractContextManager[None]:
    """Return a context for traces by the user's `jax.jit`. Their platform is not known yet."""
    return _platform(_ANY)


def placing_on_cpu() -> AbstractContextManager[None]:
    """Return a context in which JAX puts host arrays on the CPU, regardless of its default device."""
    return jax.default_device(to_jax(cpu))


def pinned(device: Device | str, function: Callable) -> Callable:
    """Return the function, always traced for this device, regardless of the context of the call.

    Use it for functions whose result shapes were determined by an earlier trace, such as residuals.
    """

    @functools.wraps(function)
    def traced(*args: Any) -> Any:
        with tracing_for(device):
            return function(*args)

    return traced


def in_each_form(function: Callable, *args: Any) -> Any:
    """Return `function(*args)`.

    If the function depends on the platform and the platform is not known yet, trace it for the CPU and for
    accelerators. JAX selects one of the two traces when it lowers the program.
    """
    try:
        return function(*args)
    except UndecidedError:
        forms = pinned("cpu", function), pinned(_ACCELERATOR, function)
    return jax.lax.platform_dependent(*args, cpu=forms[0], default=forms[1])
