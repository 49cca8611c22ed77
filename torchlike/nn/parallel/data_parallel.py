"""`DataParallel`, which splits batches over devices in PyTorch. Only a single device is supported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike import accelerator
from torchlike.nn import _errors
from torchlike.nn.modules.module import Module


class DataParallel(Module):
    """A wrapper that calls `module`, as in PyTorch with at most one accelerator.

    Args:
      module: the wrapped module, available as `self.module`.
      device_ids: at most one accelerator. Ignored if no accelerator is available, as in PyTorch.
      output_device: has no effect, because there are no results to gather.
      dim: has no effect. It is the dimension along which PyTorch splits batches.

    Raises:
      NotImplementedError: several devices are given.

    >>> import torchlike as torch
    >>> torch.nn.DataParallel(torch.nn.Linear(2, 3))(torch.ones(4, 2)).shape
    torch.Size([4, 3])
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
