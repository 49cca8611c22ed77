"""Constructors of sparse tensors.

The ranges of all indices are checked here; PyTorch checks them only on request. The order of the indices in a CSR or
CSC matrix is checked only if `check_invariants` is True.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import devices, int64, modes
from torchlike._dtypes import memory_format as mf
from torchlike._sparse import _tensor as s
from torchlike._sparse._invariants import check_sparse_tensor_invariants
from torchlike._tensor import factories, public_calls
from torchlike._tensor.argument_forms import check_options
from torchlike._tensor.tensor import Tensor

NODE = "SparseCooTensorWithDimsAndTensorsBackward0"


def from_host(array: np.ndarray, device: Any) -> Tensor:
    """Copy indices that were computed on the host to a device."""
    return factories.of_array(np.ascontiguousarray(array), device)


def _values(name: str, values: Any, dtype: Any, device: Any) -> Tensor:
    values = values if isinstance(values, Tensor) else factories.tensor(values)
    if isinstance(values, s.SparseTensor):
        raise _errors.layouts.refused(name, values.layout)
    values = values if dtype is None else values.to(dtype)
    values = values if device is None else values.to(device)
    return values.reshape((1,)) if not values.ndim else values


def _index(given: Any, dtype: Any = int64) -> Tensor:
    made = given if isinstance(given, Tensor) else factories.tensor(given, dtype=dtype)
    return made.detach().to(dtype) if dtype is not None else made.detach()


def _stored_values(values: Tensor, requires_grad: bool, node: str) -> Tensor:
    """Return the values as a leaf if `requires_grad` is True, and otherwise as the result of a gradient node `node`."""
    if requires_grad:
        return values.detach()._require_grad()
    return s.passed_on(values, node) if modes.local.grad else values.detach()


def _check_options(name: str, check_invariants: Any = None, is_coalesced: Any = None, **options: Any) -> None:
    for option, given in (("check_invariants", check_invariants), ("is_coalesced", is_coalesced)):
        if not isinstance(given, bool | None):
            raise _errors.arguments.wrong_type(name, option, None, "bool", given)
    for option in ("pin_memory", "requires_grad"):
        if options[option] is None:
            raise _errors.arguments.wrong_type(name, option, None, "bool", None)
    if options["pin_memory"] is True and not devices.jax_devices("cuda"):
        raise _errors.making.no_accelerator()
    check_options(name, **options)


def sparse_coo_tensor(
    *args: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: Any = None,
    indices: Any = None,
    values: Any = None,
) -> Any:
    """Return a COO tensor that stores only the elements `values` at `indices`.

    Elements with the same index are added. If only `size` is given, the tensor stores no elements.

    Args:
      indices: (sparse dims, elements), converted to int64.
      values: (elements, *dense dims).
      size: by default, the smallest size that contains every index.
      requires_grad: return a leaf. If False, gradients flow to `values`.
      is_coalesced: declare that the indices are sorted and unique.
      args: `indices`, `values` and `size`, or `size` alone.
      check_invariants: check the indices. Default: False, or as `torch.sparse.check_sparse_tensor_invariants` says.
      dtype: the dtype of the values. Default: that of `values`.
      device: the device. Default: that of `values`.

    Raises:
      RuntimeError: the sizes do not match, or an index is out of range.

    >>> torchlike.sparse_coo_tensor([[0, 1]], [5.0, 6.0], (3,)).to_dense()
    tensor([5., 6., 0.])
    """
    _check_options(
        "sparse_coo_tensor",
        is_coalesced=is_coalesced,
        dtype=dtype,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
        check_invariants=check_invariants,
    )
    named = {"indices": indices, "values": values, "size": size}
    given = dict(zip(("size",) if len(args) == 1 and values is None else ("indices", "values", "size"), args))
    given |= {name: a for name, a in named.items() if a is not None}
    if set(given) == {"size"}:
        size = factories.shape_of((given["size"],), "sparse_coo_tensor")
        stored = factories.empty((0,), dtype=dtype, device=device)
        none = from_host(np.zeros((len(size), 0), np.int64), stored.device)
        return s.make(mf.sparse_coo, (none,), _stored_values(stored, requires_grad, NODE), size, True)
    if "values" not in given or "indices" not in given or len(args) > 3:
        raise _errors.arguments.invalid_combination("sparse_coo_tensor", args, {})
    index = _index(given["indices"])
    stored = _values("sparse_coo_tensor", given["values"], dtype, device)
    positions = index._host()
    if positions.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(positions.shape)}")
    size = _least_size(positions, stored) if given.get("size") is None else tuple(given["size"])
    _errors.layouts.check_coo(size, positions, tuple(stored.shape))
    if is_coalesced:
        _errors.layouts.check_order(np.diff(s.flat(positions, size)))
    index = index.to(stored.device)
    return s.make(mf.sparse_coo, (index,), _stored_values(stored, requires_grad, NODE), size, bool(is_coalesced))


def _least_size(positions: np.ndarray, values: Tensor) -> tuple[int, ...]:
    if positions.shape[1] and positions.min() < 0:
        dim, at = np.argwhere(positions < 0)[0]
        raise _errors.layouts.negative_index(int(positions[dim, at]), int(dim))
    sizes = positions.max(1) + 1 if positions.shape[1] else np.zeros(len(positions), np.int64)
    return (*map(int, sizes), *values.shape[1:])


def _compressed(
    name: str,
    layout: mf.layout,
    compressed: Any,
    plain: Any,
    values: Any,
    size: Any,
    dtype: Any,
    device: Any,
    pin_memory: Any,
    requires_grad: bool,
    check: Any,
) -> Any:
    _check_options(
        name, dtype=dtype, device=device, pin_memory=pin_memory, requires_grad=requires_grad, check_invariants=check
    )
    if size is not None and not public_calls.fits("tuple[int, ...]", size):
        raise _errors.arguments.wrong_type(name, "size", 4, "tuple of ints", size)
    check = check_sparse_tensor_invariants.is_enabled() if check is None else check
    ends, others = _index(compressed, None), _index(plain, None)
    stored = _values(name, values, dtype, device)
    if size is None:
        inner = int(others._host().max()) + 1 if others.numel() else 0
        sizes = (len(ends) - 1, inner) if layout is mf.sparse_csr else (inner, len(ends) - 1)
        size = (*sizes, *stored.shape[1:])
    _errors.layouts.check_compressed(layout, tuple(size), ends, others, tuple(stored.shape), check)
    stored = _stored_values(stored, requires_grad, "SparseCompressedTensorBackward0")
    return s.make(layout, (ends.to(stored.device), others.to(stored.device)), stored, tuple(size), True)


def sparse_csr_tensor(
    crow_indices: Any,
    col_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a matrix in the compressed sparse row (CSR) layout.

    With `k` from `crow_indices[i]` up to `crow_indices[i + 1]`, row `i` has `values[k]` in column `col_indices[k]`.

    Args:
      crow_indices: the position in `values` at which each row begins, and the end.
      col_indices: the columns of the values.
      values: the elements.
      size: the shape. Default: the smallest that fits.
      check_invariants: check the indices. Default: False, or as `torch.sparse.check_sparse_tensor_invariants` says.
      dtype: the dtype of the values. Default: that of `values`.
      device: the device. Default: that of `values`.

    >>> torchlike.sparse_csr_tensor([0, 1, 2], [1, 0], [5.0, 6.0]).to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    return _compressed(
        "sparse_csr_tensor",
        mf.sparse_csr,
        crow_indices,
        col_indices,
        values,
        size,
        dtype,
        device,
        pin_memory,
        requires_grad,
        check_invariants,
    )


def sparse_csc_tensor(
    ccol_indices: Any,
    row_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> Any:
    """Return a matrix in the compressed sparse column (CSC) layout. See `sparse_csr_tensor`.

    Args:
      ccol_indices: the position in `values` at which each column begins, and the end.
      row_indices: the rows of the values.
      values: the elements.
      size: the shape. Default: the smallest that fits.
      check_invariants: check the indices. Default: False, or as `torch.sparse.check_sparse_tensor_invariants` says.
      dtype: the dtype of the values. Default: that of `values`.
      device: the device. Default: that of `values`.
    """
    return _compressed(
        "sparse_csc_tensor",
        mf.sparse_csc,
        ccol_indices,
        row_indices,
        values,
        size,
        dtype,
        device,
        pin_memory,
        requires_grad,
        check_invariants,
    )


def sparse_compressed_tensor(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any = None, *, layout: Any = None, **options: Any
) -> Any:
    """Return a matrix of layout CSR or CSC.

    Args:
      compressed_indices: the positions in `values` at which the rows (CSR) or columns (CSC) begin, and the end.
      plain_indices: the columns (CSR) or rows (CSC) of the values.
      values: the elements.
      size: the shape. Default: the smallest that fits.
      layout: `torch.sparse_csr` or `torch.sparse_csc`.
      options: `dtype`, `device`, `pin_memory`, `requires_grad` and `check_invariants`.
    """
    if layout is None:
        raise RuntimeError("sparse_compressed_tensor expected sparse compressed tensor layout but got none")
    if layout not in (mf.sparse_csr, mf.sparse_csc):
        raise _errors.arguments.unsupported("sparse_compressed_tensor", "layout")
    made = sparse_csr_tensor if layout is mf.sparse_csr else sparse_csc_tensor
    return made(compressed_indices, plain_indices, values, size, **options)
