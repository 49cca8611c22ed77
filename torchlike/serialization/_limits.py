"""Bounds on what reading a checkpoint may cost, so that a small hostile file cannot occupy the machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class LoadLimits:
    """What `load(weights_only=True)` accepts.

    Storages have no limit of their own: they are bounded by the file's length.

    Attributes:
      objects: containers, numbers and strings that the pickle makes; a call counts as four, and what it copies again.
      opcodes: steps of the pickle.
      pickle_bytes: bytes of strings in the pickle, and of those that calls make from them.
      tensors: tensors that the pickle makes.
      nesting: containers inside one another.
      key_items: parts of one dictionary key or set element, which may be a tuple of tuples.
      equal_hashes: keys of one container that share a hash.
      probes: slots of its hash table that inserting a key into a dictionary or set visits, on average.
      unpacked_ratio: unpacked over packed length of compressed records, beyond the first 64 MiB of storages and the
        first 64 KiB of other records.
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
    """Return the limits of `load`."""
    return _limits


def set_load_limits(**limits: int) -> None:
    """Change limits of `load`, by the names of `LoadLimits`.

    Raises:
      TypeError: there is no such limit, or its value is no positive int.
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
    """`set_load_limits` for the length of a `with` block."""
    before = _limits
    set_load_limits(**limits)
    try:
        yield
    finally:
        set_load_limits(**{field.name: getattr(before, field.name) for field in fields(LoadLimits)})
