"""Reading and writing at indices given by tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops._declare import Array, Arrays, Operand, Scalar, namespace, operator, pointwise
from torchlike._ops._rules import Call, broadcast, wrap_dim


def _where_to(dims: tuple[int, ...], indices: list, ndim: int) -> tuple:
    at = dict(zip(dims, indices))
    return tuple(at.get(d, slice(None)) for d in range(ndim))


def _wrapped(indices: list, dims: tuple[int, ...], shape: tuple[int, ...]) -> list:
    """Negative indices counted from the front; out of range ones are left to the gather's fill."""
    xp = namespace(indices[0])
    return [xp.where(i < 0, i + shape[d], i) for i, d in zip(indices, dims)]


def _adjacent(dims: tuple[int, ...]) -> bool:
    return all(b - a == 1 for a, b in zip(dims, dims[1:]))


def indexed_shape(shape: tuple, dims: tuple[int, ...], index_shapes: list) -> tuple[int, ...]:
    """The shape of `x[..., i, j, ...]`: the indices' common shape where they stood, or first if they stood apart."""
    try:
        common = broadcast(index_shapes)
    except RuntimeError:
        shapes = ", ".join(str(list(s)) for s in index_shapes)
        raise IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}") from None
    rest = [n for d, n in enumerate(shape) if d not in dims]
    at = dims[0] if _adjacent(dims) else 0
    return (*rest[:at], *common, *rest[at:])


def _index_shape(call: Call) -> list:
    return [(indexed_shape(tuple(call.input.shape), call.dims, [tuple(i.shape) for i in call.indices]),
             call.input.dtype)]  # fmt: skip


@operator(promote=None, shape=_index_shape, saves=("indices",), opmath=False, where=(), name="_index",
          node="IndexBackward0")  # fmt: skip
def _index(input: Array, indices: Arrays, dims: tuple):
    """`input[..., i, j, ...]` with int64 tensors at (non-negative) `dims`."""
    indices = _wrapped(indices, dims, input.shape)
    where = _where_to(dims, indices, input.ndim)
    return input[where] if namespace(input) is np else input.at[where].get(mode="fill")


def _check_put(call: Call) -> None:
    shape = indexed_shape(tuple(call.input.shape), call.dims, [tuple(i.shape) for i in call.indices])
    given = tuple(call.values.shape)
    while len(given) > len(shape) and given[0] == 1:
        given = given[1:]
    fits = len(given) <= len(shape) and all(n in (1, m) for n, m in zip(given[::-1], shape[::-1]))
    if not fits:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(call.values.shape)} cannot be broadcast to "
                           f"indexing result of shape {list(shape)}")  # fmt: skip


@operator(promote=None, shape=lambda call: [(tuple(call.input.shape), call.input.dtype)], check=_check_put,
          saves=("indices",), opmath=False, where=(), name="_index_put", node="IndexPutBackward0")  # fmt: skip
def _index_put(input: Array, indices: Arrays, values: Array, dims: tuple, accumulate: bool = False):
    """`input` with `input[..., i, j, ...]` replaced by `values`, or with `values` added there."""
    where = _where_to(dims, _wrapped(indices, dims, input.shape), input.ndim)
    shape = indexed_shape(input.shape, dims, [i.shape for i in indices])
    values = jnp.reshape(values, values.shape[max(0, values.ndim - len(shape)) :])
    target = jnp.asarray(input).at[where]
    return target.add(values) if accumulate else target.set(values)


def _along(index: Any, dim: int) -> tuple:
    """Index arrays that pick `input[i0, .., index[i0, .., id, ..], ..]`."""
    xp = namespace(index)
    grids = [xp.arange(n).reshape((1,) * d + (n,) + (1,) * (index.ndim - d - 1)) for d, n in enumerate(index.shape)]
    grids[dim] = index
    return tuple(grids)


def _check_along(call: Call) -> None:
    if call.index.dtype is not _dtypes.int64 and call.index.dtype is not _dtypes.int32:
        raise RuntimeError(f"{call.op.name.split('_')[0]}(): Expected dtype int32/int64 for index")
    if max(call.input.ndim, 1) != max(call.index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as "
                           f"{'input' if call.op.name == 'gather' else 'self'} tensor")  # fmt: skip
    dim = wrap_dim(call.dim, call.input.ndim)
    for d, (n, m) in enumerate(zip(call.index.shape, call.input.shape)):
        if d != dim and n > m:
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(call.index.shape)} to be no "
                               f"larger than self {list(call.input.shape)} apart from dimension {dim}")  # fmt: skip


@operator(promote=None, shape=lambda call: [(tuple(call.index.shape), call.input.dtype)], check=_check_along,
          saves=("index",), opmath=False)  # fmt: skip
