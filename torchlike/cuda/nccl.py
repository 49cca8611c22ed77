"""`torch.cuda.nccl`: NVIDIA's library of collectives. XLA may use it internally, but it cannot be called directly."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._errors.warned import warn

__all__ = ["all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter"]


def is_available(tensors: Any) -> bool:
    """Return False, with a warning: NCCL cannot be called directly."""
    warn("PyTorch is not compiled with NCCL support")
    return False


def _refused(name: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot(f"cuda.nccl.{name}", "one process runs all GPUs, and XLA transfers the data")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise an error: NCCL `{name}` is not supported."
    return refuse


all_reduce, reduce, broadcast, all_gather, reduce_scatter = map(_refused, __all__)
