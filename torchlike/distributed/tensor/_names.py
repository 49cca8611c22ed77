"""The names of operators, as errors show them."""

from __future__ import annotations

from torchlike._internal import with_overload

# PyTorch's names of the operators that its errors show, if they differ.
_SHOWN = {
    "linear": "mm.default",
    "matmul": "mm.default",
    "layer_norm": "native_layer_norm.default",
    "cross_entropy": "nll_loss_forward.default",
    "nll_loss": "nll_loss_forward.default",
    "where": "where.self",
    "getitem": "index.Tensor",
}


def shown(name: str, in_place: bool, count: int = 0) -> str:
    """Return PyTorch's name of an operator, with its overload. `count` is the number of tensor arguments."""
    if name == "linear" and count == 3:
        return "addmm.default"
    if name in _SHOWN:
        return _SHOWN[name]
    return with_overload(name, in_place)
