"""Functions about shape and index that choose among rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _factories, _indexing
from torchlike._bind import CALLERS as rows
from torchlike._bind import assign, in_place_of
from torchlike._core import concrete
from torchlike._functions import ints, reshape, split
from torchlike._tensor import Tensor, wrap


def t(input: Tensor) -> Tensor:
    """A matrix transposed; tensors of fewer dims as they are."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return rows["transpose"](input, 0, 1) if input.ndim == 2 else rows["view_as_self"](input)


def _T(self: Tensor) -> Tensor:
    """The dims in reverse order."""
    return rows["permute"](self, tuple(range(self.ndim - 1, -1, -1)))


def _mT(self: Tensor) -> Tensor:
    """The last two dims exchanged."""
    if self.ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got "
                           f"{self.ndim}-D tensor.")  # fmt: skip
    return rows["transpose"](self, -2, -1)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dims from `start_dim` to `end_dim` as one."""
    if not input.ndim:
        return reshape(input, (1,))
    start, end = input._wrap(start_dim), input._wrap(end_dim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    shape = input.shape
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements as one dim."""
    return reshape(input, (-1,))


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """One dim as several."""
    from torchlike._ops.view import infer_size

    at = input._wrap(dim)
    sizes = ints((sizes,))
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        sizes = infer_size(sizes, input.shape[at])
    except RuntimeError:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} "
                           f"({input.shape[at]}) in the input tensor") from None  # fmt: skip
    return reshape(input, (*input.shape[:at], *sizes, *input.shape[at + 1 :]))


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dims moved to new places, the others in their order."""
    source = [input._wrap(d) for d in ints((source,) if not isinstance(source, int) else ((source,),))]
    target = [input._wrap(d) for d in ints((destination,) if not isinstance(destination, int) else ((destination,),))]
    if len(source) != len(target):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({source} dims) should contain the "
                           f"same number of dims as destination ({target} dims)")  # fmt: skip
    rest = iter(d for d in range(input.ndim) if d not in source)
    at = dict(zip(target, source))
    return rows["permute"](input, tuple(at[d] if d in at else next(rest) for d in range(input.ndim)))


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """The tensor tiled, `repeats[d]` times along each dim."""
    return rows["_repeat"](self, ints(repeats))


def tile(input: Tensor, *dims: Any) -> Tensor:
    """As `repeat`, missing counts being one."""
    counts = ints(dims)
    return rows["_repeat"](input, (1,) * (input.ndim - len(counts)) + counts)


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element (or index of a dim) several times in a row; `repeats` is a count or a tensor of counts."""
    if isinstance(repeats, Tensor) and repeats.numel() == 1:
        repeats = int(repeats.item())
    if isinstance(repeats, Tensor):
        source = ravel(input) if dim is None else input
        which = np.repeat(np.arange(repeats.numel()), repeats._host())
        return rows["index_select"](source, dim or 0, _factories.of_array(which, input.device))
    return rows["_repeat_interleave"](input, repeats, dim)


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to the shape of another tensor."""
    return rows["expand"](self, tuple(other.shape))


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """Viewed in the shape of another tensor."""
    return rows["view"](self, tuple(other.shape))


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshaped to the shape of another tensor."""
    return reshape(self, tuple(other.shape))


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Broadcast to a shape without copying."""
    return rows["expand"](input, ints((size,)))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors expanded to their common shape."""
    from torchlike._ops._rules import broadcast

    tensors = tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    shape = broadcast([tuple(t.shape) for t in tensors])
    return tuple(rows["expand"](t, shape) for t in tensors)


