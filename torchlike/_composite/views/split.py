"""Splitting of tensors into views, and concatenation."""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._composite.views.conversions import reshape
from torchlike._dtypes import memory_format as mf
from torchlike._ops.schema.binding import is_whole
from torchlike._ops.schema.out_rules import Into
from torchlike._tensor import factories, public_calls, views
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.elements import reads
from torchlike._tensor.public_calls import history_first, ints, whole
from torchlike._tensor.tensor import Tensor, untracked
from torchlike._tensor.tracebacks import shortened

# -- splitting ---------------------------------------------------------------------------------------------------------


@history_first
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return a view for each index of a dim.

    >>> torchlike.tensor([[1, 2], [3, 4]]).unbind()
    (tensor([1, 2]), tensor([3, 4]))
    """
    dim, select = input._nonnegative(dim), rows["_unbound"]
    at_once = None if dim else reads.rows(input)
    if at_once is not None:
        return at_once
    if not input.ndim:
        raise _errors.shapes.dim_of_scalar(dim)
    if not input.shape[dim]:
        input._pair()  # raise for an invalidated view, although there is no index to select
    return views.of_several(input, tuple([select(input, dim, i) for i in range(input.shape[dim])]), dim)


@history_first
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Select one index of a dim, as a view.

    Args:
      index: the index along `dim`. A negative index counts from the end.

    >>> torchlike.tensor([[1, 2], [3, 4]]).select(1, 0)
    tensor([1, 3])
    """
    if not input.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, n = input._nonnegative(dim), index if index.__class__ is int else whole("select", "index", 3, index)
    size = input.shape[dim]
    if not -size <= n < size:
        raise IndexError(f"select(): index {n} out of range for tensor of size {list(input.shape)} at dimension {dim}")
    return rows["_select"](input, dim, n % size)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return `length` indices of a dim from `start` on, as a view.

    Args:
      start: the first index, an int or a 0-d integer tensor. A negative index counts from the end.
      length: the number of indices.

    >>> torchlike.arange(5).narrow(0, 1, 3)
    tensor([1, 2, 3])
    """
    if not input.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != _dtypes.INTEGER):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    dim, start = input._nonnegative(dim), whole("narrow", "start", 2, start)
    size = input.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start = start + size if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return rows["_slice"](input, dim, start, length, 1)


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return `length` indices of a dim from `start` on, as a copy.

    Args:
      start: the first index. A negative index counts from the end.
      length: the number of indices.
    """
    if dim >= input.ndim > 0:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could "
            "this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 <= start and input.ndim:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({input.shape[dim]}).")
    return rows["clone"](narrow(input, dim, start, length)).contiguous()


