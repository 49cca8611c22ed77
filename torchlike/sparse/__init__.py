"""`torch.sparse`: functions for sparse tensors."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._api.homes import settle as _settle
from torchlike._dtypes import memory_format as mf
from torchlike._sparse import _rules
from torchlike._sparse._invariants import check_sparse_tensor_invariants as check_sparse_tensor_invariants
from torchlike._sparse._legacy_types import TYPES
from torchlike._tensor.tensor import Tensor
from torchlike.sparse.semi_structured import SparseSemiStructuredTensor as SparseSemiStructuredTensor
from torchlike.sparse.semi_structured import (
    SparseSemiStructuredTensorCUSPARSELT as SparseSemiStructuredTensorCUSPARSELT,
)
from torchlike.sparse.semi_structured import SparseSemiStructuredTensorCUTLASS as SparseSemiStructuredTensorCUTLASS
from torchlike.sparse.semi_structured import to_sparse_semi_structured as to_sparse_semi_structured


def mm(mat1: Tensor, mat2: Tensor, reduce: str = "sum") -> Tensor:
    """Return the matrix product of `mat1` and `mat2`, at least one of which is sparse.

    Args:
      mat1: the first matrix.
      mat2: the second matrix.
      reduce: must be "sum".
    """
    if reduce != "sum":
        raise _errors.arguments.unsupported("sparse.mm", "reduce")
    return mat1.mm(mat2)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """Return `beta * mat + alpha * (mat1 @ mat2)`, where `mat1` is sparse.

    Args:
      mat: the matrix to add.
      mat1: a sparse matrix.
      mat2: a dense matrix.
      beta: the multiplier of `mat`.
      alpha: the multiplier of `mat1 @ mat2`.
    """
    return _rules.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """Return the sum of a sparse tensor over the given dims, or over all dims.

    The result is sparse if at least one sparse dim remains, and dense otherwise.

    Args:
      input: a sparse tensor.
      dim: a dim or a sequence of dims. Default: all dims.
      dtype: the dtype of the result.
    """
    if input.layout is mf.strided:
        raise _errors.layouts.not_for("_indices", input.layout)
    return _rules.sum(input, dim, dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the softmax of a sparse COO tensor along a dim. Unspecified elements count as -inf.

    Args:
      input: a sparse COO tensor.
      dim: the dim along which the softmax is computed.
      dtype: the dtype of the result.
    """
    if input.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_sparse_softmax", input.layout)
    return _rules.softmax(input, dim, dtype, False)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the logarithm of the softmax of a sparse COO tensor along a dim; see `softmax`.

    Args:
      input: a sparse COO tensor.
      dim: the dim along which the softmax is computed.
      dtype: the dtype of the result.
    """
    if input.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_sparse_log_softmax", input.layout)
    return _rules.softmax(input, dim, dtype, True)


BFloat16Tensor = TYPES["BFloat16Tensor"]
ByteTensor = TYPES["ByteTensor"]
CharTensor = TYPES["CharTensor"]
DoubleTensor = TYPES["DoubleTensor"]
FloatTensor = TYPES["FloatTensor"]
HalfTensor = TYPES["HalfTensor"]
IntTensor = TYPES["IntTensor"]
LongTensor = TYPES["LongTensor"]
ShortTensor = TYPES["ShortTensor"]

_settle(__name__, globals())
