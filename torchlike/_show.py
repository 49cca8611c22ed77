"""How a tensor prints."""

from __future__ import annotations

from torchlike import _modes, _repr
from torchlike._tensor import Tensor


def tensor_text(t: Tensor) -> str:
    """PyTorch's `repr` of a tensor, character by character."""
    node = t.grad_fn
    array = t._host() if not t.is_meta else None
    return _repr.tensor_repr(array, t.dtype, default_dtype=_modes.default_dtype, requires_grad=t.requires_grad,
                             grad_fn=None if node is None else node.name(), device=str(t.device),
                             size=tuple(t.shape))  # fmt: skip
