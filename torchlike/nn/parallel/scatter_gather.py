"""`scatter` and `gather` of batches over devices. Only a single device is supported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike.nn import _errors


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Return `inputs` as a sequence with one entry for the single device.

    The sequence is a tuple if `inputs` is a tensor, and a list otherwise. PyTorch splits tensors along `dim` over the
    devices. Several devices are not supported.
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

    PyTorch concatenates the tensors of all devices along `dim` on the device `target_device`. Both have no effect,
    because several devices are not supported.
    """
    if len(outputs) > 1:
        raise _errors.unsupported("gather", "outputs")
    return outputs[0]
