"""`parallel_apply`, which calls modules with their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import ExceptionWrapper, _get_device_index
from torchlike.nn.modules.module import Module

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: Any) -> Tensor | None:
    """Return the first tensor in nested lists, tuples and dictionaries, or None.

    Args:
      obj: an object.
    """
    if isinstance(obj, Tensor):
        return obj
    found = map(get_a_var, obj.items() if isinstance(obj, dict) else obj if isinstance(obj, list | tuple) else ())
    return next((each for each in found if each is not None), None)


def parallel_apply(
    modules: Sequence[Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[Any] | None = None,
) -> list[Any]:
    """Call each module with its inputs, on its accelerator.

    The calls are made in turn. The accelerators compute in parallel, because XLA does not wait for results.

    Args:
      modules: the modules.
      inputs: for each module its input, or a list or tuple of its positional arguments.
      kwargs_tup: for each module its keyword arguments.
      devices: for each module its accelerator. By default it is that of its first input.

    Returns:
      The outputs.

    Raises:
      AssertionError: the arguments have different lengths.
      RuntimeError: there is no accelerator.

    >>> import torchlike as torch
    >>> torch.nn.parallel.parallel_apply([], [])
    []
    """
    for name, given in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if given is not None and len(modules) != len(given):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(given)}"
            )
    places = [_get_device_index(device, True) for device in devices or [None] * len(modules)]
    for place in places:
        torchlike.accelerator.current_stream(place)  # raises without an accelerator
    options = kwargs_tup or [{}] * len(modules)
    outputs = [_called(i, *row) for i, row in enumerate(zip(modules, inputs, options, places))]
    for output in outputs:
        if isinstance(output, ExceptionWrapper):
            output.reraise()
    return outputs


def _called(i: int, module: Module, given: Any, options: dict[str, Any], index: int | None) -> Any:
    """Return the output of a module, or its exception."""
    try:
        with torchlike.accelerator.device_index(index):
            return module(*(given if isinstance(given, list | tuple) else (given,)), **options)
    except Exception:
        return ExceptionWrapper(where=f"in replica {i} on device {index}")
