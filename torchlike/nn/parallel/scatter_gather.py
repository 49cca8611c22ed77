"""Batches split over devices and put together again, as far as one device goes: there it is the batch itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike.nn import _errors


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """`inputs` (tensors in tuples, lists and dicts) in one part a device, tensors cut along `dim`: for one device, a
    list (for a tensor, a tuple) of `inputs`. Several devices are not supported."""
    from torchlike import Tensor

    if len(target_gpus) > 1:
        raise _errors.unsupported("scatter", "target_gpus")
    return (inputs,) if isinstance(inputs, Tensor) else [inputs]


def scatter_kwargs(
    inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple, tuple]:
    """The arguments of a call, positional and by keyword, in one part a device."""
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs or {}, target_gpus, dim))


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """What the devices made, tensors put together along `dim`: for one device, what that one made. Several devices are
    not supported."""
    if len(outputs) > 1:
        raise _errors.unsupported("gather", "outputs")
    return outputs[0]
