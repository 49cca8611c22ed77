"""`DataParallel`, which splits batches over devices in PyTorch. The class supports a single device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torchlike
from torchlike import device as Device
from torchlike._internal import _get_all_device_indices, _get_device_index
from torchlike.nn import _errors
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel.parallel_apply import parallel_apply
from torchlike.nn.parallel.replicate import replicate
from torchlike.nn.parallel.scatter_gather import gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]


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
        if not torchlike.accelerator.is_available():
            return
        if device_ids is not None and len(device_ids) > 1:
            raise _errors.unsupported("DataParallel", "device_ids")
        self.device_ids = list(device_ids or [])
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """Call a module with parts of its inputs on several accelerators, and concatenate the outputs.

    Args:
      module: the module, on the first accelerator.
      inputs: the input, or a tuple of positional arguments.
      device_ids: the accelerators. By default all.
      output_device: the device of the result. By default the first accelerator.
      dim: the dimension along which tensors are split and concatenated.
      module_kwargs: keyword arguments of the module.

    Raises:
      RuntimeError: there is no accelerator, or the module is not on the first one.

    >>> import torchlike as torch
    >>> module, x = torch.nn.Linear(2, 3), torch.ones(4, 2)
    >>> y = torch.nn.parallel.data_parallel(module.cuda(), x) if torch.cuda.is_available() else module(x)
    >>> y.shape
    torch.Size([4, 3])
    """
    found = torchlike.accelerator.current_accelerator()
    if found is None:
        raise RuntimeError("device type could not be determined")
    places: list[Any] = [_get_device_index(x, True) for x in device_ids or _get_all_device_indices() or ()]
    source = Device(found.type, places[0])
    for tensor in [*module.parameters(), *module.buffers()]:
        if tensor.device != source:
            raise RuntimeError(
                f"module must have its parameters and buffers on device {source} (device_ids[0]) but found one of them "
                f"on device: {tensor.device}"
            )
    given = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    positional, named = scatter_kwargs(given, module_kwargs, places, dim)
    if not positional:
        positional, named = ((),), ({},)
    if len(places) == 1:
        return module(*positional[0], **named[0])
    used = places[: len(positional)]
    outputs = parallel_apply(replicate(module, used), positional, named, used)
    return gather(outputs, places[0] if output_device is None else output_device, dim)
