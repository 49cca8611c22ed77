"""Gradient clipping by norm and by value."""

from __future__ import annotations

from collections.abc import Iterable
from types import GeneratorType
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
    """Return the norm of all elements of all tensors together.

    Args:
      tensors: a tensor or an iterable of tensors. Without tensors, the norm is 0.
      norm_type: the exponent of the norm, a number or 'inf'.
      error_if_nonfinite: raise an error if the norm is infinite or NaN. This waits for the value.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.

    Returns:
      A zero-dimensional tensor.

    Raises:
      RuntimeError: the norm is not finite, and `error_if_nonfinite` is set.

    >>> import torchlike as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
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

    Args:
      parameters: a tensor or an iterable of tensors, whose gradients are scaled.
      max_norm: the largest norm.
      total_norm: the norm of the gradients, as `get_total_norm` returns it.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.

    >>> import torchlike as torch
    >>> w = torch.nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grads_with_norm_(w, 1.0, torch.tensor(5.0))
    >>> w.grad
    tensor([0.6000, 0.8000])
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
    """Scale the gradients down in place so that their total norm is at most `max_norm`.

    Args:
      parameters: a tensor or an iterable of tensors, whose gradients are scaled.
      max_norm: the largest norm.
      norm_type: the exponent of the norm, a number or 'inf'.
      error_if_nonfinite: raise an error if the norm is infinite or NaN. This waits for the value.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.

    Returns:
      The norm before the scaling, a zero-dimensional tensor.

    Raises:
      RuntimeError: the norm is not finite, and `error_if_nonfinite` is set.

    >>> import torchlike as torch
    >>> w = torch.nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    is_generator = isinstance(parameters, GeneratorType)
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if is_generator and not parameters:
        warn(_errors.no_parameters_to_clip())
    total = get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The deprecated name of `clip_grad_norm_`. It gives a warning.

    Args:
      *args, **kwargs: the arguments of `clip_grad_norm_`.

    >>> import torchlike as torch, warnings
    >>> w = torch.nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([3.0, 4.0])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.utils.clip_grad_norm(w, 1.0)
    tensor(5.)
    """
    warn(_errors.clip_grad_norm_renamed(), FutureWarning)
    return clip_grad_norm_(*args, **kwargs)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp every element of every gradient to [-clip_value, clip_value], in place.

    Args:
      parameters: a tensor or an iterable of tensors, whose gradients are clamped.
      clip_value: the bound.
      foreach: has no effect. In PyTorch it selects among implementations with equal results.

    >>> import torchlike as torch
    >>> w = torch.nn.Parameter(torch.zeros(2))
    >>> w.grad = torch.tensor([-3.0, 0.5])
    >>> torch.nn.utils.clip_grad_value_(w, 1.0)
    >>> w.grad.tolist()
    [-1.0, 0.5]
    """
    limit = float(clip_value)
    with torchlike.no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(min=-limit, max=limit)
