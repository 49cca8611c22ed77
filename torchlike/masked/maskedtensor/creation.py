"""Functions that make masked tensors."""

from __future__ import annotations

from typing import Any

from torchlike.masked.maskedtensor.core import MaskedTensor

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """Return a masked tensor that is a leaf. The data and the mask are copied.

    Args:
      data: the elements, a dense tensor.
      mask: a bool tensor of the same shape. True marks a valid element.
      requires_grad: whether the masked tensor records gradients.

    >>> import warnings
    >>> import torchlike as torch
    >>> warnings.simplefilter("ignore")
    >>> masked_tensor(torch.tensor([1, 2]), torch.tensor([True, False])).to_tensor(0)
    tensor([1, 0])
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """Return a masked tensor that keeps the gradient history of the data.

    Args:
      data: the elements, a dense tensor.
      mask: a bool tensor of the same shape. True marks a valid element.

    >>> import warnings
    >>> import torchlike as torch
    >>> warnings.simplefilter("ignore")
    >>> x = torch.tensor([1.0, 4.0], requires_grad=True)
    >>> as_masked_tensor(x.sqrt(), torch.tensor([False, True])).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.2500])
    """
    return MaskedTensor._from_values(data, mask)
