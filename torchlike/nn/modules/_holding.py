"""Helpers shared by containers of modules and containers of parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any

from torchlike import Tensor


def place_in(length: int, index: Any) -> int:
    """Return `index` as a non-negative number. Raise IndexError if it is out of range."""
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def pairs_of(kind: str, called: str, given: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the (key, value) pairs of a mapping or an iterable of pairs. Raise for anything else."""
    if hasattr(given, "items"):
        yield from given.items()
        return
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{called}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    for place, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{kind} update sequence element #{place} should be Iterable; is{type(pair).__name__}")
        pair = list(pair)
        if len(pair) != 2:
            raise ValueError(f"{kind} update sequence element #{place} has length {len(pair)}; 2 is required")
        yield pair[0], pair[1]


def described(value: Any, tensor_kind: str) -> str:
    """Return the line that a parameter container's `repr` prints for a value."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(str(length) for length in value.shape)
    device = "" if value.device.type == "cpu" else f" ({value.device})"
    return f"Parameter containing: [{tensor_kind} of size {size}{device}]"
