"""The platform for which kernels are traced.

A kernel that differs between the CPU and accelerators calls `for_cpu()`. Code that lowers a program enters
`tracing_for(device)` and `precision_of(device)`. The platform and the precision of convolutions and recurrent layers
are JAX user contexts (`jax.make_user_context`), so they are part of the keys of JAX's trace caches. The precision of
matrix products is JAX's own setting.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import jax

from torchlike._dtypes.devices import cpu, to_jax
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.precision import Precision, switches

# The options of XLA. By default XLA may keep half-precision intermediates in a wider type. PyTorch rounds the result of
# each operator. The option is not set for TPUs.
ROUNDED: dict[str, bool | str] = {"xla_allow_excess_precision": False}
# The number of threads of XLA's pool on the CPU.
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_ANY, _ACCELERATOR = "any", "accelerator"
_precision = jax.make_user_context(None)
_platform = jax.make_user_context("cpu")  # the CPU by default: outside of a lowering, kernels run on host arrays
_ahead = jax.make_user_context(None)  # the platform of the target, while work is recorded or compiled ahead of time


class UndecidedError(Exception):
    """Raised by `for_cpu()` and `platform()` in a trace that may be lowered for any platform."""


def for_cpu() -> bool:
    """Return whether the calling kernel is traced for the CPU."""
    return platform() == "cpu"


def platform() -> str:
    """Return the platform for which the calling kernel is traced.

    It is "cpu", "cuda", "tpu" or another name of JAX, or "accelerator" if it is any platform but the CPU.
    """
    if _platform.value == _ANY:
        raise UndecidedError
    return "cuda" if _platform.value == "gpu" else _platform.value


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


def precision_of(device: Device) -> AbstractContextManager[None]:
    """Return a context in which kernels are traced with the precision that PyTorch's switches give to a device."""
    return at_precision(switches.of[device.type])


@contextmanager
def at_precision(wanted: Precision) -> Iterator[None]:
    """Trace kernels with this precision of float32 products."""
    with jax.default_matmul_precision(wanted.matmul), _precision(wanted):
        yield


def convolution_precision() -> str | None:
    """Return the precision of convolutions, or None for that of matrix products."""
    wanted = _precision.value
    return None if wanted is None else wanted.conv


def recurrent_precision(function: Callable) -> Callable:
    """Decorate a part of the kernel of a recurrent layer: its matrix products have the layer's precision."""

    @functools.wraps(function)
    def traced(*args: Any) -> Any:
        wanted = _precision.value
        with nullcontext() if wanted is None else jax.default_matmul_precision(wanted.rnn):
            return function(*args)

    return traced


@contextmanager
def tracing_for_any() -> Iterator[None]:
    """Trace kernels for the user's `jax.jit`, whose platform is not known yet.

    `torch.set_float32_matmul_precision` determines the precision of all float32 products.
    """
    with _platform(_ANY), jax.default_matmul_precision(switches.of["tpu"].matmul):
        yield


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
