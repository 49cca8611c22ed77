"""Gradient clipping by norm and by value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import warn
from torchlike.nn import _errors


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all elements of all tensors together. `norm_type` may be `'inf'`.

    If `error_if_nonfinite` is true, an infinite or NaN norm raises an error.
    `foreach` has no effect: in PyTorch it selects among implementations with equal results.
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torchlike.tensor(0.0)
    with torchlike.no_grad():
        first = tensors[0].device
        norms = [torchlike.linalg.vector_norm(tensor, norm_type).to(first) for tensor in tensors]
        total = torchlike.linalg.vector_norm(torchlike.stack(norms), norm_type)
    if error_if_nonfinite and bool(torchlike.logical_or(total.isnan(), total.isinf())):
        raise _errors.total_norm_not_finite(norm_type)
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients by min(1, max_norm / (total_norm + 1e-6)), in place.

    `foreach` has no effect: in PyTorch it selects among implementations with equal results.
    """
    gradients = _gradients(parameters)
    with torchlike.no_grad():
        # Always multiply. Testing whether clipping is needed would block on the value of the norm.
        scale = torchlike.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for gradient in gradients:
            gradient.mul_(scale.to(gradient.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients down in place so that their total norm is at most `max_norm`. Return the original norm.

    >>> import torchlike as torch
    >>> w = torch.nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The deprecated name of `clip_grad_norm_`."""
    warn(_errors.clip_grad_norm_renamed(), FutureWarning)
    return clip_grad_norm_(*args, **kwargs)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of every gradient to [-clip_value, clip_value], in place.

    `foreach` has no effect: in PyTorch it selects among implementations with equal results.
    """
    limit = float(clip_value)
    with torchlike.no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(min=-limit, max=limit)
