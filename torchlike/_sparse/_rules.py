"""Sparse implementations of operators, each expressed by operators on the indices and values.

A rule is registered with its operator. An operator without a rule raises for sparse operands. Any operand may be the
sparse one, so a rule also receives dense operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import memory_format as mf
from torchlike._ops import REGISTRY, Op
from torchlike._ops.schema.binding import bind
from torchlike._sparse import _tensor as s
from torchlike._sparse._convert import (
    added,
    coalesce,
    coo,
    lines_of,
    of_places,
    picked,
    to_sparse,
    to_sparse_csr,
)
from torchlike._sparse._make import from_host
from torchlike._sparse._tensor import SparseTensor
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.dispatch import describe
from torchlike._tensor.tensor import Tensor


def rule(*names: str) -> Callable:
    """Return a decorator that registers a function as the sparse rule of the named operators."""

    def decorate(function: Callable) -> Callable:
        for name in names:
            REGISTRY[name].sparse = function
        return function

    return decorate


def elsewhere(op: Op, args: tuple, kwargs: dict) -> Any:
    """Return the result of an operator that has a sparse operand."""
    if op.sparse is None:
        layouts = [a.layout for a in _operands((*args, *kwargs.values())) if isinstance(a, SparseTensor)]
        raise _errors.layouts.refused(s.asked(op.name.strip("_")), layouts[0])
    try:
        return op.sparse(*args, **kwargs)
    except (AttributeError, TypeError):
        bind(op, tuple(map(_dense, args)), {name: _dense(a) for name, a in kwargs.items()}, describe)
        raise


def _dense(x: Any) -> Any:
    """Return a dense meta tensor like a sparse tensor, or the argument itself if it is not sparse."""
    return factories.empty(x.shape, dtype=x.dtype, device="meta") if is_sparse(x) else x


def _operands(given: tuple) -> list:
    return [x for a in given for x in (a if isinstance(a, list | tuple) else (a,))]


def is_sparse(x: Any) -> bool:
    """Return whether `x` is a tensor of a sparse layout."""
    return isinstance(x, SparseTensor)


# -- element-wise ------------------------------------------------------------------------------------------------------

# Functions f with f(0) = 0.
KEEPS_ZERO = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor isinf isnan isneginf isposinf log1p "
    "nan_to_num rad2deg relu round sgn sign signbit sin sinh sqrt square tan tanh trunc"
)


def _of_values(name: str) -> Callable:
    def apply(input: Any, *args: Any, **kwargs: Any) -> Any:
        kept = coalesce(input) if input.layout is mf.sparse_coo else input
        return s.like(kept, getattr(kept._values_, name)(*args, **kwargs))

    return apply


for _name in KEEPS_ZERO.split():
    rule(_name)(_of_values(_name))


@rule("neg")
def neg(input: Any) -> Any:
    """Negate each element. Negation is linear, so duplicate indices need not be summed first."""
    return s.like(input, -input._values_)


@rule("pow")
def pow(input: Any, exponent: Any) -> Any:
    """Raise each element to a positive number. A positive exponent maps zero to zero."""
    if isinstance(exponent, Tensor | complex) or exponent <= 0:
        raise _errors.layouts.refused("pow with this exponent", mf.sparse_coo)
    return _of_values("pow")(input, exponent)


@rule("mul")
def mul(input: Any, other: Any) -> Any:
    """Multiply by a number, a dense tensor, or a sparse tensor of the same layout."""
    if not is_sparse(input):
        input, other = other, input
    if is_sparse(other):
        return _mul_sparse(input, other)
    if isinstance(other, Tensor) and other.ndim:
        if s.sparse_dim(input) != input.ndim or not _fits(other.shape, input.shape):
            raise _errors.layouts.refused("mul by a tensor of this shape", input.layout)
        sizes = tuple(input.shape)
        lines = other.expand(sizes).reshape(-1)
        return s.like(input, input._values_ * picked(lines, s.flat(s.places(input), sizes)))
    return s.like(input, input._values_ * _stored(other, input.dtype))


def _stored(number: Any, dtype: _dtypes.dtype) -> Any:
    """Return the factor that PyTorch multiplies a sparse tensor by.

    In half precision, PyTorch rounds the number to the dtype first.
    """
    is_half = dtype in (_dtypes.float16, _dtypes.bfloat16) and isinstance(number, int | float)
    return float(np.float32(number).astype(dtype.numpy)) if is_half else number


def _fits(shape: tuple, into: tuple) -> bool:
    """Return whether `shape` broadcasts to `into`."""
    lead = len(into) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, into[lead:]))


def _mul_sparse(a: Any, b: Any) -> Any:
    if a.layout is not b.layout:
        raise _errors.layouts.refused("mul of different layouts", b.layout)
    if a.shape != b.shape or s.sparse_dim(a) != s.sparse_dim(b):
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number "
            "of sparse dimensions, and shape of sparse dimensions"
        )
    back = a.layout
    a, b = coalesce(to_sparse(a)), coalesce(to_sparse(b))
    sizes = tuple(a.shape[: s.sparse_dim(a)])
    both, at_a, at_b = np.intersect1d(s.flat(s.places(a), sizes), s.flat(s.places(b), sizes), True, True)
    made = of_places(a, both, picked(a._values_, at_a) * picked(b._values_, at_b))
    return made if back is mf.sparse_coo else to_sparse(made, layout=back)


@rule("true_divide", "div")
def div(input: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    """Divide by a number or a zero-dimensional tensor."""
    if rounding_mode is not None:
        raise _errors.arguments.unsupported("div of a sparse tensor", "rounding_mode")
    if not is_sparse(input):
        raise _errors.layouts.refused("div by a sparse tensor", other.layout)
    if isinstance(other, Tensor) and other.ndim:
        raise _errors.layouts.divisor(other.shape)
    return s.like(input, input._values_ / other)


@rule("add")
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Add two sparse tensors of the same layout, or add a sparse tensor to a dense one."""
    if is_sparse(input) and not is_sparse(other):
        raise _errors.layouts.add_to_sparse()
    if not is_sparse(input):
        if not isinstance(input, Tensor) or input.shape != other.shape:
            raise _errors.layouts.add_dense_sizes(tuple(getattr(input, "shape", ())), other.shape)
        return _onto_dense(input, other, alpha)
    if input.shape != other.shape or s.sparse_dim(input) != s.sparse_dim(other):
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(input.shape)} != {list(other.shape)}"
        )
    if input.layout is not other.layout:
        raise _errors.layouts.refused("add of different layouts", other.layout)
    return _added(input, other if alpha == 1 else mul(other, alpha))


