"""One module on several devices of one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _errors
from ..modules.module import Module


class DataParallel(Module):
    """Hold `module` as `self.module` and call it; with one device, or none to choose from, that is all PyTorch does.

    Splitting batches over several devices is not supported: `device_ids` may name at most one.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise _errors.unsupported("DataParallel", "device_ids")
        self.module = module
        self.device_ids = list(device_ids or [])
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
