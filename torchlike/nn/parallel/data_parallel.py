"""One module on several devices of one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike import accelerator
from torchlike.nn import _errors
from torchlike.nn.modules.module import Module


class DataParallel(Module):
    """Hold `module` as `self.module` and call it: what PyTorch does with one accelerator, or without any.

    Args:
        module: the module.
        device_ids: at most one accelerator; ignored where there is none, as in PyTorch.
        output_device: where results are gathered; there is nothing to gather.
        dim: the dim along which batches would be split.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []
        if not accelerator.is_available():
            return
        if device_ids is not None and len(device_ids) > 1:
            raise _errors.unsupported("DataParallel", "device_ids")
        self.device_ids = list(device_ids or [])
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
