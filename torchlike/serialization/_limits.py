"""Settings of `torch.load`: the byte order, the flags of memory maps, and limits on the cost of reading a checkpoint.

The limits exist so that a small malicious file cannot exhaust memory or CPU time.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from mmap import MAP_PRIVATE, MAP_SHARED

from torchlike._errors import arguments as _arguments


@dataclass(frozen=True)
class LoadLimits:
    """The limits of `load(weights_only=True)`.

    Storages have no separate limit, because the length of the file bounds them.

    Attributes:
      objects: the maximum number of containers, numbers and strings that the pickle creates. A call counts as four
        objects, and every item that it copies counts as one more.
      opcodes: the maximum number of pickle opcodes.
      pickle_bytes: the maximum number of bytes of strings in the pickle, plus those that calls create from them.
      tensors: the maximum number of tensors that the pickle creates.
      nesting: the maximum nesting depth of containers.
      key_items: the maximum number of parts of one dictionary key or set element, which may be a tuple of tuples.
      equal_hashes: the maximum number of keys with the same hash in one container.
      probes: the maximum average number of hash table slots that an insertion into a dictionary or set visits.
      unpacked_ratio: the maximum ratio of the uncompressed to the compressed length of all storages together, and of
        all other records together. Uncompressed storages of up to 64 MiB in all, and other records of up to 64 KiB in
        all, are always permitted.
    """

    objects: int = 8_000_000
    opcodes: int = 20_000_000
    pickle_bytes: int = 1 << 28
    tensors: int = 100_000
    nesting: int = 200
    key_items: int = 1_000
    equal_hashes: int = 100
    probes: int = 20
    unpacked_ratio: int = 100


_limits = LoadLimits()


def get_load_limits() -> LoadLimits:
    """Return the current limits of `load(weights_only=True)`."""
    return _limits


def set_load_limits(**limits: int) -> None:
    """Set limits of `load(weights_only=True)`.

    Args:
      limits: the new values, named after the attributes of `LoadLimits`. All other limits stay unchanged.

    Raises:
      TypeError: A name is not a limit, or a value is not a positive int.
    """
    global _limits
    known = {field.name for field in fields(LoadLimits)}
    for name, value in limits.items():
        if name not in known or type(value) is not int or value <= 0:
            raise TypeError(
                f"set_load_limits takes positive ints for {', '.join(sorted(known))}, but got {name}={value!r}"
            )
    _limits = replace(_limits, **limits)


@contextlib.contextmanager
def load_limits(**limits: int) -> Iterator[None]:
    """Set limits of `load(weights_only=True)` for the duration of a `with` block; see `set_load_limits`."""
    before = _limits
    set_load_limits(**limits)
    try:
        yield
    finally:
        set_load_limits(**{field.name: getattr(before, field.name) for field in fields(LoadLimits)})


class LoadEndianness(Enum):
    """The byte order of checkpoint files without a record of it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_endianness: LoadEndianness | None = None


def get_default_load_endianness() -> LoadEndianness | None:
    """Return the byte order of checkpoint files that do not record it. None means that of this machine."""
    return _endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the byte order of checkpoint files that do not record it.

    Args:
      endianness: the byte order. None means that of this machine.
    """
    global _endianness
    if not isinstance(endianness, LoadEndianness | None):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _endianness = endianness


def is_swapped() -> bool:
    """Return whether the bytes of files that do not record their byte order must be swapped."""
    if _endianness in (None, LoadEndianness.NATIVE):
        return False
    return _endianness.name.lower() != sys.byteorder


def get_default_mmap_options() -> int:
    """Return the flags with which `load(mmap=True)` maps files: always `mmap.MAP_PRIVATE`."""
    return MAP_PRIVATE


class set_default_mmap_options:
    """The setting of the flags with which `load(mmap=True)` maps files, also as a context.

    Args:
      flags: `mmap.MAP_PRIVATE`. Writes to tensors never reach the file, so `mmap.MAP_SHARED` raises.
    """

    def __init__(self, flags: int) -> None:
        if flags == MAP_SHARED:
            raise _arguments.cannot("serialization.set_default_mmap_options(MAP_SHARED)", "use torch.save to write")
        if flags != MAP_PRIVATE:
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        self.prev = MAP_PRIVATE

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


class skip_data:
    """A context in which files are written and read without data. Not supported: the constructor raises.

    Args:
      materialize_fake_tensors: not used.
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        raise _arguments.cannot("serialization.skip_data", 'load with map_location="meta" to read no data')
