"""Conversion of parameters to one vector and back."""

from __future__ import annotations

from collections.abc import Iterable

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the elements of all parameters, concatenated to one vector.

    Args:
      parameters: an iterable of tensors.

    >>> import torchlike as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 2)])
    tensor([1., 1., 0., 0.])
    """
    return torchlike.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set the data of the parameters to consecutive slices of `vec`.

    Args:
      vec: a vector with the elements of all parameters, as `parameters_to_vector` returns it.
      parameters: an iterable of tensors.

    Raises:
      TypeError: `vec` is not a tensor.

    >>> import torchlike as torch
    >>> a, b = torch.zeros(2), torch.zeros(1)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), [a, b])
    >>> a, b
    (tensor([1., 2.]), tensor([3.]))
    """
    if not isinstance(vec, Tensor):
        raise _errors.vector_type(vec)
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].view_as(parameter).data
        start += count
