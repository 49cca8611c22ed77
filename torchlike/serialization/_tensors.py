"""What a user has attached to a tensor, and tensors of the user's own classes."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike._tensor import copying
from torchlike.serialization import _errors as errors


def attributes(tensor: Any) -> dict[str, Any]:
    """What the user has attached to a tensor."""
    return copying.attributes(tensor)


def members(tensor: Any) -> tuple:
    """What a sparse tensor is made of, as PyTorch's files have it."""
    size = tensor.size()
    if tensor.layout is torchlike.sparse_coo:
        return tensor._indices(), tensor._values(), size, tensor.is_coalesced()
    by_rows = tensor.layout is torchlike.sparse_csr
    outer, inner = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
    return getattr(tensor, outer)(), getattr(tensor, inner)(), tensor.values(), size


def as_subclass(tensor: Any, cls: type) -> Any:
    return tensor if cls is torchlike.Tensor else tensor.as_subclass(cls)


def sets_state(cls: type) -> bool:
    """Whether a user's subclass restores its own state."""
    return cls is not torchlike.Tensor and hasattr(cls, "__setstate__")


def check_state(cls: type, state: Any) -> None:
    """Refuse attributes that belong to tensors themselves, which no file may replace."""
    for part in state if isinstance(state, tuple) else (state,):
        for name in part or ():
            if name in copying.PRIVATE or name.startswith("__") or hasattr(torchlike.nn.Parameter, name):
                raise errors.forbidden_attribute(cls, name)
