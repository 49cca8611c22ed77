"""Conversions of the index vectors of sparse matrices, which libraries call by their private names."""

from __future__ import annotations

from torchlike import _dtypes, _errors
from torchlike._composite.counting import searchsorted
from torchlike._composite.ranges import arange
from torchlike._composite.views.split import stack
from torchlike._tensor import public_calls
from torchlike._tensor.tensor import Tensor


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Return the position at which each row begins in a sorted vector of row indices, and the end.

    Args:
      input: the sorted row indices.
      size: the number of rows.
      out_int32: whether the result is int32 instead of int64.

    >>> import torchlike as torch
    >>> torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 3)
    tensor([0, 2, 2, 3])
    """
    if input.ndim > 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {input.ndim} dimensional tensor.")
    _check_integers("convert_indices_from_coo_to_csr_cpu", input)
    return searchsorted(input, arange(size + 1, dtype=input.dtype, device=input.device), out_int32=out_int32)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Return the row and column of each element of a CSR matrix, as two rows.

    Args:
      crow_indices: the position at which each row begins, and the end. Batches are not supported.
      col_indices: the column of each element.
      out_int32: whether the result is int32 instead of int64.
      transpose: whether columns come before rows.

    >>> import torchlike as torch
    >>> torch._convert_indices_from_csr_to_coo(torch.tensor([0, 2, 2, 3]), torch.tensor([1, 0, 2]))
    tensor([[0, 0, 2],
            [1, 0, 2]])
    """
    if crow_indices.ndim != 1:
        raise NotImplementedError("_convert_indices_from_csr_to_coo: batches are not supported")
    _check_integers("convert_indices_from_csr_to_coo_cpu", crow_indices)
    kind = _dtypes.int32 if out_int32 else _dtypes.int64
    position = arange(len(col_indices), dtype=crow_indices.dtype, device=crow_indices.device)
    row = searchsorted(crow_indices, position, right=True, out_int32=out_int32) - 1
    both = [row, col_indices.to(kind)]
    return stack(both[::-1] if transpose else both)


def _check_integers(name: str, indices: Tensor) -> None:
    if indices.dtype.category != _dtypes.INTEGER:
        raise _errors.dtypes.not_implemented(name, indices.dtype)


FUNCTIONS = public_calls.functions(_convert_indices_from_coo_to_csr, _convert_indices_from_csr_to_coo)
METHODS: dict = {}
