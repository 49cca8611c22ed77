"""The gradients of parameters."""

from __future__ import annotations

from torchlike._tensor.tensor import Tensor


def clear_gradient(parameter: Tensor, set_to_none: bool) -> None:
    """Set the gradient of a parameter to None, or its elements to zero. In the second case it stays the same tensor."""
    if set_to_none:
        parameter.grad = None
        return
    grad = parameter.grad
    if grad is None:
        return
    if grad.grad_fn is None:
        grad.requires_grad_(False)
    else:
        grad.detach_()
    grad.zero_()
