"""PyTorch's error messages about tensor layouts, and about operators that do not support sparse tensors."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name
from torchlike._errors.shown import shown_as

_INTERNAL = {"strided": "Strided", "sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}


@shown_as(NotImplementedError)  # users see the error if no rule applies
class Elsewhere(NotImplementedError):
    """The error of an operator whose kernel does not support a tensor's layout. Another rule may handle the call."""


def refused(name: str, layout: Any) -> Elsewhere:
    return Elsewhere(f"{name}: not supported for tensors of layout {layout} by torchlike yet")


def expected(name: str, wanted: str, got: Any) -> RuntimeError:
    return RuntimeError(f"{name} expected sparse {wanted} layout but got {_INTERNAL[got.name]}")


def not_for(name: str, got: Any) -> NotImplementedError:
    backend = {"strided": "CPU", "sparse_coo": "SparseCPU"}.get(got.name, f"{_INTERNAL[got.name]}CPU")
    return NotImplementedError(f"Could not run 'aten::{name}' with arguments from the '{backend}' backend.")


def uncoalesced(name: str) -> RuntimeError:
    return RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")


def no_strides(layout: Any, asked: str) -> RuntimeError:
    return RuntimeError(f"Sparse {layout.name[7:].upper()} tensors do not have {asked}")


def no_array(layout: Any) -> TypeError:
    return TypeError(f"can't convert {_INTERNAL[layout.name]} layout tensor to numpy. Use Tensor.to_dense() first.")


# -- construction ------------------------------------------------------------------------------------------------------


def check_coo(shape: tuple, indices: Any, values_shape: tuple) -> None:
    """Check the parts of a COO tensor. `indices` is an array of shape (sparse dims, elements).

    Indices are always checked for their range. PyTorch checks them only on request.
    """
    sparse_dim, nnz = indices.shape
    dense_dim = len(values_shape) - 1
    if len(shape) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, "
            f"sparse_dim = {sparse_dim}, dense_dim = {dense_dim}"
        )
    if nnz != values_shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {nnz}, nnz from values: "
            f"{values_shape[0]}"
        )
    due = [nnz, *shape[sparse_dim:]]
    if list(values_shape) != due:
        raise RuntimeError(f"values has incorrect size, expected {due}, got {list(values_shape)}")
    for d in range(sparse_dim if nnz else 0):
        low, high = int(indices[d].min()), int(indices[d].max())
        if low < 0:
            raise negative_index(low, d)
        if high >= shape[d]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {shape[d]} but found index {high}"
            )


def negative_index(index: int, dim: int) -> RuntimeError:
    return RuntimeError(f"found negative index {index} for dim {dim}")


def add_to_sparse() -> RuntimeError:
    return RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")


def add_dense_sizes(a: tuple, b: tuple) -> RuntimeError:
    return RuntimeError(
        f"add: expected 'self' and 'other' to have same size, but self has size {list(a)} while other has size "
        f"{list(b)} (FYI: dense-sparse addition does not currently support broadcasting)"
    )


def divisor(shape: tuple) -> RuntimeError:
    return RuntimeError(
        f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {list(shape)} for divisor)"
    )


def check_order(steps: Any) -> None:
    if (steps <= 0).any():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


def check_compressed(layout: Any, size: tuple, ends: Any, plain: Any, values_shape: tuple, sorted: bool) -> None:
    """Check the members of a CSR or CSC matrix.

    The order of the indices within a row (CSR) or column (CSC) is checked only if `sorted` is True. PyTorch also checks
    the order only on request, and no operator here depends on it.
    """
    by_rows = layout.name == "sparse_csr"
    outer, inner, lines, count = ("crow", "col", "rows", "ncols") if by_rows else ("ccol", "row", "columns", "nrows")
    if ends.dtype is not plain.dtype or ends.dtype.name not in ("int32", "int64"):
        raise RuntimeError(
            f"{outer}_indices and {inner}_indices must have the same dtype, bot got "
            f"{scalar_name(ends.dtype)} and {scalar_name(plain.dtype)}, respectively"
        )
    if ends.ndim != plain.ndim:
        raise RuntimeError(
            f"{outer}_indices and {inner}_indices dimensionalities must be equal but got {ends.ndim} and "
            f"{plain.ndim}, respectively"
        )
    if ends.ndim > 1:
        raise NotImplementedError(f"{layout.name}: batches of matrices are not supported (got {ends.ndim}-D indices)")
    if len(size) != 1 + len(values_shape):
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + "
            f"{len(values_shape) - 1}) but got {len(size)}"
        )
    n, m = (size[0], size[1]) if by_rows else (size[1], size[0])
    if len(ends) != n + 1:
        raise RuntimeError(
            f"{outer}_indices.shape[-1] must be equal to the number of {lines} + 1 (={n + 1}), but got {len(ends)}"
        )
    if len(plain) != values_shape[0]:
        raise RuntimeError(
            f"{inner}_indices.shape[-1] must be equal to nnz (={values_shape[0]}) as defined by "
            f"values.shape[0], but got {len(plain)}"
        )
    _check_lines(f"{outer}_indices", f"{inner}_indices", count, ends._host(), plain._host(), m, sorted)


