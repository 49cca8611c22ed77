"""`torch.sparse`: functions of sparse tensors."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import memory_format as mf
from torchlike._sparse import _rules
from torchlike._tensor.tensor import Tensor


def mm(mat1: Tensor, mat2: Tensor, reduce: str = "sum") -> Tensor:
    """The product of two matrices, at least one of them sparse."""
    if reduce != "sum":
        raise _errors.arguments.unsupported("sparse.mm", "reduce")
    return mat1.mm(mat2)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2), with a sparse `mat1`."""
    return _rules.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of all elements, or over some dims: a sparse tensor while an indexed dim is left."""
    if input.layout is mf.strided:
        raise _errors.layouts.not_for("_indices", input.layout)
    return _rules.sum(input, dim, dtype=dtype)


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Softmax over the elements that are kept: those that are not count as -inf."""
    if input.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_sparse_softmax", input.layout)
    return _rules.softmax(input, dim, dtype, False)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    if input.layout is not mf.sparse_coo:
        raise _errors.layouts.not_for("_sparse_log_softmax", input.layout)
    return _rules.softmax(input, dim, dtype, True)


def FloatTensor(indices: Any, values: Any, size: Any = None) -> Tensor:
    """A sparse tensor in float32."""
    import torchlike

    return torchlike.sparse_coo_tensor(indices, values, size, dtype=torchlike.float32)
