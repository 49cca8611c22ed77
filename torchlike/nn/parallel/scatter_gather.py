"""`scatter` and `gather` of nested batches over accelerators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors
from torchlike.nn.parallel._functions import Gather, Scatter

__all__ = ["scatter", "scatter_kwargs", "gather"]


def is_namedtuple(obj: Any) -> bool:
    """Return whether an object is a named tuple, with PyTorch's warning that this function is deprecated.

    Args:
      obj: the object.
    """
    warn("`is_namedtuple` is deprecated, please use the python checks instead", FutureWarning)
    return _is_namedtuple(obj)


def _is_namedtuple(obj: Any) -> bool:
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Split the tensors in nested collections over accelerators.

    The result is a tuple if `inputs` is a tensor, and a list otherwise. Other objects are repeated. Without an
    accelerator, the result has the inputs themselves for a single device.

    Args:
      inputs: a tensor or another object.
      target_gpus: the devices.
      dim: the dimension along which tensors are split.

    Raises:
      NotImplementedError: there are several devices but no accelerator.

    >>> import torchlike as torch
    >>> torch.nn.parallel.scatter(torch.ones(2), ["cuda:0"] if torch.cuda.is_available() else [0])[0].shape
    torch.Size([2])
    """
    if not torchlike.accelerator.is_available():
        if len(target_gpus) > 1:
            raise _errors.unsupported("scatter", "target_gpus")
        return (inputs,) if isinstance(inputs, Tensor) else [inputs]
    return _scattered(inputs, lambda tensor: Scatter.apply(target_gpus, None, dim, tensor), len(target_gpus))


def _scattered(given: Any, split: Callable, count: int) -> Any:
    if isinstance(given, Tensor):
        return split(given)
    if not isinstance(given, tuple | list | dict) or not (given or _is_namedtuple(given)):
        return [given] * count
    parts = [_scattered(each, split, count) for each in (given.items() if isinstance(given, dict) else given)]
    if _is_namedtuple(given):
        return [type(given)(*args) for args in zip(*parts)]
    kind: Any = type(given) if isinstance(given, dict) else list if isinstance(given, list) else tuple
    return [kind(each) for each in zip(*parts)]


def scatter_kwargs(
    inputs: tuple, kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple, tuple]:
    """Split the positional and keyword arguments of a call. Each result is a tuple with one entry for each device.

    Args:
      inputs: the positional arguments.
      kwargs: the keyword arguments.
      target_gpus: the devices.
      dim: the dimension along which tensors are split.
    """
    positional = [*scatter(inputs, target_gpus, dim)] if inputs else []
    named = [*scatter(kwargs, target_gpus, dim)] if kwargs else []
    positional += [()] * (len(named) - len(positional))
    named += [{}] * (len(positional) - len(named))
    return tuple(positional), tuple(named)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """Concatenate the tensors of nested outputs on one device.

    Without an accelerator, a single output is returned as it is.

    Args:
      outputs: a sequence with one output for each accelerator.
      target_device: the device of the result.
      dim: the dimension along which the tensors are concatenated.

    Raises:
      NotImplementedError: there are several outputs but no accelerator.

    >>> import torchlike as torch
    >>> torch.nn.parallel.gather([torch.ones(2)], "cpu").shape
    torch.Size([2])
    """
    if not torchlike.accelerator.is_available():
        if len(outputs) > 1:
            raise _errors.unsupported("gather", "outputs")
        return outputs[0]
    return _gathered(outputs, target_device, dim)


def _gathered(outputs: Any, target: Any, dim: int) -> Any:
    first = outputs[0]
    if isinstance(first, Tensor):
        on_cpu = [each.device.type == "cpu" for each in outputs]
        return first if all(on_cpu) and len(outputs) == 1 else Gather.apply(target, dim, *outputs)
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(each) for each in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)([(key, _gathered([each[key] for each in outputs], target, dim)) for key in first])
    made = [_gathered(each, target, dim) for each in zip(*outputs, strict=True)]
    return type(first)(*made) if _is_namedtuple(first) else type(first)(made)
