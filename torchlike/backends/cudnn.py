"""`torch.backends.cudnn`: settings of cuDNN, which only XLA calls.

`enabled = False` raises an error if there is a GPU. `benchmark` has no effect, since XLA always benchmarks algorithms
when it compiles. `deterministic` corresponds to the environment variable XLA_FLAGS=--xla_gpu_deterministic_ops=true.
Setting `deterministic` to True warns if there is a GPU and XLA_FLAGS does not contain this flag. With `allow_tf32`,
which is True by default, convolutions and recurrent layers on GPUs may round float32 inputs to TensorFloat-32.
`conv.fp32_precision`, `rnn.fp32_precision` and `fp32_precision` are the newer interface to the same setting.
`benchmark_limit` and `depthwise_kernel` have no effect, since XLA chooses the algorithms.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices
from torchlike._dtypes.precision import switches
from torchlike._engine import determinism
from torchlike.backends import _settings

if TYPE_CHECKING:
    enabled: bool
    benchmark: bool
    deterministic: bool
    allow_tf32: bool
    fp32_precision: str
    depthwise_kernel: str

conv = _settings.precision_of("cuda", "conv")
rnn = _settings.precision_of("cuda", "rnn")
benchmark_limit: int | None = None  # without effect; XLA chooses the number of trials
CUDNN_TENSOR_DTYPES = {_dtypes.float16, _dtypes.float32, _dtypes.float64}
_FLAGS = "enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32", "fp32_precision", "depthwise_kernel"


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


def _allow_tf32(_: Any, value: bool) -> None:
    _settings.check_bool("set_allow_tf32_cublas", value)
    switches.allows_cudnn = value


def _check_depthwise(value: str) -> None:
    if value not in ("auto", "cudnn", "native"):
        raise _errors.precision.unknown_depthwise(value)


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
    _depthwise_kernel: str | None = None,
) -> tuple:
    """Set the settings of this module that are not None, and return the previous values of all of them."""
    module: Any = sys.modules[__name__]
    wanted = (_enabled, _benchmark, None, _deterministic, _allow_tf32, _fp32_precision, _depthwise_kernel)
    before = tuple(None if name == "benchmark_limit" else getattr(module, name) for name in _FLAGS)
    for name, value in zip(_FLAGS, wanted):
        if value is not None:
            setattr(module, name, value)
    return before


@contextlib.contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
    depthwise_kernel: str = "auto",
) -> Iterator[None]:
    """Set the settings of this module within a `with` block. `enabled` is False by default, as in PyTorch."""
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision, depthwise_kernel)
    try:
        yield
    finally:
        set_flags(*before)


_settings.attach(
    __name__,
    enabled=_settings.kept(True, _keep_enabled, "set_enabled_cudnn"),
    benchmark=_settings.kept(False, setter="set_benchmark_cudnn"),
    deterministic=_settings.kept(False, _ask_for_determinism, "set_deterministic_cudnn"),
    allow_tf32=property(lambda _: switches.allows_cudnn, _allow_tf32),
    fp32_precision=_settings.fp32_precision("cuda", "all"),
    depthwise_kernel=_settings.kept("auto", _check_depthwise),
)