@history_first
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dim into views of one size, or of several given sizes.

    With one size, the last view may be smaller.

    Args:
      tensor: the tensor to split.
      split_size_or_sections: the size of each view but the last, or the sizes of all views.

    >>> torchlike.split(torchlike.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    if isinstance(split_size_or_sections, list | tuple):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    if isinstance(split_size_or_sections, bool):
        raise _errors.arguments.invalid_combination("split", (tensor, split_size_or_sections, dim), {})
    if not isinstance(split_size_or_sections, int | Tensor):
        raise _errors.arguments.wrong_type(
            "split_with_sizes", "split_sizes", 2, "tuple of ints", split_size_or_sections
        )
    if not tensor.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    step, dim = int(split_size_or_sections), tensor._nonnegative(dim)
    _errors.dtypes.check_width(step)
    size = tensor.shape[dim]
    if step < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
    if step == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    count = max(1, -(-size // step)) if step else 1
    return _pieces(tensor, [min(step, size - i * step) for i in range(count)], dim, "_piece")


def _split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dim into views of one size, or of several given sizes.

    With one size, the last view may be smaller.

    Args:
      split_size: the size of each view but the last, or the sizes of all views.

    >>> torchlike.arange(5).split([2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))
    """
    try:
        return split(self, split_size, dim)
    except Exception as error:
        raise shortened(error)


@history_first
def split_with_sizes(input: Tensor, split_sizes: tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dim into views of the given sizes.

    Args:
      split_sizes: the sizes, whose sum is the size of the dim.

    >>> torchlike.split_with_sizes(torchlike.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))
    """
    if not input.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim, sizes = input._nonnegative(dim), list(ints((split_sizes,), "split_with_sizes", "split_sizes"))
    size = input.shape[dim]
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    if sum(sizes) != size:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={sizes}"
        )
    return _pieces(input, sizes, dim, "_sized_piece")


def _pieces(tensor: Tensor, sizes: list[int], dim: int, row: str) -> tuple[Tensor, ...]:
    out, start, cut = [], 0, rows[row]
    for n in sizes:
        out.append(cut(tensor, dim, start, n))
        start += n
    return views.of_several(tensor, tuple(out), dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dim into at most `chunks` views of equal size; the last one may be smaller.

    Args:
      chunks: the number of views, at least 1. There are fewer if the size is too small.

    >>> torchlike.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if whole("chunk", "chunks", 2, chunks) <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not input.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    size = input.shape[input._nonnegative(dim)]
    step = math.ceil(size / chunks)
    return split(input, step, dim) if step else split(input, [0] * chunks, dim)


def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, *, sections: Any = None, indices: Any = None
) -> tuple[Tensor, ...]:
    """Split a dim into views of nearly equal sizes, or at the given indices.

    Args:
      indices_or_sections: the number of views, or the indices at which each view but the first begins.
      sections: the number of views, by name.
      indices: the indices, by name.

    >>> torchlike.arange(5).tensor_split(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    where = _one_of("tensor_split", input, indices_or_sections, sections, indices)
    if not input.ndim:
        raise RuntimeError(
            f"tensor_split expected at least a 1-dimensional tensor, but got a tensor with {input.ndim} dims"
        )
    if isinstance(where, Tensor):
        where = _where_to_split(where)
    n, where = input.shape[input._nonnegative(dim)], settled(where)
    if isinstance(where, int):
        if where <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {where}")
        small, extra = divmod(n, where)
        sizes = [small + (i < extra) for i in range(where)]
        where = [sum(sizes[:i]) for i in range(1, where)]
    bounds = [0, *[min(max(c + n if c < 0 else c, 0), n) for c in ints((where,), "tensor_split", "indices")], n]
    cut = rows["_slice"]
    return tuple([cut(input, input._nonnegative(dim), a, max(0, b - a), 1) for a, b in pairwise(bounds)])


def _one_of(name: str, input: Tensor, first: Any, sections: Any, indices: Any) -> Any:
    """Return the only one of the three arguments that is given. Raise PyTorch's error if its type is wrong."""
    given = [a for a in (first, sections, indices) if a is not None]
    where = given[0] if given else None
    one = is_whole(where) and (name == "tensor_split" or not isinstance(where, Tensor) or where.ndim < 2)
    several = isinstance(where, list | tuple) and all(map(is_whole, where))
    if len(given) != 1 or not ((one and indices is None) or (several and sections is None)):
        named = {name: a for name, a in (("sections", sections), ("indices", indices)) if a is not None}
        raise _errors.arguments.invalid_combination(name, (input, first), named)
    return where


def _where_to_split(where: Tensor) -> Any:
    if where.dtype.name != "int64":
        from torchlike._errors.dtypes import scalar_name

        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
            f"{scalar_name(where.dtype)}"
        )
    if where.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
            f"one-dimensional tensor, but got a tensor with {where.ndim} dims"
        )
    return where.tolist()


