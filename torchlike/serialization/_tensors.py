"""User-defined attributes of tensors and tensor subclasses, as checkpoints store them."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike._tensor import copying
from torchlike.serialization import _errors as errors


def attributes(tensor: Any) -> dict[str, Any]:
    """Return the attributes that the user has set on a tensor."""
    return copying.attributes(tensor)


def members(tensor: Any) -> tuple:
    """Return the components of a sparse tensor in the order of PyTorch's files."""
    size = tensor.size()
    if tensor.layout is torchlike.sparse_coo:
        return tensor._indices(), tensor._values(), size, tensor.is_coalesced()
    by_rows = tensor.layout is torchlike.sparse_csr
    outer, inner = ("crow_indices", "col_indices") if by_rows else ("ccol_indices", "row_indices")
    return getattr(tensor, outer)(), getattr(tensor, inner)(), tensor.values(), size


def members_of_nested(tensor: Any) -> dict[str, Any]:
    """Return the members of a nested tensor, by the names of the arguments of PyTorch's constructor."""
    return {
        "values": tensor.values().detach(),
        "offsets": tensor.offsets(),
        "lengths": tensor.lengths(),
        "_ragged_idx": tensor._ragged_idx,
        "_metadata_cache": {},
        "requires_grad": tensor.requires_grad,
    }


def as_subclass(tensor: Any, cls: type) -> Any:
    return tensor if cls is torchlike.Tensor else tensor.as_subclass(cls)


def sets_state(cls: type) -> bool:
    """Return whether `cls` is a user-defined subclass that restores its own state with `__setstate__`."""
    return cls is not torchlike.Tensor and hasattr(cls, "__setstate__")


def check_state(cls: type, state: Any) -> None:
    """Raise `UnpicklingError` if `state` would overwrite an attribute that tensors define themselves."""
    for part in state if isinstance(state, tuple) else (state,):
        for name in part or ():
            if name in copying.PRIVATE or name.startswith("__") or hasattr(torchlike.nn.Parameter, name):
                raise errors.forbidden_attribute(cls, name)
