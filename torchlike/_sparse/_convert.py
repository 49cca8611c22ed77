"""Conversions between layouts. Indices are computed on the host, and values by recorded operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import memory_format as mf
from torchlike._sparse import _tensor as s
from torchlike._sparse._make import from_host
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

LAYOUTS = (mf.sparse_coo, mf.sparse_csr, mf.sparse_csc)


def added(count: int, where: np.ndarray | Tensor, values: Tensor) -> Tensor:
    """Return a tensor of shape (count, ...): zeros to which each of `values` is added at its index in `where`."""
    zeros = factories.zeros((count, *values.shape[1:]), dtype=values.dtype, device=values.device)
    return zeros.index_add(0, from_host(where, values.device) if isinstance(where, np.ndarray) else where, values)


def lines_of(t: Any) -> Tensor:
    """Return the row index of each element, with shape (elements,).

    The rows are those of the dense tensor after its sparse dims are flattened into one.
    """
    if t.layout is mf.sparse_coo and s.sparse_dim(t) == 1:
        return t._indices_[0][0]  # works without concrete indices
    return from_host(s.flat(s.places(t), tuple(t.shape[: s.sparse_dim(t)])), t.device)


def picked(values: Tensor, where: np.ndarray) -> Tensor:
    """Return values[where], along the first dim."""
    return rows["index_select"](values, 0, from_host(where, values.device))


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """Return the tensor with a strided layout. A strided tensor is only cast to `dtype`, if given.

    Args:
      dtype: the dtype of the result. Default: that of this tensor.
      masked_grad: True, the default, gives a gradient for the stored elements only.

    >>> torchlike.tensor([0.0, 5.0]).to_sparse().to_dense()
    tensor([0., 5.])
    """
    if dtype is not None and isinstance(self, s.SparseTensor):
        raise _errors.layouts.no_dtype()
    if not isinstance(self, s.SparseTensor):
        return self if dtype is None else self.to(dtype)
    if masked_grad is False:
        raise _errors.arguments.unsupported("to_dense", "masked_grad")
    sizes = tuple(self.shape[: s.sparse_dim(self)])
    return added(int(np.prod(sizes)), lines_of(self), self._values_).reshape(self.shape)


def coalesce(self: Any) -> Any:
    """Return the tensor with sorted, unique indices. Elements with equal indices are summed.

    >>> sparse = torchlike.sparse_coo_tensor([[1, 1]], [2.0, 3.0], (2,))
    >>> sparse.coalesce().values()
    tensor([5.])
    """
    coo(self, "coalesce")
    if self._coalesced or s.nnz(self) < 2:
        return self if self._coalesced else s.like(self, s.passed_on(self._values_, "CoalesceBackward0"), True)
    sizes = tuple(self.shape[: s.sparse_dim(self)])
    kept, at = np.unique(s.flat(s.places(self), sizes), return_inverse=True)
    return of_places(self, kept, s.passed_on(added(len(kept), at, self._values_), "CoalesceBackward0"))


def of_places(t: Any, kept: np.ndarray, values: Tensor, sizes: tuple[int, ...] | None = None) -> Any:
    """Return a coalesced COO tensor with `values` at the row-major flat indices `kept`."""
    sizes = tuple(t.shape[: s.sparse_dim(t)]) if sizes is None else sizes
    where = np.stack(np.unravel_index(kept, sizes)) if sizes else np.zeros((0, len(kept)), np.int64)
    indices = from_host(where.astype(np.int64), values.device)
    return s.make(mf.sparse_coo, (indices,), values, (*sizes, *values.shape[1:]), True)


def coo(t: Any, name: str) -> None:
    """Raise if the layout of `t` is not COO."""
    if t.layout is not mf.sparse_coo:
        raise _errors.layouts.expected(name, "coordinate tensor", t.layout)


def to_sparse(
    self: Tensor,
    sparse_dim: int | None = None,
    *,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:
    """Return the tensor in a sparse layout, COO by default.

    For a strided tensor, the nonzero elements are kept. A sparse tensor is converted to the layout.

    Args:
      sparse_dim: the number of sparse dims; the other dims are dense. Default: all dims are sparse.
      layout: the layout, such as `torch.sparse_csr`.
      blocksize: not supported; it must be None.
      dense_dim: not supported; it must be None.

    >>> torchlike.tensor([0, 5, 0, 6]).to_sparse().indices()
    tensor([[1, 3]])
    """
    if blocksize is not None or dense_dim is not None:
        raise _errors.arguments.unsupported("to_sparse", "blocksize" if blocksize is not None else "dense_dim")
    if layout is mf.sparse_csr or layout is mf.sparse_csc:
        return (to_sparse_csr if layout is mf.sparse_csr else to_sparse_csc)(self)
    if layout not in (None, mf.sparse_coo):
        raise _errors.arguments.unsupported("to_sparse", "layout")
    if not isinstance(self, s.SparseTensor):
        return _of_dense(self, self.ndim if sparse_dim is None else sparse_dim)
    if sparse_dim not in (None, s.sparse_dim(self)):
        raise _errors.arguments.unsupported("to_sparse", "sparse_dim")
    if self.layout is mf.sparse_coo:
        return self
    where = s.places(self)
    ordered = bool((np.diff(s.flat(where, tuple(self.shape[:2]))) > 0).all())
    values = s.passed_on(self._values_, "ToSparseBackward0")
    made = s.make(mf.sparse_coo, (from_host(where, self.device),), values, self.shape, ordered)
    return made


def _of_dense(t: Tensor, sparse_dim: int) -> Any:
    if not 0 <= sparse_dim <= t.ndim or (sparse_dim == 0 and t.ndim):
        raise _errors.layouts.sparse_dim(t.ndim, sparse_dim)
    sizes, dense = tuple(t.shape[:sparse_dim]), tuple(t.shape[sparse_dim:])
    lines = t.reshape((int(np.prod(sizes)), *dense))
    filled = (lines._host() != 0).reshape(len(lines), -1).any(1)
    kept = np.flatnonzero(filled)
    return of_places(t, kept, s.passed_on(picked(lines, kept), "ToSparseBackward1"), sizes)


def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Any:
    """Return the same matrix in the compressed sparse row layout.

    Args:
      dense_dim: the number of dense dims. Only 0 is supported.
    """
    return _compressed(self, mf.sparse_csr, "to_sparse_csr", dense_dim)


def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Any:
    """Return the same matrix in the compressed sparse column layout.

    Args:
      dense_dim: the number of dense dims. Only 0 is supported.
    """
    return _compressed(self, mf.sparse_csc, "to_sparse_csc", dense_dim)


def _compressed(t: Any, layout: mf.layout, name: str, dense_dim: int | None) -> Any:
    if dense_dim:
        raise _errors.arguments.unsupported(name, "dense_dim")
    if t.ndim != 2:
        raise _errors.layouts.refused(f"{name} of a tensor with {t.ndim} dims", layout)
    if t.layout is layout:
        return t
    t = coalesce(to_sparse(t))
    row, column = s.places(t)
    values, (outer, inner) = t._values_, (row, column)
    if layout is mf.sparse_csc:
        order = np.lexsort((row, column))
        values, outer, inner = picked(values, order), column[order], row[order]
    count = t.shape[0 if layout is mf.sparse_csr else 1]
    ends = np.concatenate([[0], np.cumsum(np.bincount(outer, minlength=count))]).astype(np.int64)
    node = "ToSparseCsrBackward0" if layout is mf.sparse_csr else "ToSparseCscBackward0"
    indices = from_host(ends, t.device), from_host(inner, t.device)
    return s.make(layout, indices, s.passed_on(values, node), t.shape, True)