def _check_lines(outer: str, inner: str, count: str, ends: Any, plain: Any, m: int, sorted: bool) -> None:
    steps = ends[1:] - ends[:-1]
    if ends[0] != 0:
        raise RuntimeError(f"`{outer}[..., 0] == 0` is not satisfied.")
    if ends[-1] != len(plain):
        raise RuntimeError(f"`{outer}[..., -1] == nnz` is not satisfied.")
    if len(steps) and not (0 <= steps.min() and steps.max() <= m):
        raise RuntimeError(f"`0 <= {outer}[..., 1:] - {outer}[..., :-1] <= {count}` is not satisfied.")
    if len(plain) and not (0 <= plain.min() and plain.max() < m):
        raise RuntimeError(f"`0 <= {inner} < {count}` is not satisfied.")
    if not sorted:
        return
    rises = plain[1:] > plain[:-1]
    rises[ends[1:-1][(ends[1:-1] > 0) & (ends[1:-1] < len(plain))] - 1] = True  # a new row or column begins
    if not rises.all():
        lines = "nrows" if outer[1] == "r" else "ncols"
        raise RuntimeError(
            f"`{inner}[..., {outer}[..., i - 1]:{outer}[..., i]] for all i = 1, ..., {lines} are sorted "
            "and distinct along the last dimension values` is not satisfied."
        )


def no_dtype() -> RuntimeError:
    return RuntimeError("dtype argument is not supported by sparse_to_dense")


def sparse_dim(ndim: int, given: int) -> RuntimeError:
    return RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {given} is given")


def inner_sizes(a: tuple, b: tuple) -> RuntimeError:
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})")


def addmm_size(due: int, got: int) -> RuntimeError:
    return RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {due}, got {got}")


def mv_size(a: tuple, n: int, layout: Any) -> RuntimeError:
    if layout.name != "sparse_coo":
        return RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({n})")
    return RuntimeError("mv: expected self.size(-1) == vec.size(-1)")


def mask_sizes(a: tuple, mask: tuple) -> RuntimeError:
    return RuntimeError(
        f"sparse_mask(): operands have incompatible sizes; self has size {list(a)} but mask has size {list(mask)}"
    )


def too_many_dims(sparse_dim: int, dense_dim: int) -> RuntimeError:
    return RuntimeError(
        "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got "
        f"{sparse_dim} sparse and {dense_dim} dense dimensions"
    )


def norm_of_all(what: str) -> RuntimeError:
    return RuntimeError(f"norm_sparse currently {what}")


def repeated_dim(dims: Any) -> RuntimeError:
    again = next(d for i, d in enumerate(dims) if d in dims[:i])
    return RuntimeError(f"dim {again} appears multiple times in the list of dims")


def only_sizes(what: str) -> str:
    return (
        f"{what}(sequence) only accepts sizes.  Please use torch.sparse_coo_tensor() or construct a "
        "strided tensor and convert it to sparse via to_sparse."
    )


OLD_EMPTY_CONSTRUCTOR = "torch.sparse.SparseTensor() is deprecated.  Please use torch.sparse_coo_tensor((0,), dtype=)."


def old_constructor(given: str) -> str:
    """Return the warning of a legacy constructor of sparse tensors, which was called with these arguments."""
    return (
        f"torch.sparse.SparseTensor({given}, *, device=) is deprecated.  "
        f"Please use torch.sparse_coo_tensor({given}, dtype=, device=)."
    )
