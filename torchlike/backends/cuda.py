"""`torch.backends.cuda`: settings for GPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._dtypes import modes


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