def gather(input: Array, dim: int, index: Array, *, sparse_grad: bool = False):
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on for other dims."""
    if not input.ndim:
        return namespace(input).broadcast_to(input, index.shape)
    if not index.ndim:
        index = index.reshape((1,))
        return gather.kernel(input, dim, index).reshape(())
    where = _along(index, dim % input.ndim)
    return input[where] if namespace(input) is np else input.at[where].get(mode="fill")


def _scattered(input: Any, dim: int, index: Any, src: Any, how: str) -> Any:
    shape = input.shape
    if not input.ndim:
        input, index, src = input.reshape(1), index.reshape(1), jnp.reshape(src, (1,) if src.ndim else ())
    if src.ndim:
        src = src[tuple(slice(n) for n in index.shape)]
    where = _along(index, dim % input.ndim)
    return getattr(jnp.asarray(input).at[where], how)(src.astype(input.dtype)).reshape(shape)


_SCATTER = {"promote": None, "shape": lambda call: [(tuple(call.input.shape), call.input.dtype)],
            "check": _check_along, "saves": ("index",), "opmath": False}  # fmt: skip


@operator(where=(), name="_scatter", node="ScatterBackward0", **_SCATTER)
def _scatter(input: Array, dim: int, index: Array, src: Array):
    """`input` with `src` written at `index` along `dim`."""
    return _scattered(input, dim, index, src, "set")


@operator(where=(), name="_scatter_fill", node="ScatterBackward1", **_SCATTER)
def _scatter_fill(input: Array, dim: int, index: Array, value: Scalar):
    """`input` with a number written at `index` along `dim`."""
    return _scattered(input, dim, index, jnp.asarray(value), "set")


@operator(inplace=True, **_SCATTER)
def scatter_add(input: Array, dim: int, index: Array, src: Array):
    """`input` with `src` added at `index` along `dim`."""
    return _scattered(input, dim, index, src, "add")


def _selected(call: Call) -> list:
    if call.index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    shape = tuple(call.input.shape)
    if not shape:
        return [((), call.input.dtype)]
    dim = wrap_dim(call.dim, len(shape))
    return [((*shape[:dim], call.index.numel, *shape[dim + 1 :]), call.input.dtype)]


@operator(promote=None, shape=_selected, saves=("index",), opmath=False)
def index_select(input: Array, dim: int, index: Array):
    """The indices `index` of one dim."""
    if not input.ndim:
        return input
    return namespace(input).take(input, index.reshape(-1), axis=dim)


def _at(dim: int, index: Any, ndim: int) -> tuple:
    return (slice(None),) * (dim % max(ndim, 1)) + (index.reshape(-1),)


@operator(promote=None, shape=_SCATTER["shape"], saves=("index",), opmath=False, inplace=True)
def index_add(input: Array, dim: int, index: Array, source: Array, *, alpha: Scalar = 1):
    """`input` with `alpha * source` added at the indices of one dim."""
    added = source if isinstance(alpha, int) else (source * alpha).astype(input.dtype)
    return jnp.asarray(input).at[_at(dim, index, input.ndim)].add(added)


@operator(promote=None, shape=_SCATTER["shape"], saves=("index",), opmath=False, inplace=True)
def index_copy(input: Array, dim: int, index: Array, source: Array):
    """`input` with the indices of one dim replaced by those of `source`."""
    return jnp.asarray(input).at[_at(dim, index, input.ndim)].set(source)


@operator(promote=None, shape=_SCATTER["shape"], saves=("index",), opmath=False, where=(), name="_index_fill",
          node="IndexFillBackward0")  # fmt: skip
def _index_fill(input: Array, dim: int, index: Array, value: Scalar):
    """`input` with the indices of one dim set to a number."""
    return jnp.asarray(input).at[_at(dim, index, input.ndim)].set(jnp.asarray(value).astype(input.dtype))


@operator(promote=None, shape=lambda call: [(tuple(call.index.shape), call.input.dtype)], saves=("index",),
          opmath=False)  # fmt: skip
def take(input: Array, index: Array):
    """The elements at `index` of the flattened tensor."""
    return namespace(input).take(input.reshape(-1), index)


def _masked_shape(call: Call) -> list:
    if call.mask.dtype is not _dtypes.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {_errors.scalar_name(call.mask.dtype)}"
                           if call.op.name.endswith("_") else
                           "expected mask dtype to be Bool but got mask with dtype "
                           f"{_errors.c_name(call.mask.dtype)}")  # fmt: skip
    return [(broadcast([call.input.shape, call.mask.shape]), call.input.dtype)]


@operator(promote=None, shape=_masked_shape, saves=("mask",), opmath=False, where=(), name="_masked_fill",
          node="MaskedFillBackward0")  # fmt: skip
def _masked_fill(input: Array, mask: Array, value: Scalar):
    """`input` with a number where `mask` is true."""
    xp = namespace(input)
    return xp.where(mask, xp.asarray(value).astype(input.dtype), input)


@operator(promote=None, shape=_masked_shape, saves=("mask",), opmath=False, where=(), name="_masked_fill_by",
          node="MaskedFillBackward1")  # fmt: skip
def _masked_fill_by(input: Array, mask: Array, value: Array):
    """`input` with a zero-dim tensor's element where `mask` is true."""
    return namespace(input).where(mask, value.astype(input.dtype), input)


del Operand, pointwise
