"""Pinning of batches: the tensors of a batch are marked as pinned, and their transfer to the accelerator starts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

from torchlike import Tensor
from torchlike._internal import accelerators, devices, prefetch


def pin_memory(data: Any, device: Any = None) -> Any:
    """Return a batch with its tensors pinned (see `Tensor.pin_memory`).

    Dictionaries, sequences, named tuples and objects with a method `pin_memory` are pinned recursively. Other objects
    are returned as they are.

    Args:
      data: the batch.
      device: deprecated, without effect.
    """
    return _mapped(data, lambda x: x.pin_memory())


def sent_ahead(data: Any) -> Any:
    """Pin a batch, and start the transfer of its tensors to the current accelerator.

    `tensor.to(device)` then takes the array that was transferred.
    """
    place = target()

    def send(x: Any) -> Any:
        pinned = x.pin_memory()
        if isinstance(pinned, Tensor) and place is not None:
            prefetch(pinned, place)
        return pinned

    return _mapped(data, send)


def target() -> Any:
    """Return the device to which batches are sent: the current device of the accelerator, or None without one."""
    for kind in ("cuda", "tpu"):
        if devices.jax_devices(kind):
            return devices.device(kind, accelerators.current(kind))
    return None


def _mapped(data: Any, pin: Callable[[Any], Any]) -> Any:
    if isinstance(data, Tensor):
        return pin(data)
    if isinstance(data, str | bytes):
        return data
    again = lambda x: _mapped(x, pin)
    if isinstance(data, Mapping):
        return _of_mapping(data, {key: again(x) for key, x in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(again, data))
    if isinstance(data, Sequence):
        return _of_sequence(data, [*map(again, data)])
    return pin(data) if hasattr(data, "pin_memory") else data


def _of_mapping(data: Mapping, made: dict) -> Any:
    """Return a mapping of the type of `data`, or a dictionary if that type cannot be made from one."""
    try:
        if isinstance(data, MutableMapping):
            found = copy.copy(data)  # it may have attributes
            found.update(made)
            return found
        return type(data)(made)  # type: ignore[call-arg]
    except TypeError:
        return made


def _of_sequence(data: Sequence, made: list) -> Any:
    """Return a sequence of the type of `data`, or a list if that type cannot be made from one."""
    try:
        if isinstance(data, MutableSequence):
            found = copy.copy(data)
            for i, item in enumerate(made):
                found[i] = item
            return found
        return type(data)(made)  # type: ignore[call-arg]
    except TypeError:
        return made
