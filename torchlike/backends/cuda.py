"""`torch.backends.cuda`: settings for GPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from torchlike import _errors
from torchlike._dtypes import attention
from torchlike._dtypes.precision import switches
from torchlike._errors.warned import warn
from torchlike.backends import _settings
from torchlike.backends._cuda_libraries import SDPAParams as SDPAParams
from torchlike.backends._cuda_libraries import blas_workspace_size as blas_workspace_size
from torchlike.backends._cuda_libraries import can_use_cudnn_attention as can_use_cudnn_attention
from torchlike.backends._cuda_libraries import can_use_efficient_attention as can_use_efficient_attention
from torchlike.backends._cuda_libraries import can_use_flash_attention as can_use_flash_attention
from torchlike.backends._cuda_libraries import cublas_workspace_size as cublas_workspace_size
from torchlike.backends._cuda_libraries import cublaslt_workspace_size as cublaslt_workspace_size
from torchlike.backends._cuda_libraries import cuFFTPlanCache as cuFFTPlanCache
from torchlike.backends._cuda_libraries import cuFFTPlanCacheAttrContextProp as cuFFTPlanCacheAttrContextProp
from torchlike.backends._cuda_libraries import cuFFTPlanCacheManager as cuFFTPlanCacheManager
from torchlike.backends._cuda_libraries import is_ck_sdpa_available as is_ck_sdpa_available
from torchlike.backends._cuda_libraries import is_flash_attention_available as is_flash_attention_available
from torchlike.backends._cuda_libraries import preferred_blas_library as preferred_blas_library
from torchlike.backends._cuda_libraries import preferred_linalg_library as preferred_linalg_library
from torchlike.backends._cuda_libraries import preferred_rocm_fa_library as preferred_rocm_fa_library


def is_built() -> bool:
    """Return whether JAX has a GPU client.

    >>> import torchlike as torch
    >>> torch.backends.cuda.is_built() == torch.cuda.is_available()
    True
    """
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


class cuBLASModule(_settings.FP32Precision):
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


matmul = cuBLASModule()
cufft_plan_cache = cuFFTPlanCacheManager()


# -- attention ---------------------------------------------------------------------------------------------------------


def _switch(name: str, backend: int) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    def enable(enabled: bool) -> None:
        if not isinstance(enabled, bool):
            called, got = ("cudnn", "%s") if backend == attention.CUDNN else ("math", "")
            raise RuntimeError(f"set_sdp_use_{called} expects a bool, but got {got}{type(enabled).__name__}")
        others = [each for each in attention.permitted if each != backend]
        attention.permit([*others, backend] if enabled else others)

    def enabled() -> bool:
        return backend in attention.permitted

    enable.__doc__ = (
        f"Permit or exclude the {name} backend of `scaled_dot_product_attention` (`nn.attention.SDPBackend`).\n\n"
        "Args:\n  enabled (bool): permit the backend.\n\nRaises:\n  RuntimeError: `enabled` is not a bool."
    )
    enabled.__doc__ = f"Return whether the {name} backend of `scaled_dot_product_attention` is permitted."
    return enable, enabled


enable_flash_sdp, flash_sdp_enabled = _switch("flash", attention.FLASH)
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("memory-efficient", attention.EFFICIENT)
enable_math_sdp, math_sdp_enabled = _switch("math", attention.MATH)
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cuDNN", attention.CUDNN)

_reduces_in_half = False


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Permit sums in half precision in the math backend of attention. XLA sums in float32 anyway.

    Args:
      enabled (bool): the value that `fp16_bf16_reduction_math_sdp_allowed` returns.
    """
    global _reduces_in_half
    _settings.check_bool("set_sdp_use_math", enabled)
    _reduces_in_half = enabled


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Return the value that was set by `allow_fp16_bf16_reduction_math_sdp`."""
    return _reduces_in_half


_DEPRECATED = (
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature."
)


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> contextlib.AbstractContextManager[dict]:
    """Return a context that permits the chosen backends of attention. It is deprecated: use `nn.attention.sdpa_kernel`.

    The call warns with `FutureWarning`.

    Args:
      enable_flash (bool, default True): permit the flash backend.
      enable_math (bool, default True): permit the math backend.
      enable_mem_efficient (bool, default True): permit the memory-efficient backend.
      enable_cudnn (bool, default True): permit the cuDNN backend.
    """
    warn(_DEPRECATED, FutureWarning, site="sdp_kernel")
    kinds = attention.FLASH, attention.MATH, attention.EFFICIENT, attention.CUDNN
    chosen = enable_flash, enable_math, enable_mem_efficient, enable_cudnn
    return _permitting([kind for kind, wanted in zip(kinds, chosen) if wanted])


@contextlib.contextmanager
def _permitting(backends: list[int]) -> Iterator[dict]:
    before = attention.permitted
    attention.permit(backends)
    try:
        yield {}
    finally:
        attention.permit(before)