def hstack(tensors: Any) -> Tensor:
    """Tensors joined along dim 1 (dim 0 for vectors)."""
    tensors = [reshape(t, (1,)) if not t.ndim else t for t in tensors]
    return rows["cat"](tensors, 0 if tensors[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Tensors joined along dim 0, vectors as rows."""
    return rows["cat"]([reshape(t, (1, -1)) if t.ndim < 2 else t for t in tensors], 0)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids of vectors; `indexing` is "ij" (rows first) or "xy"."""
    tensors = tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing == "xy" and len(tensors) > 1:
        made = meshgrid(tensors[1], tensors[0], *tensors[2:], indexing="ij")
        return tuple(rows["transpose"](g, 0, 1) for g in (made[1], made[0], *made[2:]))
    shape = tuple(t.numel() for t in tensors)
    return tuple(rows["expand"](reshape(t, (1,) * i + (-1,) + (1,) * (len(shape) - i - 1)), shape)
                 for i, t in enumerate(tensors))  # fmt: skip


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of pieces: of nearly equal sizes, or cut at the indices given."""
    n = input.shape[input._wrap(dim)]
    if isinstance(indices_or_sections, int):
        small, extra = divmod(n, indices_or_sections)
        return split(input, [small + (i < extra) for i in range(indices_or_sections)], dim)
    cuts = [0, *[min(max(c + n if c < 0 else c, 0), n) for c in ints((indices_or_sections,))], n]
    return split(input, [max(0, b - a) for a, b in zip(cuts, cuts[1:])], dim)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """`value` where `mask` is true."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise RuntimeError("masked_fill only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value.ndim} dimension(s).")  # fmt: skip
        return rows["_masked_fill_by"](input, mask, value)
    return rows["_masked_fill"](input, mask, value)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
            reduce: str | None = None) -> Tensor:  # fmt: skip
    """`src` (a tensor or a number) written at `index` along `dim`."""
    src = value if src is None else src
    if reduce == "add" and isinstance(src, Tensor):
        return rows["scatter_add"](input, dim, index, src)
    if reduce is not None:
        raise _errors.unsupported("scatter", "reduce")
    return rows["_scatter"](input, dim, index, src) if isinstance(src, Tensor) else rows["_scatter_fill"](
        input, dim, index, src
    )


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The indices `index` of a dim set to a number."""
    return rows["_index_fill"](input, dim, index, value.item() if isinstance(value, Tensor) else value)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` is true, as one dim (an observation: pending work runs)."""
    if mask.dtype is not _dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    input, mask = broadcast_tensors(input, mask)
    return _indexing.get(input, mask)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero (an observation: pending work runs)."""
    found = np.nonzero(np.atleast_1d(input._host()))
    if as_tuple:
        return tuple(_factories.of_array(i.astype(np.int64), input.device) for i in found)
    table = np.stack(found, 1).astype(np.int64) if input.ndim else np.zeros((len(found[0]), 0), np.int64)
    return _factories.of_array(table, input.device)


def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, one row each."""
    return nonzero(input)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with `values` written (or added) at the tensors `indices`."""
    made = rows["clone"](input)
    _indexing.put_at(made, tuple(indices), values, accumulate)
    return made


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add) `values` at the tensors `indices`."""
    _indexing.put_at(self, tuple(indices), values, accumulate)
    return self


def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a number."""
    from torchlike._functions import copy_

    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value.ndim} dimensions.")  # fmt: skip
    return copy_(self, value)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    return fill_(self, 0)


def resize_(self: Tensor, *size: Any) -> Tensor:
    """Another shape, in place; only where the number of elements stays, or from or to no elements."""
    shape = ints(size)
    count = math.prod(shape)
    if count == self.numel():
        made = reshape(self.detach(), shape)
    elif not self.numel() or not count:
        made = _factories.empty(shape, dtype=self.dtype, device=self.device)
    else:
        raise _errors.unsupported("resize_", "size")
    self.data = wrap(made._value)
    return self


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""
    if input.ndim == 2:
        return rows["clone"](rows["diagonal"](input, diagonal, 0, 1))
    if input.ndim != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    n = input.shape[0] + abs(diagonal)
    place = np.arange(input.shape[0])
    made = _factories.zeros(n, n, dtype=input.dtype, device=input.device)
    where = tuple(_factories.of_array(place + off, input.device) for off in (max(-diagonal, 0), max(diagonal, 0)))
    return index_put(made, where, input)


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:  # fmt: skip
    """The distinct elements in ascending order (an observation: pending work runs)."""
    host = np.asarray(concrete(input._value))
    values, inverse, counts = np.unique(host, return_inverse=True, return_counts=True, axis=dim)
    inverse = inverse.reshape(host.shape) if dim is None else inverse.reshape(-1)
    found = [values] + [inverse] * return_inverse + [counts] * return_counts
    made = tuple(_factories.of_array(np.ascontiguousarray(a), input.device) for a in found)
    return made if len(made) > 1 else made[0]


def set_in_place(name: str, function: Any) -> Any:
    """The in-place twin of a facade function."""
    return in_place_of(name, function)


FUNCTIONS = {f.__name__: f for f in (
    t, flatten, ravel, unflatten, movedim, tile, repeat_interleave, broadcast_to, broadcast_tensors, hstack, vstack,
    meshgrid, tensor_split, masked_fill, scatter, index_fill, masked_select, nonzero, argwhere, index_put, diag, unique,
)} | {"moveaxis": movedim, "row_stack": vstack}  # fmt: skip
METHODS = {f.__name__: f for f in (
    t, flatten, ravel, unflatten, movedim, repeat, tile, repeat_interleave, expand_as, view_as, reshape_as,
    broadcast_to, tensor_split, masked_fill, scatter, index_fill, masked_select, nonzero, argwhere, index_put,
    index_put_, fill_, zero_, resize_, diag, unique,
)} | {"moveaxis": movedim, "T": property(_T), "mT": property(_mT)}  # fmt: skip
METHODS |= {f.__name__ + "_": in_place_of(f.__name__, f) for f in (masked_fill, scatter, index_fill)}
del assign
