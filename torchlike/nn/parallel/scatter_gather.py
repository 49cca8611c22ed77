"""`scatter` and `gather` of batches over devices. Only a single device is supported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike.nn import _errors


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Return `inputs` as a sequence with one entry for the single device.

    The sequence is a tuple if `inputs` is a tensor, and a list otherwise.

    Args:
      inputs: a tensor or another object.
      target_gpus: the devices, at most one.
      dim: has no effect. PyTorch splits tensors along it over the devices.

    Raises:
      NotImplementedError: there are several devices.

    >>> import torchlike as torch
    >>> torch.nn.parallel.scatter(torch.ones(2), [0])
    (tensor([1., 1.]),)
    """
    from torchlike import Tensor

    if len(target_gpus) > 1:
        raise _errors.unsupported("scatter", "target_gpus")
    return (inputs,) if isinstance(inputs, Tensor) else [inputs]


def scatter_kwargs(
    inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple, tuple]:
    """Return the positional and keyword arguments of a call, each as a tuple with one entry for each device."""
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs or {}, target_gpus, dim))


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Return the output of the single device.

    Args:
      outputs: a sequence with at most one output.
      target_device: has no effect. PyTorch moves the tensors of all devices to it.
      dim: has no effect. PyTorch concatenates the tensors along it.

    Raises:
      NotImplementedError: there are several outputs.

    >>> import torchlike as torch
    >>> torch.nn.parallel.gather([torch.ones(2)], "cpu")
    tensor([1., 1.])
    """
    if len(outputs) > 1:
        raise _errors.unsupported("gather", "outputs")
    return outputs[0]
