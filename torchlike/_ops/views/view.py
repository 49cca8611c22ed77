"""View operators, whose results share their input's storage. Each has a kernel and a geometry function."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes.strides import contiguous_strides, view_strides
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array, Index, namespace, view
from torchlike._ops.schema.namespace import summed_wide
from torchlike._ops.schema.typing_rules import Call, wrap_dim

Geometry = tuple[tuple[int, ...], tuple[int, ...]]
Dims = tuple | int | None


@lru_cache(8192)
def infer_size(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the shape with its -1 replaced, if it has one, so that it has `count` elements."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for at, n in enumerate(shape):
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {at} of shape {list(shape)}")
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    if -1 in shape:
        if known == count == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            )
        if known == 0 or count % known:
            raise _errors.shapes.invalid_shape(shape, count)
        return tuple(count // known if n == -1 else n for n in shape)
    if known != count:
        raise _errors.shapes.invalid_shape(shape, count)
    return tuple(shape)


def _view_geometry(shape, strides, size) -> Geometry:
    count = 1
    for n in shape:
        count *= n
    size = infer_size(size, count)
    found = view_strides(shape, strides, size)
    if found is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead."
        )
    return size, found


@view(geometry=_view_geometry, node="ViewBackward0", name="view")
def view_(input: Array, size: tuple):
    """Return the same elements in another shape."""
    count = input.size
    return namespace(input).reshape(input, infer_size(size, count))


def _permute_geometry(shape, strides, dims) -> Geometry:
    if len(dims) != len(shape):
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {len(shape)} is not equal to len(dims) = {len(dims)}"
        )
    order = [wrap_dim(d, len(shape)) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order)


@view(geometry=_permute_geometry)
def permute(input: Array, dims: tuple):
    """Return the tensor with its dims reordered."""
    return namespace(input).transpose(input, [d % max(input.ndim, 1) for d in dims])


def _transpose_geometry(shape, strides, dim0, dim1) -> Geometry:
    order = list(range(len(shape)))
    a, b = wrap_dim(dim0, len(shape)), wrap_dim(dim1, len(shape))
    if shape:
        order[a], order[b] = order[b], order[a]
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order)


@view(geometry=_transpose_geometry)
def transpose(input: Array, dim0: int, dim1: int):
    """Return the tensor with two dims swapped.

    Args:
      dim0, dim1: the dims to swap. Negative dims count from the last.

    >>> torchlike.ones(2, 3, 4).transpose(1, 2).shape
    torch.Size([2, 4, 3])
    """
    return namespace(input).swapaxes(input, dim0, dim1) if input.ndim else input


@view(geometry=lambda shape, strides: (shape[::-1], strides[::-1]), node="TBackward0", name="_t", where=())
def _t(input: Array):
    """Return the transpose of a matrix. Tensors with fewer than two dims are returned unchanged."""
    return namespace(input).transpose(input)


def _expand_geometry(shape, strides, size) -> Geometry:
    lead = len(size) - len(shape)
    out, steps = [], []
    for i in range(len(size) - 1, -1, -1):
        n, old = size[i], shape[i - lead] if i >= lead else None
        if n == -1:
            if old is None:
                raise RuntimeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {i}"
                )
            n = old
        if old is not None and old != n and old != 1:
            raise _errors.shapes.expand_mismatch(n, old, i, size, shape)
        if old is None and n == 1 and shape:  # the stride of a new dim of size 1 spans the dim to its right
            steps.append(out[-1] * steps[-1])
        else:
            steps.append(0 if old is None or old != n else strides[i - lead])
        out.append(n)
    if any(n < 0 for n in out):
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(out[::-1]), tuple(steps[::-1])


def _check_expand(call: Call) -> None:
    if len(call.size) < call.input.ndim:
        raise _errors.shapes.expand_rank(call.input, call.size)


@view(geometry=_expand_geometry, check=_check_expand)
def expand(input: Array, size: tuple):
    """Return the tensor with dims of size 1 expanded to `size` without copying.

    A size of -1 keeps the size of a dim. New dims are added at the front.
    """
    lead = len(size) - input.ndim
    shape = [input.shape[i - lead] if n == -1 else n for i, n in enumerate(size)]
    wide = summed_wide(input)
    repeated = namespace(input).broadcast_to(wide, tuple(shape))
    return repeated if wide is input else repeated.astype(input.dtype)


def _stride(t, dim: int) -> int:
    """Return the stride of a (non-negative) dim.

    This is faster than `t.stride(dim)`, which validates the dim first.
    """
    return (contiguous_strides(t.shape) if t._strides is None else t._strides)[dim]


def _select_geometry(shape, strides, dim, index) -> Geometry:
    return shape[:dim] + shape[dim + 1 :], strides[:dim] + strides[dim + 1 :]


@view(
    geometry=_select_geometry,
    offset=lambda t, dim, index: _stride(t, dim) * index,
    node="SelectBackward0",
    where=(),
    name="_select",
)
def _select(input: Array, dim: int, index: Index):
    """Return the slice at one index of a (non-negative) dim."""
    if input.__class__ is np.ndarray:
        return input[(*(slice(None),) * dim, int(index), ...)]  # the ellipsis makes an element an array of zero dims
    if isinstance(index, int):
        return input[(slice(None),) * dim + (index,)]
    from jax import lax

    return lax.dynamic_index_in_dim(input, index, dim, keepdims=False)


def _slice_geometry(shape, strides, dim, start, length, step) -> Geometry:
    return (*shape[:dim], length, *shape[dim + 1 :]), (*strides[:dim], strides[dim] * step, *strides[dim + 1 :])


@view(
    geometry=_slice_geometry,
    offset=lambda t, dim, start, length, step: _stride(t, dim) * start,
    node="SliceBackward0",
    where=(),
    name="_slice",
)
def _slice(input: Array, dim: int, start: Index, length: int, step: int):
    """Return `length` elements of a (non-negative) dim, from `start` in steps of `step`."""
    if not isinstance(start, int):
        if namespace(input).__name__ != "numpy":
            from jax import lax

            span = (length - 1) * step + 1 if length else 0
            cut = lax.dynamic_slice_in_dim(input, start, span, dim)
            return cut[(slice(None),) * dim + (slice(None, None, step),)] if step != 1 else cut
        start = int(start)
    stop = start + (length - 1) * step + 1 if length else start
    return input[(slice(None),) * dim + (slice(start, stop, step),)]


def _select_offset(t, dim, index) -> int:
    return _stride(t, dim) * index


@view(geometry=_select_geometry, offset=_select_offset, node="UnbindBackward0", where=(), name="_unbound")
def _unbound(input: Array, dim: int, index: Index):
    """Return one of the results of `unbind`."""
    return _select.kernel(input, dim, index)


def _piece_geometry(shape, strides, dim, start, length) -> Geometry:
    return _slice_geometry(shape, strides, dim, start, length, 1)


def _piece_offset(t, dim, start, length) -> int:
    return _stride(t, dim) * start


@view(geometry=_piece_geometry, offset=_piece_offset, node="SplitBackward0", where=(), name="_piece")
def _piece(input: Array, dim: int, start: Index, length: int):
    """Return one of the results of `split`."""
    return _slice.kernel(input, dim, start, length, 1)


@view(geometry=_piece_geometry, offset=_piece_offset, node="SplitWithSizesBackward0", where=(), name="_sized_piece")
def _sized_piece(input: Array, dim: int, start: Index, length: int):
    """Return one of the results of `split_with_sizes`."""
    return _slice.kernel(input, dim, start, length, 1)


def _unsqueeze_geometry(shape, strides, dim) -> Geometry:
    at = wrap_dim(dim, len(shape) + 1)
    step = shape[at] * strides[at] if at < len(shape) else 1
    return (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:])


@view(geometry=_unsqueeze_geometry)
def unsqueeze(input: Array, dim: int):
    """Return the tensor with a dim of size 1 inserted at `dim`.

    Args:
      dim: the place of the new dim in the result. A negative dim counts from the last.

    >>> torchlike.unsqueeze(torchlike.ones(2, 3), 1).shape
    torch.Size([2, 1, 3])
    """
    return namespace(input).expand_dims(input, dim)


def _squeezed(shape: tuple[int, ...], dim) -> list[int]:
    """Return the dims that `squeeze` keeps."""
    if dim is None:
        return [d for d, n in enumerate(shape) if n != 1]
    given = dim if isinstance(dim, tuple) else (dim,)
    for d in given:
        if d.__class__ is not int:
            raise _errors.arguments.wrong_type("squeeze", "dim", 1, "int", d)
    dims = [wrap_dim(d, len(shape)) for d in given]
    for d in dims:
        if dims.count(d) > 1:
            raise _errors.shapes.repeated_dim(d)
    return [d for d, n in enumerate(shape) if n != 1 or d not in dims]


def _squeeze_geometry(shape, strides, dim) -> Geometry:
    kept = _squeezed(shape, dim)
    return tuple(shape[d] for d in kept), tuple(strides[d] for d in kept)


def _squeeze_node(call: Call) -> str:
    return f"SqueezeBackward{0 if call.dim is None else 2 if isinstance(call.dim, tuple) else 1}"


@view(geometry=_squeeze_geometry, node=_squeeze_node)
def squeeze(input: Array, dim: Dims = None):
    """Return the tensor without its dims of size 1.

    If `dim` is given, only the named dims are removed, if their size is 1.

    Args:
      dim: the dim or dims of size 1 to remove. Dims of other sizes stay. Default: all dims of size 1.

    >>> torchlike.squeeze(torchlike.ones(2, 1, 3)).shape
    torch.Size([2, 3])
    """
    return namespace(input).reshape(input, tuple(input.shape[d] for d in _squeezed(input.shape, dim)))


def _identity_geometry(shape, strides) -> Geometry:
    return shape, strides


@view(geometry=_identity_geometry, node="AliasBackward0", name="view_as_self", where=())
def _alias(input: Array):
    """Return a view of the whole tensor."""
    return input


def _diagonal_geometry(shape, strides, offset, dim1, dim2) -> Geometry:
    a, b = wrap_dim(dim1, len(shape)), wrap_dim(dim2, len(shape))
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = max(0, min(shape[a], shape[b] - offset) if offset >= 0 else min(shape[a] + offset, shape[b]))
    rest = [d for d in range(len(shape)) if d not in (a, b)]
    return (*[shape[d] for d in rest], length), (*[strides[d] for d in rest], strides[a] + strides[b])


def _diagonal_start(t, offset, dim1, dim2) -> int:
    shape, _ = _diagonal_geometry(tuple(t.shape), t.stride(), offset, dim1, dim2)
    if not shape[-1]:
        return 0
    return t.stride(dim2) * offset if offset >= 0 else -t.stride(dim1) * offset


@view(geometry=_diagonal_geometry, offset=_diagonal_start)
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1):
    """Return the diagonals of the matrices in dims `dim1` and `dim2`, as the last dim.

    `offset` selects a diagonal above (positive) or below (negative) the main diagonal.

    Args:
      offset: the diagonal: 0 for the main one, positive above it, negative below it.
      dim1, dim2: the dims of the rows and the columns.

    >>> torchlike.diagonal(torchlike.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    most = max(input.shape, default=0)  # NumPy rejects offsets beyond its integer range
    return namespace(input).diagonal(input, min(max(offset, -most), most), dim1, dim2)


def _unfold_geometry(shape, strides, dimension, size, step) -> Geometry:
    d = wrap_dim(dimension, len(shape))
    length = shape[d] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not shape:
        return (size,), (1,)
    count = (length - size) // step + 1
    inner = strides[d]
    return (*shape[:d], count, *shape[d + 1 :], size), (*strides[:d], inner * step, *strides[d + 1 :], inner)


@view(geometry=_unfold_geometry)
def unfold(input: Array, dimension: int, size: int, step: int):
    """Return a view of all windows of `size` elements along `dimension`, `step` elements apart.

    The new last dim indexes the elements within a window.

    Args:
      dimension: the dim.
      size: the number of elements of a window.
      step: the distance between windows, above 0.

    >>> torchlike.arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]])
    """
    xp = namespace(input)
    if not input.ndim:
        return input.reshape(1)[:size]
    d = dimension % input.ndim
    count = (input.shape[d] - size) // step + 1
    if not input.size or not size:
        return xp.zeros((*input.shape[:d], count, *input.shape[d + 1 :], size), input.dtype)
    picked = xp.arange(count)[:, None] * step + xp.arange(size)[None, :]
    return xp.moveaxis(xp.take(input, picked, axis=d), d + 1, -1)


# -- views with another dtype ------------------------------------------------------------------------------------------


def _as_real_geometry(shape, strides) -> Geometry:
    return (*shape, 2), (*[2 * s for s in strides], 1)


def _needs_complex(call: Call) -> None:
    if not call.input.dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")


def _complex(parts):
    """Return complex numbers from the real and imaginary parts in the last dim.

    Infinite parts do not affect each other, unlike in real + 1j * imaginary.
    """
    real, imaginary = parts[..., 0], parts[..., 1]
    if namespace(parts).__name__ != "numpy":
        from jax import lax

        return lax.complex(real, imaginary)
    made = namespace(parts).empty(real.shape, "complex64" if real.dtype.itemsize == 4 else "complex128")
    made.real, made.imag = real, imaginary
    return made


def _put_complex(base, new):
    return _complex(new)


@view(
    geometry=_as_real_geometry,
    check=_needs_complex,
    result=lambda call: call.input.dtype.to_real(),
    inverse=_put_complex,
    offset=lambda t: t._offset,
    where=(),
)
def view_as_real(input: Array):
    """Return a complex tensor as a real one with a last dim of size 2: the real and the imaginary part."""
    return namespace(input).stack([input.real, input.imag], axis=-1)


def _as_complex_geometry(shape, strides) -> Geometry:
    if not shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 for s in strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return shape[:-1], tuple(s // 2 for s in strides[:-1])


def _needs_parts(call: Call) -> None:
    if call.input.dtype is _dtypes.float16:
        raise _errors.arguments.kind_unsupported("view_as_complex", "tensors of dtype torch.complex32")
    if call.input.dtype not in (_dtypes.float32, _dtypes.float64):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            f"scalar type: {scalar_name(call.input.dtype)}"
        )


def _put_parts(base, new):
    return view_as_real.kernel(new).astype(base.dtype)


@view(
    autocast=FULL_ON_CPU,
    geometry=_as_complex_geometry,
    check=_needs_parts,
    result=lambda call: call.input.dtype.to_complex(),
    inverse=_put_parts,
    offset=lambda t: -(t._offset // 2),
    where=("torch",),
)
def view_as_complex(input: Array):
    """Return a real tensor with a last dim of size 2 as a complex tensor.

    >>> torchlike.view_as_complex(torchlike.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    return _complex(input)


def _bitcast_geometry(shape, strides, dtype, itemsize, start) -> Geometry:
    if dtype.itemsize == itemsize:
        return shape, strides
    if dtype.itemsize < itemsize:
        ratio = itemsize // dtype.itemsize
        return (*shape[:-1], shape[-1] * ratio), (*[s * ratio for s in strides[:-1]], 1)
    ratio = dtype.itemsize // itemsize
    return (*shape[:-1], shape[-1] // ratio), (*[s // ratio for s in strides[:-1]], 1)


def _check_bitcast(call: Call) -> None:
    """Check PyTorch's conditions for viewing memory as elements of another size."""
    a, to, strides = call.input, call.dtype, call.strides[0]
    big, small = max(a.dtype.itemsize, to.itemsize), min(a.dtype.itemsize, to.itemsize)
    if big == small:
        return
    names = f"view {scalar_name(a.dtype)} as {scalar_name(to)} (different element sizes)"
    ratio, wider = big // small, to.itemsize == big
    if not a.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 to {names}")
    if wider and a.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to {names}, but got {a.shape[-1]}")
    if wider and call.start % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} to {names}, but got {call.start}")
    if strides is not None and strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 to {names}, but got {strides[-1]}")
    for d, s in enumerate((strides or ())[:-1]):
        if wider and s % ratio:
            raise RuntimeError(f"self.stride({d}) must be divisible by {ratio} to {names}, but got {s}")


def _bits(x, dtype):
    """Return the array's memory as elements of another NumPy dtype.

    The size of the last dim changes if the element sizes differ.
    """
    old, new = x.dtype.itemsize, dtype.itemsize
    if namespace(x).__name__ == "numpy":
        return x.view(dtype) if old == new else x.copy(order="C").view(dtype)
    from jax import lax

    lead = x.shape[:-1]
    length = x.shape[-1] * old // new if x.ndim else 1
    if x.dtype.kind == "c":
        parts = view_as_real.kernel(x)
        return _bits(parts.reshape(*lead, x.shape[-1] * 2) if x.ndim else parts, dtype)
    if x.dtype == bool:
        x = x.astype("uint8")
    if dtype.kind == "b":
        return _bits(x, np.dtype("uint8")) != 0
    if dtype.kind == "c":
        parts = _bits(x, np.dtype(f"f{new // 2}"))
        return _complex(parts.reshape(*lead, length, 2) if x.ndim else parts)
    if new > old:
        return lax.bitcast_convert_type(x.reshape(*lead, length, new // old), dtype)
    cast = lax.bitcast_convert_type(x, dtype)
    return cast if new == old else cast.reshape(*lead, length)


@view(
    geometry=_bitcast_geometry,
    check=_check_bitcast,
    result=lambda call: call.dtype,
    where=(),
    name="_bitcast",
    inverse=lambda base, new: _bits(new, base.dtype).reshape(base.shape),
    node="ViewBackward1",
)
def _bitcast(input: Array, dtype, itemsize, start):
    """Return the input's memory as elements of another dtype.

    The geometry and the check use the input's `itemsize` and its storage offset `start`, in elements.
    """
    return _bits(input, dtype.numpy)
