"""The names of `torch.backends.cuda` for NVIDIA's libraries, which XLA calls, and for attention kernels."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from torchlike import _errors
from torchlike._dtypes import attention
from torchlike._engine import accelerators


def _has_gpu() -> bool:
    return bool(accelerators.devices("cuda"))


def _refuse(name: str, instead: str, absent: Exception) -> NoReturn:
    """Raise an error: `absent` without a GPU."""
    raise _errors.arguments.cannot(f"backends.cuda.{name}", instead) if _has_gpu() else absent


# -- the plans of cuFFT ------------------------------------------------------------------------------------------------


class cuFFTPlanCacheAttrContextProp:
    """A property of a cache of plans. Reading or writing it raises an error.

    Args:
      getter, setter: not used.
    """

    def __init__(self, getter: Any, setter: Any) -> None:
        self.getter, self.setter = getter, setter

    def __get__(self, obj: Any, objtype: Any) -> Any:
        return _no_plans()

    def __set__(self, obj: Any, val: Any) -> None:
        if isinstance(self.setter, str):
            raise RuntimeError(self.setter)
        _no_plans()


def _no_plans() -> NoReturn:
    _refuse("cufft_plan_cache", "XLA keeps the plans of cuFFT", _errors.making.absent("cuda"))


class cuFFTPlanCache:
    """The plans of cuFFT for one GPU. XLA keeps them, so each use raises an error.

    Args:
      device_index: the index of the GPU.
    """

    def __init__(self, device_index: int | None) -> None:
        self.device_index = device_index

    size = cuFFTPlanCacheAttrContextProp(
        None,
        ".size is a read-only property showing the number of plans currently in the cache. To change the cache "
        "capacity, set cufft_plan_cache.max_size.",
    )
    max_size = cuFFTPlanCacheAttrContextProp(None, None)

    def clear(self) -> None:
        """Raise an error: XLA keeps the plans."""
        _no_plans()


class cuFFTPlanCacheManager(cuFFTPlanCache):
    """The plans of cuFFT for the current GPU, and by index for every GPU."""

    def __init__(self) -> None:
        super().__init__(None)

    def __getitem__(self, device: Any) -> cuFFTPlanCache:
        from torchlike import cuda

        index, count = cuda._get_device_index(device), cuda.device_count()
        if index is None or not 0 <= index < count:
            raise RuntimeError(
                f"cufft_plan_cache: expected 0 <= device index < {count}, but got device with index {index}"
            )
        return cuFFTPlanCache(index)


# -- libraries ---------------------------------------------------------------------------------------------------------


class _Choice(enum.Enum):
    def __str__(self) -> str:
        return f"_{type(self).__name__.strip('_')}.{self.name}"

    __repr__ = __str__


class _LinalgBackend(_Choice):
    Default = 0
    Cusolver = 1
    Magma = 2


class _BlasBackend(_Choice):
    Default = 0
    Cublas = 1
    Cublaslt = 2
    Ck = 3


class _ROCmFABackend(_Choice):
    Default = 0
    AOTriton = 1
    Ck = 2


def _chosen(function: str, given: Any, names: dict[str, _Choice], kept: _Choice, shown: dict[str, str]) -> _Choice:
    """Return the choice `kept`, which is the only possible one."""
    if given is None:
        return kept
    if isinstance(given, str):
        if given not in names:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(names)}.")
        given = names[given]
    elif not isinstance(given, type(kept)):
        raise RuntimeError("Unknown input value type.")
    if given in (kept, type(kept)["Default"]):
        return kept
    library = shown.get(given.name, given.name)
    _refuse(
        function,
        "XLA chooses the library",
        RuntimeError(f"Cannot set preferred backend to {library} if PyTorch has not been compiled with {library}."),
    )


def preferred_linalg_library(backend: str | _LinalgBackend | None = None) -> _LinalgBackend:
    """Return the preferred library of linear algebra on GPUs: always the default. XLA chooses it.

    Args:
      backend: None or "default". Another library raises an error.
    """
    names = {each.name.lower(): each for each in _LinalgBackend}
    shown = {"Cusolver": "cuSOLVER", "Magma": "MAGMA"}
    return _chosen("preferred_linalg_library", backend, names, _LinalgBackend.Default, shown)  # type: ignore[return-value]


def preferred_blas_library(backend: str | _BlasBackend | None = None) -> _BlasBackend:
    """Return the preferred library of matrix products on GPUs: always cuBLAS. XLA chooses it.

    Args:
      backend: None, "default" or "cublas". Another library raises an error.
    """
    names = {"default": _BlasBackend.Default, "cublas": _BlasBackend.Cublas, "hipblas": _BlasBackend.Cublas}
    names |= {"cublaslt": _BlasBackend.Cublaslt, "hipblaslt": _BlasBackend.Cublaslt, "ck": _BlasBackend.Ck}
    return _chosen("preferred_blas_library", backend, names, _BlasBackend.Cublas, {"Cublaslt": "cuBLASLt"})  # type: ignore[return-value]


def preferred_rocm_fa_library(backend: str | _ROCmFABackend | None = None) -> _ROCmFABackend:
    """Return the preferred attention library on AMD GPUs: always the default. They are not supported.

    Args:
      backend: None or "default". Another library raises an error.
    """
    names = {"default": _ROCmFABackend.Default, "aotriton": _ROCmFABackend.AOTriton, "ck": _ROCmFABackend.Ck}
    return _chosen("preferred_rocm_fa_library", backend, names, _ROCmFABackend.Default, {"Ck": "CK"})  # type: ignore[return-value]


def is_ck_sdpa_available() -> bool:
    """Return False: AMD GPUs are not supported."""
    return False


def _workspace(name: str, symbol: str) -> Any:
    def size(value: int | None = None) -> int:
        action = "get" if value is None else "set"
        absent = _errors.making.no_native(f"_cuda_{action}{symbol}WorkspaceSize")
        return _refuse(name, "XLA allocates the work memory of libraries", absent)

    size.__name__ = size.__qualname__ = name
    size.__doc__ = "Raise an error: XLA allocates the work memory.\n\nArgs:\n  value: not used.\n"
    return size


cublas_workspace_size = _workspace("cublas_workspace_size", "Cublas")
cublaslt_workspace_size = _workspace("cublaslt_workspace_size", "CublasLt")
blas_workspace_size = _workspace("blas_workspace_size", "Cublas")


# -- attention ---------------------------------------------------------------------------------------------------------


class SDPAParams:
    """The arguments of a call of `scaled_dot_product_attention`, for the questions about its backends.

    Args:
      query, key, value, attn_mask, dropout, is_causal, enable_gqa: the arguments of the call.
    """

    def __init__(
        self, query: Any, key: Any, value: Any, attn_mask: Any, dropout: float, is_causal: bool, enable_gqa: bool
    ) -> None:
        self.query, self.key, self.value = query, key, value
        self.attn_mask, self.dropout = attn_mask, dropout
        self.is_causal, self.enable_gqa = is_causal, enable_gqa


def is_flash_attention_available() -> bool:
    """Return whether there is a GPU. XLA computes attention in blocks there."""
    return _has_gpu()


def _permits(params: SDPAParams, backend: int) -> bool:
    """Return whether a call on a GPU may use a backend. Each of them computes every call there."""
    return params.query.device.type == "cuda" and backend in attention.permitted


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return whether a call on a GPU may use the flash backend. On other devices, the answer is False.

    Args:
      params: the arguments of the call.
      debug: has no effect. PyTorch warns about the reasons.
    """
    return _permits(params, attention.FLASH)


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return whether a call on a GPU may use the memory-efficient backend. On other devices, the answer is False.

    Args:
      params: the arguments of the call.
      debug: has no effect. PyTorch warns about the reasons.
    """
    return _permits(params, attention.EFFICIENT)


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Return whether a call on a GPU may use cuDNN's backend. On other devices, the answer is False.

    Args:
      params: the arguments of the call.
      debug: has no effect. PyTorch warns about the reasons.
    """
    return _permits(params, attention.CUDNN)
