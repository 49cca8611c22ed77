"""Tensors carried from one library to the other, every bit kept."""

import torch

import torchlike

# NumPy has no such types, and float32 holds every value of them.
NARROW = ("bfloat16", *(f"float8_{form}" for form in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")))


def name_of(dtype) -> str:
    """``float32`` for either library's float32."""
    return str(dtype).removeprefix("torch.").removeprefix("torchlike.")


def to_theirs(tensor: "torchlike.Tensor") -> torch.Tensor:
    """A PyTorch tensor of the same values, dtype and shape; contiguous, without history."""
    name = name_of(tensor.dtype)
    plain = tensor.detach().resolve_conj().resolve_neg()
    if name in NARROW:
        plain = plain.to(torchlike.float32)
    # The copy makes it ours to keep: numpy() shares memory with the tensor.
    return torch.from_numpy(plain.numpy().copy()).to(getattr(torch, name))


def to_ours(tensor: torch.Tensor) -> "torchlike.Tensor":
    """A torchlike tensor of the same values, dtype, shape and ``requires_grad``; contiguous."""
    name = name_of(tensor.dtype)
    plain = tensor.detach().resolve_conj().resolve_neg()
    if name in NARROW:
        plain = plain.to(torch.float32)
    ours = torchlike.from_numpy(plain.numpy().copy()).to(getattr(torchlike, name))
    return ours.requires_grad_(tensor.requires_grad)
