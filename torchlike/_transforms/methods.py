"""The methods of Tensor that run a transform."""

from __future__ import annotations

from typing import Any

from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened
from torchlike._transforms import backward as _backward


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Accumulate the gradient of this tensor into the `.grad` of the leaves of its graph.

    Args:
      gradient: the gradient of the loss with respect to this tensor, of its shape. It may be omitted for a single
        element.
      retain_graph: keep the saved tensors for another backward pass. Default: the value of `create_graph`.
      create_graph: record the backward pass, so that the gradients can be differentiated.
      inputs: the leaves whose `.grad` is accumulated, a tensor or a sequence. Default: all leaves.

    >>> x = torchlike.ones(2, requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    try:
        _backward.backward(self, gradient, retain_graph, create_graph, inputs=inputs)
    except Exception as error:
        raise shortened(error)


METHODS = {"backward": backward}
