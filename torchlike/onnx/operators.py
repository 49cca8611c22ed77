"""Functions for exported programs whose shapes are tensors."""

from __future__ import annotations

import torchlike
from torchlike import Tensor


def shape_as_tensor(x: Tensor) -> Tensor:
    """Return the shape of a tensor as a tensor.

    Args:
      x (Tensor): the tensor.

    >>> import torchlike as torch
    >>> from torchlike.onnx.operators import shape_as_tensor
    >>> shape_as_tensor(torch.ones(2, 3))
    tensor([2, 3])
    """
    return torchlike.tensor(x.shape, dtype=torchlike.int64)


def reshape_from_tensor_shape(x: Tensor, shape: Tensor) -> Tensor:
    """Return a tensor with the shape that another tensor contains.

    Args:
      x (Tensor): the tensor.
      shape (Tensor): the shape.

    >>> import torchlike as torch
    >>> from torchlike.onnx.operators import reshape_from_tensor_shape
    >>> reshape_from_tensor_shape(torch.ones(6), torch.tensor([2, 3])).shape
    torch.Size([2, 3])
    """
    return x.reshape(shape.tolist())
