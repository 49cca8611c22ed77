"""`torch.backends.cudnn`: settings of cuDNN, which only XLA calls.

`enabled = False` raises an error if there is a GPU. `benchmark` has no effect, since XLA always benchmarks algorithms
when it compiles. `deterministic` corresponds to the environment variable XLA_FLAGS=--xla_gpu_deterministic_ops=true.
Setting `deterministic` to True warns if there is a GPU and XLA_FLAGS does not contain this flag. `allow_tf32` has no
effect: `torch.set_float32_matmul_precision` determines the precision of convolutions, too.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import determinism
from torchlike.backends import _settings


def is_available() -> bool:
    """Return whether there is a GPU on which XLA calls cuDNN."""
    return bool(devices.jax_devices("cuda"))


def version() -> int | None:
    """Return None, since JAX does not report cuDNN's version."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Return whether cuDNN could process this tensor."""
    return is_available() and tensor.is_cuda and tensor.is_floating_point()


def _keep_enabled(wanted: bool) -> None:
    if not wanted and is_available():
        raise _errors.arguments.unsupported("backends.cudnn.enabled", "False")


def _ask_for_determinism(wanted: bool) -> None:
    if wanted:
        determinism.warn_of_gpu()


@contextlib.contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, deterministic: bool = False, allow_tf32: bool = True
) -> Iterator[None]:
    """Set the settings of this module within a `with` block. `enabled` is False by default, as in PyTorch."""
    module: Any = sys.modules[__name__]
    wanted = {"enabled": enabled, "benchmark": benchmark, "deterministic": deterministic, "allow_tf32": allow_tf32}
    before = {name: getattr(module, name) for name in wanted}
    for name, value in wanted.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


_settings.attach(
    __name__,
    enabled=_settings.kept(True, _keep_enabled),
    benchmark=_settings.kept(False),
    deterministic=_settings.kept(False, _ask_for_determinism),
    allow_tf32=_settings.kept(True),
)