def _onto_dense(dense: Tensor, other: Any, alpha: Any) -> Tensor:
    """Add the elements of a sparse tensor to a dense tensor, one after another."""
    dtype = _dtypes.promote_types(dense.dtype, other.dtype)
    lines = dense.to(dtype).reshape((-1, *other._values_.shape[1:]))
    values = other._values_.to(dtype)
    if dtype in (_dtypes.float16, _dtypes.bfloat16):
        values, alpha = values * _stored(alpha, dtype), 1
    return lines.index_add(0, lines_of(other), values, alpha=alpha).reshape(dense.shape)


def _added(a: Any, b: Any) -> Any:
    back, sizes = a.layout, tuple(a.shape[: s.sparse_dim(a)])
    first, second = s.flat(s.places(a), sizes), s.flat(s.places(b), sizes)
    dtype = _dtypes.promote_types(a.dtype, b.dtype)
    if dtype is _dtypes.float16 and back is mf.sparse_coo and len(first) and len(second):
        raise _errors.dtypes.not_implemented("cadd_sparse", dtype)
    if len(first) == len(second) and (first == second).all():
        return s.like(a, a._values_ + b._values_, a._coalesced and b._coalesced)
    values = rows["cat"]([a._values_.to(dtype), b._values_.to(dtype)])
    ordered = a._coalesced and b._coalesced
    merge = np.unique(np.concatenate([first, second]), return_inverse=True) if ordered else _merged(first, second)
    kept, at = merge
    made = of_places(a, kept, added(len(kept), at, values), sizes)
    made._coalesced = ordered
    return made if back is mf.sparse_coo else to_sparse(made, layout=back)


