"""Lookup of the operator or function that a sample's key names, in either library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

import torchlike
from tests.ops.samples import SAMPLES
from torchlike._ops import REGISTRY, Op
from torchlike._tensor import binding

ROWS = sorted(name for name, op in REGISTRY.items() if name == op.name and op.public.where)
JUDGED = sorted(SAMPLES)


def row(key: str) -> Op | None:
    """Return the operator schema of a key, or None if the key names no operator."""
    return REGISTRY.get(key.rpartition(".")[2])


def function(library: Any, key: str) -> Callable:
    """Return the callable that a key names.

    A key is a path under the library, an operator in its first namespace, or a method.
    """
    if "." in key:
        return _walk(library, key)
    op = REGISTRY.get(key)
    place = op.public.where[0] if op is not None and op.public.where else "torch"
    if place == "torch" and hasattr(library, key):
        return getattr(library, key)
    if place in ("torch", "Tensor"):
        return getattr(library.Tensor, key)
    return _walk(library, f"{place}.{key}")


def _walk(library: Any, path: str) -> Any:
    found = library
    for name in path.split("."):
        found = getattr(found, name, None)
    if found is None and library is torchlike:
        place, _, name = path.rpartition(".")
        found = binding.names_in(place).get(name)
    assert found is not None, f"{library.__name__}.{path} does not exist"
    return found


def method(library: Any, key: str) -> Callable | None:
    """Return the method of the same name, or None."""
    return None if "." in key else getattr(library.Tensor, key, None)


__all__ = ["JUDGED", "ROWS", "SAMPLES", "function", "method", "row", "torch", "torchlike"]
