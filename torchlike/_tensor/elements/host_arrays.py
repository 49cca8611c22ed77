"""The arrays of plain tensors in host memory, for functions that assemble batches at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torchlike._dtypes.recorder import current
from torchlike._engine import peek
from torchlike._tensor.tensor import Tensor


def host_arrays(tensors: Sequence) -> list[np.ndarray] | None:
    """Return the arrays of tensors, for reading only.

    Return None unless all tensors are plain contiguous CPU tensors with concrete values and the same dtype, and none of
    them requires grad.

    Args:
      tensors (sequence of Tensors): the tensors.
    """
    kind = tensors[0].dtype if tensors and type(tensors[0]) is Tensor else None
    if kind is None or not current().moves:
        return None
    found = []
    for tensor in tensors:
        if type(tensor) is not Tensor or tensor.requires_grad:
            return None
        value = tensor._value
        aval, array = value.aval, value.peek()
        is_contiguous = tensor._strides is None or tensor.is_contiguous()
        if array is None or not is_contiguous or aval.dtype is not kind or aval.device.type != "cpu":
            return None
        found.append(array if array.__class__ is np.ndarray else peek(value))
    return found
