"""`torch.backends.cuda`: settings for GPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from torchlike import _errors
from torchlike._dtypes.precision import switches
from torchlike.backends import _settings


def is_built() -> bool:
    """Return whether JAX has a GPU client."""
    from torchlike._dtypes import devices

    return bool(devices.jax_devices("cuda"))


_reductions: dict[str, tuple[bool, bool]] = {"fp16": (True, True), "bf16": (True, True)}


def _reduction(kind: str) -> property:
    name = f"allow_{kind}_reduced_precision_reduction"

    def write(_: Any, value: Any) -> None:
        if not isinstance(value, bool | list | tuple):
            raise _errors.precision.wrong_reduction(name, value)
        given = [value] if isinstance(value, bool) else value
        if not 1 <= len(given) <= 2:
            raise _errors.precision.wrong_reduction_count(name, len(given))
        for which, each in zip(("allow_reduced_precision", "allow_splitk"), given):
            if not isinstance(each, bool):
                raise _errors.precision.wrong_reduction(name, each, which)
        reduced, split = given[0], given[-1] if len(given) == 2 else True
        if reduced and not split:
            raise _errors.precision.no_split()
        if not reduced and is_built():
            _errors.warned.warn(_errors.precision.not_guaranteed(name))
        _reductions[kind] = reduced, split

    return property(lambda _: _reductions[kind][0], write)


def _allow_tf32(_: Any, value: bool) -> None:
    _settings.check_bool("set_allow_tf32_cublas", value)
    switches.allows_cublas = value


class _Matmul(_settings.FP32Precision):
    """The settings of matrix products.

    Attributes:
      allow_tf32: Whether float32 products may round their inputs to TensorFloat-32. The default is False.
      fp32_precision: The same, as "ieee", "tf32" or "none".
      allow_fp16_reduced_precision_reduction: Whether partial sums of float16 products may be added in float16. XLA's
        own kernels add them in float32. cuBLASLt decides itself, so that False warns if there is a GPU.
      allow_bf16_reduced_precision_reduction: The same for bfloat16.
      allow_fp16_accumulation: Whether float16 products may be summed in float16. XLA always sums them in float32.
    """

    allow_tf32 = property(lambda _: switches.allows_cublas, _allow_tf32)
    fp32_precision = _settings.fp32_precision("cuda", "matmul")
    allow_fp16_reduced_precision_reduction = _reduction("fp16")
    allow_bf16_reduced_precision_reduction = _reduction("bf16")
    allow_fp16_reduced_precision_reduction_split_k = property(lambda _: _reductions["fp16"][1])
    allow_bf16_reduced_precision_reduction_split_k = property(lambda _: _reductions["bf16"][1])
    allow_fp16_accumulation = _settings.kept(False, setter="set_allow_fp16_accumulation_cublas")


matmul = _Matmul()
_allowed = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def _switch(kind: str) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    def enable(enabled: bool) -> None:
        _allowed[kind] = bool(enabled)

    def enabled() -> bool:
        return _allowed[kind]

    enable.__doc__ = f"Enable or disable PyTorch's {kind} attention kernel. The flag has no effect here."
    enabled.__doc__ = f"Return whether PyTorch's {kind} attention kernel is enabled."
    return enable, enabled


enable_flash_sdp, flash_sdp_enabled = _switch("flash")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("mem_efficient")
enable_math_sdp, math_sdp_enabled = _switch("math")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cudnn")


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[dict]:
    """Set the flags of PyTorch's attention kernels within the block. The flags have no effect here."""
    before = dict(_allowed)
    _allowed.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _allowed.update(before)
