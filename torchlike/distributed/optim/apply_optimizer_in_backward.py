"""Optimizers that run during the backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torchlike import Tensor
from torchlike.nn import Module
from torchlike.optim import Optimizer


def _apply_optimizer_in_backward(
    optimizer_class: type[Optimizer],
    params: Iterable[Any],
    optimizer_kwargs: dict[str, Any],
    register_hook: bool = True,
) -> None:
    """Update each parameter during the backward pass, as soon as its gradient is complete, and drop the gradient.

    Args:
      optimizer_class (type): the class of the optimizer. Each parameter has its own.
      params (iterable of Tensors): the parameters.
      optimizer_kwargs (dict): the options of the optimizer.
      register_hook: whether the parameter is updated. Otherwise the optimizer is only stored.

    >>> import torchlike as torch
    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> before = layer.weight.item()
    >>> _apply_optimizer_in_backward(torch.optim.SGD, layer.parameters(), {"lr": 0.5})
    >>> layer(torch.ones(1)).backward()
    >>> round(before - layer.weight.item(), 4), layer.weight.grad
    (0.5, None)
    """
    for param in params:
        if not hasattr(param, "_in_backward_optimizers"):
            param._in_backward_optimizers, param._optimizer_classes, param._optimizer_kwargs = [], [], []
        param._in_backward_optimizers.append(optimizer_class([param], **optimizer_kwargs))
        param._optimizer_classes.append(optimizer_class)
        param._optimizer_kwargs.append(optimizer_kwargs)
        if register_hook:
            param.register_post_accumulate_grad_hook(_step)


def _step(param: Tensor) -> None:
    held: Any = param
    for optimizer in held._in_backward_optimizers:
        optimizer.step()
    param.grad = None


def _get_in_backward_optimizers(module: Module) -> list[Optimizer]:
    """Return the optimizers that run during the backward pass of a module.

    Args:
      module (Module): the module.
    """
    return [each for param in module.parameters() for each in getattr(param, "_in_backward_optimizers", [])]
