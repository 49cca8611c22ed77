"""Exact conversion of tensors from one library to the other."""

import torch

import torchlike

# NumPy lacks these dtypes, and float32 represents all of their values.
NARROW = ("bfloat16", *(f"float8_{form}" for form in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")))


def name_of(dtype) -> str:
    """Return the name of either library's dtype, such as ``float32``."""
    return str(dtype).removeprefix("torch.").removeprefix("torchlike.")


def to_theirs(tensor: "torchlike.Tensor") -> torch.Tensor:
    """Return a contiguous PyTorch tensor of the same values, dtype and shape, without history."""
    name = name_of(tensor.dtype)
    plain = tensor.detach().resolve_conj().resolve_neg().cpu()
    if name in NARROW:
        plain = plain.to(torchlike.float32)
    # numpy() shares memory with the tensor, so copy.
    return torch.from_numpy(plain.numpy().copy()).to(getattr(torch, name))


def to_ours(tensor: torch.Tensor) -> "torchlike.Tensor":
    """Return a contiguous torchlike tensor of the same values, dtype, shape and ``requires_grad``."""
    name = name_of(tensor.dtype)
    plain = tensor.detach().resolve_conj().resolve_neg()
    if name in NARROW:
        plain = plain.to(torch.float32)
    ours = torchlike.from_numpy(plain.numpy().copy()).to(getattr(torchlike, name))
    return ours.requires_grad_(tensor.requires_grad)
