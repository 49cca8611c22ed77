"""Reading and writing at index tensors: indexing, gather, scatter, `index_*`, take, put and masked writes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8, FLOAT8_SIGNED
from torchlike._dtypes.strides import contiguous_strides, ordered_strides, view_strides
from torchlike._errors.dtypes import c_name, index_put_dtypes, scalar_name
from torchlike._ops.schema.autocast_policies import WIDEST_ELSEWHERE, WIDEST_ON_CPU
from torchlike._ops.schema.declare import HOST_REDUCES, Array, Arrays, Kept, Scalar, declare, namespace, operator
from torchlike._ops.schema.namespace import at, choose, summed_wide, widened, within
from torchlike._ops.schema.typing_rules import Call, Typed, broadcast, wrap_dim


def _index_tuple(dims: tuple[int, ...], indices: list, ndim: int) -> tuple:
    at = dict(zip(dims, indices))
    return tuple(at.get(d, slice(None)) for d in range(ndim))


def _from_front_all(indices: list, dims: tuple[int, ...], shape: tuple[int, ...]) -> list:
    """Return the indices with negative indices converted to indices from the front.

    As in PyTorch, the error for an index out of range contains the number of the index tensor, not of the dim.
    """
    error_for = lambda n, d: lambda bad: _errors.indexing.index_out_of_bounds(bad, n, shape[d])
    return [_from_front(i, shape[d], error_for(n, d)) for n, (i, d) in enumerate(zip(indices, dims))]


def _from_front(index: Any, size: int, error_for: Callable[[int], Exception]) -> Any:
    """Return the index tensor with negative indices converted to indices from the front.

    For an index out of range, NumPy raises `error_for(index)`. In a compiled program, the result is an index past the
    end, where reading gives NaN.
    """
    xp = namespace(index)
    if xp is np:
        outside = index[(index < -size) | (index >= size)]
        if outside.size:
            raise error_for(int(outside.flat[0]))
    return xp.where(index >= 0, index, xp.where(index < -size, size, index + size))


def _adjacent(dims: tuple[int, ...]) -> bool:
    return all(b - a == 1 for a, b in pairwise(dims))


def indexed_shape(shape: tuple, dims: tuple[int, ...], index_shapes: list) -> tuple[int, ...]:
    """Return the shape of `x[..., i, j, ...]`.

    The broadcast shape of the indices takes their position if they are adjacent, and comes first otherwise.
    """
    try:
        common = broadcast(index_shapes)
    except RuntimeError:
        shapes = ", ".join(str(list(s)) for s in index_shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    rest = [n for d, n in enumerate(shape) if d not in dims]
    at = dims[0] if _adjacent(dims) else 0
    return (*rest[:at], *common, *rest[at:])


def _index_shape(call: Call) -> list:
    return [
        (indexed_shape(tuple(call.input.shape), call.dims, [tuple(i.shape) for i in call.indices]), call.input.dtype)
    ]


def _index_typing(call: Call) -> Typed:
    """Return the `Typed` of the result, with strides that follow the source and the indices, as in PyTorch."""
    ((shape, _),) = _index_shape(call)
    strides = None
    if any(s is not None for s in call.strides):
        source, dims = tuple(call.input.shape), call.dims
        own = call.strides[0] or contiguous_strides(source)
        rest = [s for d, s in enumerate(own) if d not in dims]
        at = dims[0] if _adjacent(dims) else 0
        common = broadcast([tuple(i.shape) for i in call.indices])
        among = (*[1] * len(rest[:at]), *common, *[1] * len(rest[at:]))
        operands = [(shape, (*rest[:at], *[0] * len(common), *rest[at:]))]
        for index, steps in zip(call.indices, call.strides[1:]):
            spread = _spread(tuple(index.shape), steps or contiguous_strides(tuple(index.shape)), common)
            # The reshape adds only dims of size 1.
            operands.append((among, view_strides(common, spread, among) or spread))
        strides = ordered_strides(shape, operands)
    return Typed([call.input.like(shape)], None, [strides])


def _spread(shape: tuple, strides: tuple, out: tuple) -> tuple:
    lead = len(out) - len(shape)
    return (*[0] * lead, *[0 if n == 1 and m != 1 else s for n, s, m in zip(shape, strides, out[lead:])])


@declare(
    "operator",
    _index_typing,
    saves=("indices",),
    opmath=False,
    where=(),
    name="_index",
    node="IndexBackward0",
    edges=("input",),
    float8=FLOAT8,
)
def _index(input: Array, indices: Arrays, dims: tuple):
    """Return `input[..., i, j, ...]` with int64 tensors at the (non-negative) `dims`."""
    indices = _from_front_all(indices, dims, input.shape)
    where = _index_tuple(dims, indices, input.ndim)
    return at(input, where).get(mode="fill")


@declare(
    "operator",
    _index_typing,
    saves=("indices",),
    opmath=False,
    where=(),
    name="_masked_select",
    node="MaskedSelectBackward0",
    float8=FLOAT8,
)
def _masked_select(input: Array, indices: Arrays, dims: tuple):
    """Return the elements at `indices`, the positions where a mask is true."""
    return _index.kernel(input, indices, dims)


def _check_put(call: Call) -> None:
    shape = indexed_shape(tuple(call.input.shape), call.dims, [tuple(i.shape) for i in call.indices])
    given = tuple(call.values.shape)
    while len(given) > len(shape) and given[0] == 1:
        given = given[1:]
    fits = len(given) <= len(shape) and all(n in (1, m) for n, m in zip(given[::-1], shape[::-1]))
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(call.values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )
    if call.values.dtype is not call.input.dtype:
        raise index_put_dtypes(call.input.dtype, call.values.dtype)


def _added(target, values):
    """Return the array of `target` (an `array.at[...]`) with `values` added. The sum of bools is "or"."""
    return target.max(values) if values.dtype == bool else target.add(values)


@operator(
    autocast=WIDEST_ELSEWHERE,
    promote=None,
    shape=lambda call: [(tuple(call.input.shape), call.input.dtype)],
    check=_check_put,
    saves=("indices",),
    opmath=False,
    where=(),
    name="_index_put",
    node="IndexPutBackward0",
    edges=("input", "values"),
    loop="index_put",
    float8=FLOAT8_SIGNED,
)
def _index_put(input: Array, indices: Arrays, values: Array, dims: tuple, accumulate: bool = False):
    """Return `input` with `input[..., i, j, ...]` replaced by `values`.

    With `accumulate`, add `values` instead.
    """
    where = _index_tuple(dims, _from_front_all(indices, dims, input.shape), input.ndim)
    shape = indexed_shape(input.shape, dims, [i.shape for i in indices])
    values = values.reshape(values.shape[max(0, values.ndim - len(shape)) :])
    return _added(at(input, where), values) if accumulate else _assigned(input, where, values)


def _assigned(input: Any, where: tuple, values: Any) -> Any:
    """Return `input` with `values` written at `where`.

    As in PyTorch, every written value gets a gradient, even if several are written to one position.
    """
    if namespace(input) is np:
        return at(input, where).set(values)
    assign = jax.custom_jvp(lambda x, v: x.at[where].set(v))

    @assign.defjvp
    def _assign_jvp(given: tuple, changes: tuple) -> tuple:
        hidden = jnp.zeros(input.shape, bool).at[where].set(True)
        return given[0].at[where].set(given[1]), jnp.where(hidden, 0, changes[0]).at[where].add(changes[1])

    return assign(input, values)


def _clamped(input: Any, indices: list) -> tuple:
    xp = namespace(input)
    return tuple(xp.clip(index, -n, n - 1) for index, n in zip(indices, input.shape))


def _masked_index_shape(call: Call) -> list:
    found = indexed_shape(tuple(call.input.shape), tuple(range(len(call.indices))), [i.shape for i in call.indices])
    return [(broadcast([call.mask.shape, found]), call.input.dtype)]


@operator(
    promote=None,
    shape=_masked_index_shape,
    saves=("mask", "indices"),
    opmath=False,
    where=("torch",),
    out=False,
    node="UnsafeMaskedIndexBackward0",
    loop="masked_fill",
)
def _unsafe_masked_index(input: Array, mask: Array, indices: Arrays, fill: Scalar):
    """Return the elements at the clamped `indices` where `mask` is true, and `fill` elsewhere."""
    xp = namespace(input)
    return xp.where(mask != 0, at(input, _clamped(input, indices)).get(), xp.asarray(fill).astype(input.dtype))


@operator(
    promote=None,
    shape=lambda call: [(tuple(call.input.shape), call.input.dtype)],
    saves=("mask", "indices"),
    opmath=False,
    where=("torch",),
    out=False,
    node="UnsafeMaskedIndexPutAccumulateBackward0",
    loop="masked_fill",
)
def _unsafe_masked_index_put_accumulate(input: Array, mask: Array, indices: Arrays, values: Array):
    """Return a copy of `input` with `values` added at the clamped `indices` where `mask` is true."""
    values = namespace(input).where(mask != 0, values, values.dtype.type(0))
    return _added(at(input, _clamped(input, indices)), values)


def _along(index: Any, dim: int) -> tuple:
    """Return index arrays that select `input[i0, .., index[i0, .., id, ..], ..]`."""
    xp = namespace(index)
    grids = [xp.arange(n).reshape((1,) * d + (n,) + (1,) * (index.ndim - d - 1)) for d, n in enumerate(index.shape)]
    grids[dim] = index
    return tuple(grids)


def _check_along(call: Call) -> None:
    if call.index.numel and call.index.dtype is not _dtypes.int64 and call.index.dtype is not _dtypes.int32:
        raise RuntimeError(f"{_family(call)}(): Expected dtype int32/int64 for index")
    dim = wrap_dim(call.dim, call.input.ndim)
    source = call.arguments.get("src")
    if source is not None and source.dtype is not call.input.dtype:
        raise RuntimeError(f"{_family(call)}(): Expected self.dtype to be equal to src.dtype")
    if not call.index.numel:
        return
    if max(call.input.ndim, 1) != max(call.index.ndim, 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as "
            f"{'input' if _family(call) == 'gather' else 'self'} tensor"
        )
    if source is not None and max(source.ndim, 1) != max(call.index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    index, own = tuple(call.index.shape), tuple(call.input.shape)
    for d, (n, m) in enumerate(zip(index, own)):
        if d != dim and n > m and source is None:
            if _family(call) == "scatter":
                raise RuntimeError(
                    f"Expected index {list(index)} to be no larger than self {list(own)} apart from dimension {dim}"
                )
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index)} to be no "
                f"larger than self {list(own)} apart from dimension {dim}"
            )
    if source is not None:
        _check_source(index, own, tuple(source.shape), dim)


def _family(call: Call) -> str:
    return "gather" if "gather" in call.op.name else "scatter"


def _check_source(index: tuple, own: tuple, source: tuple, dim: int) -> None:
    too_large = any(d != dim and n > m for d, (n, m) in enumerate(zip(index, own)))
    if too_large or any(n > m for n, m in zip(index, source)):
        raise RuntimeError(
            f"Expected index {list(index)} to be no larger than self {list(own)} apart from dimension "
            f"{dim} and to be no larger size than src {list(source)}"
        )


@operator(
    promote=None,
    shape=lambda call: [(tuple(call.index.shape), call.input.dtype)],
    check=_check_along,
    saves=("index",),
    opmath=False,
    where=(),
    name="_gather",
    node="GatherBackward0",
    loop="gather_expanded_index",
)
def _gather(input: Array, dim: int, index: Array, *, sparse_grad: bool = False):
    """Return the elements at `index` along `dim`: out[i][j] = input[index[i][j]][j] for dim 0."""
    if not input.ndim:
        return namespace(input).broadcast_to(input, index.shape)
    if not index.ndim:
        index = index.reshape((1,))
        return _gather.kernel(input, dim, index).reshape(())
    if 0 in index.shape:  # an empty index may have another number of dims than the input
        return namespace(input).zeros(index.shape, input.dtype)
    where = _along(_within(index, dim, input.shape, _errors.indexing.index_along), dim % input.ndim)
    return at(summed_wide(input), where).get(mode="fill").astype(input.dtype)


def _within(index: Any, dim: int, shape: tuple, error_for: Callable) -> Any:
    """Return the indices of a dim, checked to be in range.

    `error_for(index, dim, size)` returns the error for an index out of range.
    """
    dim %= len(shape)
    return within(index, shape[dim], lambda bad: error_for(bad, dim, shape[dim]))


def _scattered(input: Any, dim: int, index: Any, src: Any, how: str) -> Any:
    shape = input.shape
    if 0 in index.shape:  # an empty index may have any dtype and number of dims
        return input
    if not input.ndim:
        input, index, src = input.reshape(1), index.reshape(1), src.reshape((1,) if src.ndim else ())
    if src.ndim:
        src = src[tuple(slice(n) for n in index.shape)]
    where = _along(_within(index, dim, input.shape, _errors.indexing.index_along), dim % input.ndim)
    return getattr(at(input, where), how)(src.astype(input.dtype)).reshape(shape)


_SCATTER = {
    "promote": None,
    "shape": lambda call: [(tuple(call.input.shape), call.input.dtype)],
    "check": _check_along,
    "saves": ("index",),
    "opmath": False,
}


@operator(where=(), name="_scatter", node="ScatterBackward0", **_SCATTER, loop="scatter_gather_tensor_cpu")
def _scatter(input: Array, dim: int, index: Array, src: Array):
    """Return `input` with `src` written at `index` along `dim`."""
    return _scattered(input, dim, index, src, "set")


@operator(where=(), name="_scatter_fill", node="ScatterBackward1", **_SCATTER, loop="scatter_gather_scalar_cpu")
def _scatter_fill(input: Array, dim: int, index: Array, value: Scalar):
    """Return `input` with a number written at `index` along `dim`."""
    return _scattered(input, dim, index, namespace(input).asarray(value), "set")


@operator(
    autocast=WIDEST_ELSEWHERE,
    where=(),
    name="_scatter_add",
    node="ScatterAddBackward0",
    **_SCATTER,
    loop="scatter_gather_tensor_cpu",
)
def _scatter_add(input: Array, dim: int, index: Array, src: Array):
    """Return `input` with `src` added at `index` along `dim`."""
    if input.dtype == bool:
        return _scattered(input.astype("uint8"), dim, index, src.astype("uint8"), "max") != 0
    return _scattered(widened(input), dim, index, widened(src), "add").astype(input.dtype)


def _index_select_shape(call: Call) -> list:
    if call.index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if call.index.dtype not in (_dtypes.int64, _dtypes.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    shape = tuple(call.input.shape)
    dim = wrap_dim(call.dim, len(shape))
    if not shape:
        if call.index.numel != 1:
            raise RuntimeError(
                f"index_select(): Index to scalar can have only 1 value, got {call.index.numel} value(s)"
            )
        return [((), call.input.dtype)]
    return [((*shape[:dim], call.index.numel, *shape[dim + 1 :]), call.input.dtype)]


@operator(promote=None, shape=_index_select_shape, saves=("index",), opmath=False, where=(), float8=FLOAT8)
def index_select(input: Array, dim: int, index: Array):
    """Return the slices of `input` at `index` along `dim`."""
    if not input.ndim:
        return input
    index = _within(index.reshape(-1), dim, input.shape, _errors.indexing.no_such_row(input.shape))
    return namespace(input).take(summed_wide(input), index, axis=dim).astype(input.dtype)


def _along_dim(input: Any, dim: int, index: Any, error_for: Callable) -> tuple:
    return (slice(None),) * (dim % input.ndim) + (_within(index.reshape(-1), dim, input.shape, error_for),)


def _check_index_functions(call: Call) -> None:
    """Check the arguments of `index_add`, `index_copy`, `index_fill` and `index_reduce`."""
    name, index = call.op.name.removesuffix("_by").lstrip("_") + "_", call.index
    adds = "add" in name or "reduce" in name
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector"
            + (
                f", but got dim: {index.ndim} with type: {scalar_name(index.dtype)} and size: {list(index.shape)}"
                if adds
                else ""
            )
        )
    source = call.arguments.get("source")
    wide = index.dtype is _dtypes.int64 or (index.dtype is _dtypes.int32 and adds)
    if not wide and adds:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {scalar_name(index.dtype)}")
    if not wide:
        raise (IndexError if "fill" in name else RuntimeError)(
            f"{name}(): Expected dtype int64 for index"
            + ("." if "fill" in name else f" but got: {scalar_name(index.dtype)}")
        )
    dim = wrap_dim(call.dim, call.input.ndim)
    if source is None:
        return
    if source.dtype is not call.input.dtype:
        raise RuntimeError(
            f"{name}(): self ({scalar_name(call.input.dtype)}) and source "
            f"({scalar_name(source.dtype)}) must have the same scalar type"
        )
    rest, other = list(call.input.shape), list(source.shape)
    del rest[dim : dim + 1], other[dim : dim + 1]
    (_check_copied if "copy" in name else _check_added)(call, dim, rest, other)


def _check_added(call: Call, dim: int, rest: list, other: list) -> None:
    """Check the source of `index_add` and `index_reduce`."""
    source, name, count = call.source, call.op.name.lstrip("_") + "_", call.index.numel
    if source.ndim <= dim and (source.ndim or count != 1):
        outside = _errors.shapes.dim_out_of_range(dim, source.ndim)
        raise outside if source.ndim else _errors.shapes.dim_of_scalar(dim)
    if source.ndim and count != source.shape[dim]:
        raise RuntimeError(
            f"{name}(): Number of indices ({count}) should be equal to source.size(dim): "
            f"({source.shape[dim]}), for dim: {dim}"
        )
    if source.ndim != call.input.ndim or rest != other:
        raise RuntimeError(
            f"source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(call.input.shape)} source.shape = {list(source.shape)}"
        )


def _check_copied(call: Call, dim: int, rest: list, other: list) -> None:
    """Check the source of `index_copy`."""
    source, count, ndim = call.source, call.index.numel, call.input.ndim
    if not source.ndim and count != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {count})")
    if source.ndim != ndim and source.ndim and ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({source.ndim}), destination dimensionality ({ndim})"
        )
    if rest != other:
        raise RuntimeError(
            f"index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
            f"shape: {' '.join(map(str, rest))} at dimension {dim} and source slice shape: "
            f"{' '.join(map(str, other))} at dimension 0."
        )
    if source.ndim and count != source.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count}) should be equal to source.size(dim) ({source.shape[dim]})"
        )


_ROWS = {**_SCATTER, "check": _check_index_functions}
# PyTorch's gradient needs only the shape of the source, but PyTorch saves the whole source.
_FROM_ROWS = {**_ROWS, "saves": ("index", "source"), "remembers": ("index", Kept("source", only_for="source"))}


_ADDED_ROWS = {**_FROM_ROWS, "remembers": (Kept("index", only_for="source"), Kept("source", only_for="source"))}


@operator(where=(), name="_index_add", node="IndexAddBackward0", **_ADDED_ROWS, loop="index_add_")
def _index_add(input: Array, dim: int, index: Array, source: Array, *, alpha: Scalar = 1):
    """Return `input` with `alpha * source` added at `index` along `dim`."""
    added = source if isinstance(alpha, int) else (source * alpha).astype(input.dtype)
    if not input.ndim:
        return input + added.reshape(())
    where = _along_dim(input, dim, index, _errors.indexing.index_added(input.ndim))
    return _added(at(input, where), added)


@operator(
    autocast=WIDEST_ON_CPU, where=(), name="_index_copy", node="IndexCopyBackward0", **_FROM_ROWS, loop="index_copy_cpu"
)
def _index_copy(input: Array, dim: int, index: Array, source: Array):
    """Return `input` with the slices at `index` along `dim` replaced by those of `source`."""
    if not input.ndim:
        return source.reshape(-1)[-1]
    return at(input, _along_dim(input, dim, index, _errors.indexing.index_copied)).set(source)


@operator(where=(), name="_index_fill", node="IndexFillBackward0", **_ROWS, loop="index_fill_cpu")
def _index_fill(input: Array, dim: int, index: Array, value: Scalar):
    """Return `input` with the slices at `index` along `dim` set to a number."""
    return _index_fill_by.kernel(input, dim, index, namespace(input).asarray(value))


@operator(where=(), name="_index_fill_by", node="IndexFillBackward1", **_ROWS, loop="index_fill_cpu")
def _index_fill_by(input: Array, dim: int, index: Array, value: Array):
    """Return `input` with the slices at `index` along `dim` set to the element of a 0-d tensor."""
    if not input.ndim:
        return value.astype(input.dtype)
    dim %= input.ndim
    error_for = lambda bad: _errors.indexing.index_out_of_bounds(bad, dim, input.shape[dim])
    where = _from_front(index.reshape(-1), input.shape[dim], error_for)
    return at(input, (slice(None),) * dim + (where,)).set(value.astype(input.dtype))


@operator(
    promote=None,
    shape=lambda call: [(tuple(call.index.shape), call.input.dtype)],
    saves=("index",),
    opmath=False,
    where=(),
    name="_take",
    node="TakeBackward0",
    loop="take_cpu",
)
def _take(input: Array, index: Array):
    """Return the elements at `index` of the flattened tensor, in the shape of `index`."""
    return namespace(input).take(input.reshape(-1), _flat(input, index)).reshape(index.shape)


def _flat(input: Any, index: Any) -> Any:
    return _from_front(index, input.size, lambda bad: _errors.indexing.index_of_flat(bad, input.size))


@operator(
    promote=None, shape=_SCATTER["shape"], saves=("index",), opmath=False, where=(), name="_put", node="PutBackward0"
)
def _put(input: Array, index: Array, source: Array, accumulate: bool = False):
    """Return `input` with `source` written (added if `accumulate` is True) at `index` of the flattened tensor."""
    target = at(input.reshape(-1), _flat(input, index).reshape(-1))
    new = _added(target, source.reshape(-1)) if accumulate else target.set(source.reshape(-1))
    return new.reshape(input.shape)


def _masked_shape(call: Call) -> list:
    shape = broadcast([call.mask.shape, call.input.shape])
    if call.mask.dtype is not _dtypes.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {c_name(call.mask.dtype)}"
        )
    return [(shape, call.input.dtype)]


@operator(
    promote=None,
    shape=_masked_shape,
    saves=("mask",),
    opmath=False,
    where=(),
    name="_masked_fill",
    node="MaskedFillBackward0",
    loop="masked_fill",
)
def _masked_fill(input: Array, mask: Array, value: Scalar):
    """Return `input` with a number where `mask` is true."""
    xp = namespace(input)
    return choose(mask, xp.asarray(value).astype(input.dtype), input)


@operator(
    promote=None,
    shape=_masked_shape,
    saves=("mask",),
    opmath=False,
    where=(),
    name="_masked_fill_by",
    node="MaskedFillBackward1",
    loop="masked_fill",
)
def _masked_fill_by(input: Array, mask: Array, value: Array):
    """Return `input` with the element of a 0-d tensor where `mask` is true."""
    return choose(mask, value.astype(input.dtype), input)


@operator(
    promote=None,
    shape=_masked_shape,
    saves=("mask",),
    opmath=False,
    where=(),
    name="_masked_put",
    node="IndexPutBackward0",
)
def _masked_put(input: Array, mask: Array, value: Array):
    """Return `input` with the element of a 0-d tensor where `mask` is true, as the result of an index assignment."""
    return _masked_fill_by.kernel(input, mask, value)


def _masked_scatter_shape(call: Call) -> list:
    if call.mask.dtype is not _dtypes.bool_:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(call.mask.dtype)}"
        )
    if call.source.dtype is not call.input.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_name(call.input.dtype)} and {scalar_name(call.source.dtype)}"
        )
    return [(broadcast([call.input.shape, call.mask.shape]), call.input.dtype)]


@operator(
    promote=None,
    shape=_masked_scatter_shape,
    saves=("mask",),
    host=HOST_REDUCES,
    opmath=False,
    where=(),
    name="_masked_scatter",
    node="MaskedScatterBackward0",
    loop="masked_scatter",
)
def _masked_scatter(input: Array, mask: Array, source: Array):
    """Return `input` with the elements of `source`, in order, written where `mask` is true."""
    shape, xp = np.broadcast_shapes(input.shape, mask.shape), namespace(input)
    mask = xp.broadcast_to(mask, shape)
    place = xp.cumsum(mask.reshape(-1)) - 1
    if not source.size:
        return xp.broadcast_to(input, shape)
    taken = source.reshape(-1)[xp.clip(place, 0, source.size - 1)].reshape(shape)
    return xp.where(mask, taken, xp.broadcast_to(input, shape))
