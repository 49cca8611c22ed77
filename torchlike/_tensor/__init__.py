"""Tensors: storage, views, dispatch, and exchange with other libraries."""

from __future__ import annotations

from typing import Any


def _rebuild_from_type_v2(func: Any, new_type: type, args: tuple, state: Any) -> Any:
    """Return the tensor of a subclass, or with attributes, in a plain pickle that PyTorch wrote."""
    from torchlike.serialization._rebuild import rebuild_from_type_v2  # imported here because it imports this package

    return rebuild_from_type_v2(func, new_type, args, state)
