"""Tensors that wrap other tensors, such as `DTensor`, in the form of PyTorch's files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import torchlike
from torchlike.serialization import _errors as errors
from torchlike.serialization._storages import numel_over_limit


class Described(NamedTuple):
    """The properties of a wrapper tensor that a file stores besides its state."""

    cls: type
    dtype: torchlike.dtype
    size: tuple[int, ...]
    stride: tuple[int, ...]
    storage_offset: int
    layout: torchlike.layout
    device: torchlike.device
    requires_grad: bool


class Wrapper(Protocol):
    """A tensor class with wrapped values, which PyTorch keeps in slots."""

    def _state_for_file(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Return the attributes, or None if there are none, and the slots."""
        ...

    @classmethod
    def _of_file(cls, described: Described, attributes: Mapping[str, Any], slots: Mapping[str, Any]) -> Any:
        """Return a tensor, after checking that all parts agree. Raise UnpicklingError if not."""
        ...


def is_wrapper(cls: Any) -> bool:
    """Return whether a tensor class wraps other tensors and can be read from a file."""
    return isinstance(cls, type) and hasattr(cls, "_of_file")


def describe(tensor: Any) -> Described:
    """Return the properties of a wrapper tensor that a file stores besides its state."""
    size, stride = tuple(iter(tensor.shape)), tuple(iter(tensor.stride()))
    return Described(
        type(tensor), tensor.dtype, size, stride, 0, tensor.layout, tensor.device, bool(tensor.requires_grad)
    )


def rebuild_wrapper_subclass(*args: Any) -> Described:
    """Return the description of a wrapper tensor. `rebuild_from_type_v2` makes the tensor from it."""
    described = Described(*args)
    if not is_wrapper(described.cls):
        raise errors.unsupported_name("torch._utils._rebuild_wrapper_subclass")
    if len(described.size) != len(described.stride) or numel_over_limit((*described.size, described.dtype.itemsize)):
        raise errors.bad_arguments(rebuild_wrapper_subclass)
    return described


def restored(described: Described, state: Any) -> Any:
    """Return the tensor of a description and of its state."""
    pair = state if type(state) is tuple and len(state) == 2 else (state, None)
    attributes, slots = ({} if part is None else part for part in pair)
    if not isinstance(attributes, dict) or not isinstance(slots, dict):
        raise errors.bad_state(described.cls)
    return described.cls._of_file(described, attributes, slots)