def _merged(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge two lists of indices as if both were sorted.

    PyTorch merges unsorted lists the same way. Return the merged indices, and the position in them of each given index.
    """
    kept: list[int] = []
    at: tuple[list[int], list[int]] = ([], [])
    lists = first.tolist(), second.tolist()
    while len(at[0]) < len(first) or len(at[1]) < len(second):
        heads = [lists[k][len(at[k])] if len(at[k]) < len(lists[k]) else None for k in (0, 1)]
        least = min(h for h in heads if h is not None)
        for k in (0, 1):
            if heads[k] == least:
                at[k].append(len(kept))
        kept.append(least)
    return np.array(kept, np.int64), np.array([*at[0], *at[1]], np.int64)


@rule("sub")
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Subtract `other`, scaled by `alpha`."""
    if is_sparse(input) and not is_sparse(other):
        raise _errors.layouts.add_to_sparse()
    return add(input, mul(other, -alpha))


@rule("rsub")
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return other - alpha * input."""
    return sub(other, input, alpha=alpha)


# -- products ----------------------------------------------------------------------------------------------------------


def _check_product(a: Any, b: Any) -> None:
    if a.ndim != 2 or b.ndim != 2:
        raise _errors.layouts.refused(f"mm of {a.ndim} and {b.ndim} dims", (a if is_sparse(a) else b).layout)
    if any(is_sparse(x) and s.sparse_dim(x) != 2 for x in (a, b)):
        raise _errors.layouts.refused("mm with dense dims", mf.sparse_coo)
    if a.shape[1] != b.shape[0]:
        mixed = is_sparse(a) != is_sparse(b) and mf.sparse_coo in (a.layout, b.layout)
        due = (a.shape[1], b.shape[0]) if is_sparse(a) else (b.shape[0], a.shape[1])
        raise _errors.layouts.addmm_size(*due) if mixed else _errors.layouts.inner_sizes(a.shape, b.shape)
    if a.dtype is not b.dtype:
        one, two = (b, a) if mf.sparse_csr in (a.layout, b.layout) else (a, b)
        raise _errors.dtypes.expected_scalar_type(one.dtype, two.dtype)


@rule("mm")
def mm(input: Any, mat2: Any) -> Any:
    """Return a matrix product. The result is dense if one of the matrices is."""
    _check_product(input, mat2)
    if not is_sparse(input):
        return mm(transpose(mat2, 0, 1), input.t()).t()
    if is_sparse(mat2):
        return _mm_sparse(input, mat2)
    row, column = s.places(input)
    return added(input.shape[0], row, input._values_[:, None] * picked(mat2, column))


def _mm_sparse(a: Any, b: Any) -> Any:
    """Multiply two sparse matrices: combine each element of `a` with the row of `b` that its column index selects."""
    if (a.layout is mf.sparse_coo) != (b.layout is mf.sparse_coo):
        raise _errors.layouts.refused("mm of different layouts", b.layout)
    back = mf.sparse_coo if a.layout is mf.sparse_coo else mf.sparse_csr
    a, b = coalesce(to_sparse(a)), to_sparse_csr(b)
    row, column = s.places(a)
    ends, others = (i._host().astype(np.int64) for i in b._indices_)
    counts = np.diff(ends)[column]
    mine = np.repeat(np.arange(len(row)), counts)
    theirs = np.arange(len(mine)) + np.repeat(ends[column] - (np.cumsum(counts) - counts), counts)
    kept, at = np.unique(row[mine] * b.shape[1] + others[theirs], return_inverse=True)
    values = added(len(kept), at, picked(a._values_, mine) * picked(b._values_, theirs))
    made = of_places(a, kept, values, (a.shape[0], b.shape[1]))
    return made if back is mf.sparse_coo else to_sparse_csr(made)


@rule("mv")
def mv(input: Any, vec: Any) -> Any:
    """Return the product of a matrix and a vector."""
    if not is_sparse(input) or is_sparse(vec) or vec.ndim != 1 or input.ndim != 2:
        raise _errors.layouts.refused("mv of these operands", (input if is_sparse(input) else vec).layout)
    if input.shape[1] != vec.shape[0]:
        raise _errors.layouts.mv_size(input.shape, vec.shape[0], input.layout)
    return mm(input, vec[:, None])[:, 0]


@rule("matmul")
def matmul(input: Any, other: Any) -> Any:
    """Call `mm` or `mv`, depending on the number of dims."""
    if input.ndim == 2 and other.ndim == 1:
        return mv(input, other)
    if input.ndim == 1 and other.ndim == 2:
        return mv(transpose(other, 0, 1), input)
    if input.ndim != 2 or other.ndim != 2:
        raise _errors.layouts.refused("matmul of these dims", (input if is_sparse(input) else other).layout)
    return mm(input, other)


@rule("addmm")
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (mat1 @ mat2) for a sparse `mat1` and dense `input` and `mat2`."""
    if is_sparse(input) or is_sparse(mat2) or not is_sparse(mat1):
        raise _errors.layouts.refused("addmm of these operands", next(filter(is_sparse, (input, mat1, mat2))).layout)
    product = mm(mat1, mat2)
    return beta * input.expand(product.shape) + alpha * product


@rule("linear")
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return a sparse matrix times the transpose of a dense weight, plus the bias if it is given."""
    if is_sparse(weight) or is_sparse(bias):
        raise _errors.layouts.refused("linear with a sparse weight", (weight if is_sparse(weight) else bias).layout)
    product = mm(input, weight.t())
    return product if bias is None else product + bias


# -- shape -------------------------------------------------------------------------------------------------------------


@rule("transpose")
def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Swap two sparse dims. The transpose of a CSR matrix is a CSC matrix, and vice versa."""
    a, b = input._nonnegative(dim0), input._nonnegative(dim1)
    size = list(input.shape)
    size[a], size[b] = size[b], size[a]
    if input.layout is not mf.sparse_coo:
        turned = {mf.sparse_csr: mf.sparse_csc, mf.sparse_csc: mf.sparse_csr}[input.layout]
        if a == b:
            return input
        return s.make(turned, input._indices_, s.passed_on(input._values_, "TransposeBackward0"), size, True)
    kept = s.sparse_dim(input)
    if max(a, b) >= kept:
        raise RuntimeError(
            f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {kept}, d0: {a}, d1: {b}"
        )
    order = list(range(kept))
    order[a], order[b] = b, a
    values = s.passed_on(input._values_, "TransposeBackward0")
    indices = from_host(s.places(input)[order], input.device)
    return s.make(mf.sparse_coo, (indices,), values, size, input._coalesced and a == b)


def select(input: Any, dim: int, index: int) -> Any:
    """Select one index of a sparse dim. The result is dense if no sparse dim is left."""
    coo(input, "select")
    at, kept = input._nonnegative(dim), s.sparse_dim(input)
    if at >= kept:
        raise _errors.layouts.refused("select of a dense dim", mf.sparse_coo)
    if not -input.shape[at] <= index < input.shape[at]:
        raise _errors.indexing.index_out_of_bounds(index, at, input.shape[at])
    where = s.places(input)
    hits = np.flatnonzero(where[at] == index % input.shape[at])
    values = picked(input._values_, hits)
    if kept == 1:
        return values.sum(0)
    size = (*input.shape[:at], *input.shape[at + 1 :])
    left = from_host(np.delete(where[:, hits], at, 0), input.device)
    return s.make(mf.sparse_coo, (left,), s.passed_on(values, "SelectBackward0"), size, input._coalesced)


# -- sums --------------------------------------------------------------------------------------------------------------


@rule("sum")
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum all elements, or the elements along some dims. See `torch.sparse.sum`."""
    if dim is None or dim == ():
        return input._values_.sum(dtype=dtype)
    if keepdim:
        raise _errors.arguments.unsupported("sum of a sparse tensor", "keepdim")
    coo(input, "sum")
    dims = sorted({input._nonnegative(d) for d in ((dim,) if isinstance(dim, int) else dim)})
    if len(dims) < (1 if isinstance(dim, int) else len(dim)):
        raise _errors.layouts.repeated_dim(dim)
    return _summed(input, dims, dtype)


def _summed(t: Any, dims: list[int], dtype: Any) -> Any:
    kept = s.sparse_dim(t)
    left = [d for d in range(kept) if d not in dims]
    t = coalesce(t) if len(left) == kept else t
    values = t._values_ if dtype is None else t._values_.to(dtype)
    inside = [d - kept + 1 for d in dims if d >= kept]
    values = values.sum(inside, dtype=values.dtype) if inside else values
    if not left:
        return values.sum(0, dtype=values.dtype)
    sizes = tuple(t.shape[d] for d in left)
    if len(left) == kept:
        values = s.passed_on(values, "SparseSumBackward0")
        return s.make(mf.sparse_coo, t._indices_, values, (*sizes, *values.shape[1:]), t._coalesced)
    found, at = np.unique(s.flat(s.places(t)[left], sizes), return_inverse=True)
    return of_places(t, found, s.passed_on(added(len(found), at, values), "SparseSumBackward0"), sizes)


def softmax(t: Any, dim: int, dtype: Any, log: bool) -> Any:
    """Return the softmax or log-softmax over the stored elements. Elements that are not stored count as -inf."""
    coo(t, "softmax")
    d, t = t._nonnegative(dim), coalesce(t)
    values, kept = t._values_ if dtype is None else t._values_.to(dtype), s.sparse_dim(t)
    if not (values.is_floating_point() or values.is_complex()):
        raise _errors.dtypes.not_implemented("softmax", values.dtype)
    if d >= kept:
        found = (Tensor.log_softmax if log else Tensor.softmax)(values, d - kept + 1)
        return s.like(t, found)
    others = [e for e in range(kept) if e != d]
    groups, at = np.unique(s.flat(s.places(t)[others], tuple(t.shape[e] for e in others)), return_inverse=True)
    highest = factories.zeros((len(groups), *values.shape[1:]), dtype=values.dtype, device=values.device)
    highest = rows["_index_reduce"](highest, 0, from_host(at, values.device), values.detach(), "amax", False)
    moved = values - picked(highest, at)
    exponentials = moved.exp()
    totals = picked(added(len(groups), at, exponentials), at)
    node = "SparseLogSoftmaxBackward0" if log else "SparseSoftmaxBackward0"
    return s.like(t, s.passed_on(moved - totals.log() if log else exponentials / totals, node))
