"""The judge of tests that need a GPU."""

from __future__ import annotations

import torch

import torchlike

JUDGE = "cuda" if torch.cuda.is_available() else "cpu"  # PyTorch's device


def to_ours(tensor: torch.Tensor) -> torchlike.Tensor:
    """Return a leaf on torchlike's GPU with the values, the dtype and `requires_grad` of PyTorch's tensor."""
    from tests.oracle import to_ours

    return to_ours(tensor.cpu()).detach().to("cuda").requires_grad_(tensor.requires_grad)


def distance(ours: torchlike.Tensor, due: torch.Tensor) -> float:
    """Return the norm of the difference over the norm of the due tensor."""
    from tests.oracle import to_theirs

    mine, due = to_theirs(ours).double(), due.detach().cpu().double()
    assert mine.isfinite().all()
    return ((mine - due).norm() / due.norm().clamp_min(1e-30)).item()
