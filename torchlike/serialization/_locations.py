"""The target devices of loaded storages (`map_location`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike._errors import arguments as _arguments
from torchlike.serialization import _errors as errors
from torchlike.serialization._storages import LoadedStorage

Restore = Callable[[LoadedStorage, str], LoadedStorage]


def restorer(map_location: Any) -> Restore:
    """Return the function that moves a storage to its target device, given the location in the file."""
    if map_location is None:
        return _restore
    if isinstance(map_location, dict):
        return lambda storage, location: _restore(storage, map_location.get(location, location))
    if isinstance(map_location, str | torchlike.device):
        return lambda storage, location: _restore(storage, str(map_location))
    return lambda storage, location: _restore_by(map_location, storage, location)


def _restore_by(function: Callable, storage: LoadedStorage, location: str) -> LoadedStorage:
    result = function(storage, location)
    if result is None:
        return _restore(storage, location)
    if not isinstance(result, LoadedStorage):
        raise TypeError(f"map_location must return a storage or None, but got {type(result)}")
    return result


def _restore(storage: LoadedStorage, location: str) -> LoadedStorage:
    if location == "cpu":
        return storage.cpu()
    if location.partition(":")[0] not in ("cuda", "meta", "tpu", "xla"):
        raise RuntimeError(
            f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location[:100]})"
        )
    return storage.on(device_of(location))


def location_tag(storage: Any) -> str:
    """Return the location of a storage as checkpoint files contain it, such as "cpu" or "cuda:0".

    Args:
      storage: a storage.
    """
    return str(storage.device)


def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage with the same bytes at a location.

    Args:
      storage: a storage, or one that `map_location` received.
      location: a location in a checkpoint file.
    """
    if isinstance(storage, LoadedStorage):
        return _restore(storage, location)
    return storage.to(device=device_of(location)) if location != "cpu" else storage.cpu()


def register_package(priority: int, tagger: Callable, deserializer: Callable) -> None:
    """Register functions for storages of another device. Not supported: raises.

    Args:
      priority: not used.
      tagger: not used.
      deserializer: not used.
    """
    raise _arguments.cannot("serialization.register_package", "pass a function as map_location to torch.load")


def device_of(location: str) -> Any:
    """Return the device of a location string in a file.

    Raises:
        RuntimeError: The device is not available on this machine.
        UnpicklingError: The location is not a valid device name.
    """
    kind, colon, index = location.partition(":")
    if colon and not (index.isascii() and index.isdigit() and len(index) < 4):
        raise errors.bad_location(location)
    if kind == "cuda":
        return _cuda(int(index or 0))
    try:
        return torchlike.device(location)
    except (RuntimeError, ValueError):
        raise errors.bad_location(location) from None


def _cuda(index: int) -> Any:
    if not torchlike.cuda.is_available():
        raise errors.no_cuda()
    count = torchlike.cuda.device_count()
    if index >= count:
        raise errors.no_such_cuda(index, count)
    return torchlike.device("cuda", index)


def is_meta(map_location: Any) -> bool:
    """Return whether `map_location` is the meta device, so that no data must be read."""
    return isinstance(map_location, str | torchlike.device) and str(map_location) == "meta"