def _split_along(name: str, needed: int, place: int) -> Any:
    def function(
        input: Tensor, indices_or_sections: Any = None, *, sections: Any = None, indices: Any = None
    ) -> tuple[Tensor, ...]:
        where = _one_of(name, input, indices_or_sections, sections, indices)
        if input.ndim < needed:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {needed} dimension, but got a tensor "
                f"with {input.ndim} dimensions!"
            )
        dim = place if input.ndim > place else 0
        where = _where_to_split(where) if isinstance(where, Tensor) else settled(where)
        if isinstance(where, int) and (where <= 0 or input.shape[dim] % where):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{input.shape[dim]} is not divisible by the split_size {where}!"
            )
        return tensor_split(input, where, dim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Split along dim {place} into views: into equal sections, or at the given indices.

    Args:
      indices_or_sections: the number of views, or the indices at which each view but the first begins.
      sections: the number of views, by name.
      indices: the indices, by name.
    """
    return function


hsplit, vsplit, dsplit = _split_along("hsplit", 1, 1), _split_along("vsplit", 2, 0), _split_along("dsplit", 3, 2)


# -- concatenation -----------------------------------------------------------------------------------------------------


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Concatenate tensors along a dim; (…, n, …), (…, m, …) -> (…, n + m, …).

    Args:
      tensors: a sequence of tensors. Their shapes are equal except along `dim`, and their dtypes are promoted.

    >>> torchlike.cat([torchlike.ones(2, 3), torchlike.zeros(1, 3)]).shape
    torch.Size([3, 3])

    >>> torchlike.cat([torchlike.ones(2, 1), torchlike.zeros(2, 2)], dim=1)
    tensor([[1., 0., 0.],
            [1., 0., 0.]])
    """
    if not isinstance(tensors, list | tuple) or not tensors or not all(isinstance(t, Tensor) for t in tensors):
        _refuse_to_join("cat", tensors)
    made = rows["cat"](tensors, dim)
    if tensors[0]._strides is not None and made.ndim in (4, 5):
        order = mf.suggested(tensors[0])
        if order is not mf.contiguous_format and all(mf.suggested(t) is order for t in tensors):
            factories.with_strides(made, mf.strides_for(tuple(made.shape), order))
    return made


def _refuse_to_join(name: str, given: Any) -> None:
    if isinstance(given, list | tuple) and not given:
        if name == "cat":
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    public_calls.tensors(name, given)


def _chunk_cat(tensors: Any, dim: int, num_chunks: int) -> Tensor:
    """Split each tensor along `dim` into `num_chunks` equal chunks, and concatenate the chunks of the same index.

    Tensors are zero-padded to a multiple of `num_chunks`, and the chunks are flattened.
    (…, n, …), (…, m, …) -> (…, num_chunks, chunk elements)
    """
    dim = _errors.segments.check_chunks(tensors, dim, num_chunks)
    flat = []
    for t in tensors:
        short = -t.shape[dim] % num_chunks
        if short:
            shape = (*t.shape[:dim], short, *t.shape[dim + 1 :])
            t = rows["cat"]([t, factories.zeros(shape, dtype=t.dtype, device=t.device)], dim)
        flat.append(reshape(t, (*t.shape[:dim], num_chunks, -1)))
    return cat(flat, -1)


def _cat_as(name: str) -> Any:
    def function(tensors: Any, dim: int = 0) -> Tensor:
        return cat(tensors, dim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Alias of `cat`.

    Args:
      tensors: a sequence of tensors. Their shapes are equal except along `dim`, and their dtypes are promoted.

    >>> torchlike.{name}([torchlike.tensor([1]), torchlike.tensor([2, 3])])
    tensor([1, 2, 3])
    """
    return function


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Stack tensors of one shape along a new dim.

    Args:
      tensors: a sequence of tensors of one shape. Their dtypes are promoted.
      dim: the place of the new dim in the result. A negative dim counts from the last.

    >>> torchlike.stack([torchlike.tensor([1, 2]), torchlike.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    if not isinstance(tensors, list | tuple) or not tensors or not all(isinstance(t, Tensor) for t in tensors):
        _refuse_to_join("stack", tensors)
    return rows["stack"](tensors, dim)


def hstack(tensors: Any) -> Tensor:
    """Concatenate tensors along dim 1 (dim 0 for vectors).

    Args:
      tensors: a sequence of tensors.

    >>> torchlike.hstack([torchlike.tensor([1, 2]), torchlike.tensor([3])])
    tensor([1, 2, 3])
    """
    given = [at_least(1, t) for t in public_calls.tensors("hstack", tensors)]
    return cat(given, 0 if given[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Concatenate tensors along dim 0; a vector is a row.

    Args:
      tensors: a sequence of tensors.

    >>> torchlike.vstack([torchlike.tensor([1, 2]), torchlike.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([at_least(2, t) for t in public_calls.tensors("vstack", tensors)], 0)


def dstack(tensors: Any) -> Tensor:
    """Concatenate tensors along dim 2; a matrix gets a third dim of size one.

    Args:
      tensors: a sequence of tensors.
    """
    return cat([at_least(3, t) for t in public_calls.tensors("dstack", tensors)], 2)


def column_stack(tensors: Any) -> Tensor:
    """Concatenate tensors along dim 1; a vector is a column.

    Args:
      tensors: a sequence of tensors.
    """
    given = [reshape(t, (t.numel(), 1)) if t.ndim <= 1 else t for t in public_calls.tensors("column_stack", tensors)]
    return cat(given, 1)


def at_least(dims: int, t: Tensor) -> Tensor:
    """Add dims of size one until the tensor has at least `dims` dims."""
    if t.ndim >= dims:
        return t
    if dims == 3 and t.ndim == 2:
        return rows["unsqueeze"](t, -1)
    if not t.ndim:
        return reshape(t, (1,) * dims)
    t = rows["unsqueeze"](t, 0)
    return rows["unsqueeze"](t, -1) if dims == 3 else t


def _at_least(name: str, dims: int) -> Any:
    def function(*tensors: Any) -> Any:
        if len(tensors) == 1:
            if isinstance(tensors[0], Tensor):
                return at_least(dims, tensors[0])
            tensors = tensors[0]
        if not isinstance(tensors, list | tuple) or not all([isinstance(t, Tensor) for t in tensors]):
            raise _errors.arguments.invalid_combination(name, (tensors,), {})
        return tuple([at_least(dims, t) for t in tensors])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Add dims of size one until each tensor has at least {dims}.

    Args:
      tensors: tensors, or one sequence of tensors. The result for a single tensor is a tensor, else a tuple.

    >>> torchlike.{name}(torchlike.tensor(3)).dim()
    {dims}
    """
    return function


atleast_1d, atleast_2d, atleast_3d = (_at_least(f"atleast_{n}d", n) for n in (1, 2, 3))


FUNCTIONS = public_calls.functions(
    unbind,
    select,
    narrow,
    split_with_sizes,
    chunk,
    tensor_split,
    hsplit,
    vsplit,
    dsplit,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    out={narrow_copy: Into(_errors.outs.narrowed, quiet=True)},
)
_JOINED = Into(cast=_errors.dtypes.cannot_join_out, apart=0, called="cat")
FUNCTIONS |= public_calls.functions(out={_chunk_cat: _JOINED._replace(called="aten::_chunk_cat")})
_JOINING = (cat, stack, hstack, vstack, dstack, column_stack, _cat_as("concat"), _cat_as("concatenate"))
FUNCTIONS |= public_calls.functions(out=dict.fromkeys(_JOINING, _JOINED) | {stack: _JOINED._replace(called="stack")})
FUNCTIONS |= {
    "split": split,
    "row_stack": FUNCTIONS["vstack"],
}
METHODS = public_calls.methods(
    unbind, select, narrow, narrow_copy, split_with_sizes, chunk, tensor_split, hsplit, vsplit, dsplit
)
METHODS["split"] = _split_method


def _unsafe(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        return tuple(map(untracked, function(*args, **kwargs)))

    call.__name__ = call.__qualname__ = "unsafe_" + function.__name__
    call.__doc__ = f"Return the results of `{function.__name__}`, which autograd does not treat as views."
    return call


def by_size(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dim into views of the size `split_size`. The last one may be smaller.

    Args:
      split_size: the size of the views.
    """
    return split(input, split_size, dim)


by_size.__name__ = "split"
FUNCTIONS |= public_calls.functions(*map(_unsafe, (by_size, chunk, split_with_sizes)))
METHODS |= {f"unsafe_{name}": _unsafe(METHODS[name]) for name in ("split", "chunk", "split_with_sizes")}
