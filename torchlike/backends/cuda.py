"""`torch.backends.cuda`: settings for GPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._dtypes import attention, modes
from torchlike._errors.warned import warn


def is_built() -> bool:
    """Return whether JAX has a GPU client."""
    from torchlike._dtypes import devices

    return bool(devices.jax_devices("cuda"))


class _Matmul:
    """The settings of matrix products.

    `allow_tf32 = True` corresponds to `set_float32_matmul_precision("high")`, and False to "highest".
    """

    @property
    def allow_tf32(self) -> bool:
        """True if float32 matrix products may round their inputs to TensorFloat-32."""
        return modes.get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, wanted: bool) -> None:
        modes.set_float32_matmul_precision("high" if wanted else "highest")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "allow_tf32":
            raise AttributeError(f"Unknown attribute {name}")
        object.__setattr__(self, name, value)


matmul = _Matmul()


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
        f"Permit or exclude the {name} backend of `scaled_dot_product_attention` (`nn.attention.SDPBackend`)."
    )
    enabled.__doc__ = f"Return whether the {name} backend of `scaled_dot_product_attention` is permitted."
    return enable, enabled


enable_flash_sdp, flash_sdp_enabled = _switch("flash", attention.FLASH)
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch("memory-efficient", attention.EFFICIENT)
enable_math_sdp, math_sdp_enabled = _switch("math", attention.MATH)
enable_cudnn_sdp, cudnn_sdp_enabled = _switch("cuDNN", attention.CUDNN)

_DEPRECATED = (
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
    "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature."
)


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> contextlib.AbstractContextManager[dict]:
    """Return a context that permits the chosen backends of attention. It is deprecated: use `nn.attention.sdpa_kernel`.

    The context warns with `FutureWarning`.
    """
    warn(_DEPRECATED, FutureWarning)
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
