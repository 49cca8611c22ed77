"""Results without a derivative. Differentiating them either raises an error or yields zero."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._autograd.nodes import Refusal
from torchlike._dtypes import modes
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.function import Function


def underivable(name: str, function: Callable[..., Tensor], *tensors: Tensor) -> Tensor:
    """Return `function(*tensors)`. A backward pass through the result raises an error that contains `name`."""
    if not modes.local.grad or not any(t.requires_grad for t in tensors):
        return function(*tensors)

    class Underivable(Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Tensor) -> Tensor:
            return function(*tensors)

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:
            raise _errors.autograd.no_derivative(name)

    return Underivable.apply(*tensors)


def refused(made: Tensor, *sources: Any, name: str, node: str = "torch::autograd::NotImplemented") -> Tensor:
    """Return `made`, a new tensor, after the addition of a gradient node that raises in a backward pass.

    `made` is unchanged if no tensor in `sources` requires grad, if grad mode is off, or if `made` is not
    floating-point.

    Args:
      name: PyTorch's name of the operator, for the error.
      node: the name of the gradient node.
    """
    edges = [x._pair()[1] for x in sources if isinstance(x, Tensor)]
    if modes.local.grad and any(edge is not None for edge in edges) and made.is_floating_point():
        made._edge = Refusal(functools.partial(_errors.autograd.no_second_derivative, name), edges, node), 0
    return made


def derived_from(sources: tuple, made: Tensor, node: str) -> Tensor:
    """Return `made` as the result of a gradient node named `node`.

    The node's inputs are the first two tensors in `sources`, and their gradients are zero. `made` itself is returned if
    no tensor in `sources` requires grad, if grad mode is off, or if `made` is not floating-point.
    """
    given = [x for x in sources if isinstance(x, Tensor)]
    if not (modes.local.grad and any(x.requires_grad for x in given) and made.is_floating_point()):
        return made
    other = given[1] if len(given) > 1 else None
    return rows["_made_from"](given[0], other, made, node)
