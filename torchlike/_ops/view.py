"""Views: results that share their input's storage. Each row pairs a kernel with its geometry."""

from __future__ import annotations

from torchlike import _errors
from torchlike._layout import view_strides
from torchlike._ops._declare import Array, Index, namespace, view
from torchlike._ops._rules import wrap_dim

Geometry = tuple[tuple[int, ...], tuple[int, ...]]


def infer_size(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """A shape with its one -1 filled in, for `count` elements."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for n in shape:
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n}")
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    if -1 in shape:
        if known == 0:
            raise _errors.ambiguous_minus_one(shape)
        if count % known:
            raise _errors.invalid_shape(shape, count)
        return tuple(count // known if n == -1 else n for n in shape)
    if known != count:
        raise _errors.invalid_shape(shape, count)
    return tuple(shape)


def _view_geometry(shape, strides, size) -> Geometry:
    count = 1
    for n in shape:
        count *= n
    size = infer_size(size, count)
    found = view_strides(shape, strides, size)
    if found is None:
        raise _errors.view_not_possible()
    return size, found


@view(geometry=_view_geometry, node="ViewBackward0", name="view")
def view_(input: Array, size: tuple):
    """The same elements in another shape."""
    count = input.size
    return namespace(input).reshape(input, infer_size(size, count))


def _permute_geometry(shape, strides, dims) -> Geometry:
    if len(dims) != len(shape):
        raise _errors.permute_length(len(shape), len(dims))
    order = [wrap_dim(d, len(shape)) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order)


@view(geometry=_permute_geometry)
def permute(input: Array, dims: tuple):
    """The dims in another order."""
    return namespace(input).transpose(input, [d % max(input.ndim, 1) for d in dims])


def _transpose_geometry(shape, strides, dim0, dim1) -> Geometry:
    order = list(range(len(shape)))
    a, b = wrap_dim(dim0, len(shape)), wrap_dim(dim1, len(shape))
    if shape:
        order[a], order[b] = order[b], order[a]
    return tuple(shape[d] for d in order), tuple(strides[d] for d in order)


@view(geometry=_transpose_geometry, aliases=("swapaxes", "swapdims"))
def transpose(input: Array, dim0: int, dim1: int):
    """Two dims exchanged."""
    return namespace(input).swapaxes(input, dim0, dim1) if input.ndim else input


def _expand_geometry(shape, strides, size) -> Geometry:
    lead = len(size) - len(shape)
    if lead < 0:
        raise _errors.expand_rank(shape, size)
    out, steps = [], []
    for i, n in enumerate(size):
        old = shape[i - lead] if i >= lead else None
        if n == -1:
            if old is None:
                raise _errors.expand_leading(size, i)
            n = old
        if old is not None and old != n and old != 1:
            raise _errors.expand_mismatch(n, old, i, size, shape)
        steps.append(0 if old is None or old != n else strides[i - lead])
        out.append(n)
    return tuple(out), tuple(steps)


@view(geometry=_expand_geometry)
def expand(input: Array, size: tuple):
    """Dims of size one repeated without copying; -1 keeps a dim."""
    lead = len(size) - input.ndim
    shape = [input.shape[i - lead] if n == -1 else n for i, n in enumerate(size)]
    return namespace(input).broadcast_to(input, tuple(shape))


def _select_geometry(shape, strides, dim, index) -> Geometry:
    return shape[:dim] + shape[dim + 1 :], strides[:dim] + strides[dim + 1 :]


@view(geometry=_select_geometry, offset=lambda t, dim, index: t.stride(dim) * index, node="SelectBackward0",
      where=(), name="_select")  # fmt: skip
def _select(input: Array, dim: int, index: Index):
    """One index of a (non-negative) dim."""
    if isinstance(index, int):
        return input[(slice(None),) * dim + (index,)]
    if namespace(input).__name__ == "numpy":
        return input[(slice(None),) * dim + (int(index),)]
    from jax import lax

    return lax.dynamic_index_in_dim(input, index, dim, keepdims=False)


def _slice_geometry(shape, strides, dim, start, length, step) -> Geometry:
    return (*shape[:dim], length, *shape[dim + 1 :]), (*strides[:dim], strides[dim] * step, *strides[dim + 1 :])


@view(geometry=_slice_geometry, offset=lambda t, dim, start, length, step: t.stride(dim) * start,
      node="SliceBackward0", where=(), name="_slice")  # fmt: skip
def _slice(input: Array, dim: int, start: Index, length: int, step: int):
    """`length` indices of a (non-negative) dim, from `start` in steps of `step`."""
    if not isinstance(start, int):
        if namespace(input).__name__ != "numpy":
            from jax import lax

            span = (length - 1) * step + 1 if length else 0
            cut = lax.dynamic_slice_in_dim(input, start, span, dim)
            return cut[(slice(None),) * dim + (slice(None, None, step),)] if step != 1 else cut
        start = int(start)
    stop = start + (length - 1) * step + 1 if length else start
    return input[(slice(None),) * dim + (slice(start, stop, step),)]


def _unsqueeze_geometry(shape, strides, dim) -> Geometry:
    at = wrap_dim(dim, len(shape) + 1)
    step = shape[at] * strides[at] if at < len(shape) else 1
    return (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:])


@view(geometry=_unsqueeze_geometry)
def unsqueeze(input: Array, dim: int):
    """A dim of size one put in at `dim`."""
    return namespace(input).expand_dims(input, dim)


def _squeezed(shape: tuple[int, ...], dim) -> list[int]:
    """The dims that stay."""
    if dim is None:
        return [d for d, n in enumerate(shape) if n != 1]
    dims = {wrap_dim(d, len(shape)) for d in (dim if isinstance(dim, tuple) else (dim,))}
    return [d for d, n in enumerate(shape) if n != 1 or d not in dims]


def _squeeze_geometry(shape, strides, dim) -> Geometry:
    kept = _squeezed(shape, dim)
    return tuple(shape[d] for d in kept), tuple(strides[d] for d in kept)


@view(geometry=_squeeze_geometry)
def squeeze(input: Array, dim=None):
    """Without the dims of size one (or those of them named)."""
    return namespace(input).reshape(input, tuple(input.shape[d] for d in _squeezed(input.shape, dim)))


def _identity_geometry(shape, strides) -> Geometry:
    return shape, strides


@view(geometry=_identity_geometry, node="AliasBackward0", name="view_as_self", where=())
def _alias(input: Array):
    """The same tensor under a second name."""
    return input


def _diagonal_geometry(shape, strides, offset, dim1, dim2) -> Geometry:
    a, b = wrap_dim(dim1, len(shape)), wrap_dim(dim2, len(shape))
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = max(0, min(shape[a], shape[b] - offset) if offset >= 0 else min(shape[a] + offset, shape[b]))
    rest = [d for d in range(len(shape)) if d not in (a, b)]
    return (*[shape[d] for d in rest], length), (*[strides[d] for d in rest], strides[a] + strides[b])


@view(geometry=_diagonal_geometry,
      offset=lambda t, offset, dim1, dim2: t.stride(dim2) * offset if offset >= 0 else -t.stride(dim1) * offset)  # fmt: skip
def diagonal(input: Array, offset: int = 0, dim1: int = 0, dim2: int = 1):
    """The diagonal of each matrix of two dims, as the last dim."""
    return namespace(input).diagonal(input, offset, dim1, dim2)


def _unfold_geometry(shape, strides, dimension, size, step) -> Geometry:
    d = wrap_dim(dimension, len(shape))
    length = shape[d] if shape else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    count = (length - size) // step + 1
    inner = strides[d] if shape else 1
    return (*shape[:d], count, *shape[d + 1 :], size), (*strides[:d], inner * step, *strides[d + 1 :], inner)


@view(geometry=_unfold_geometry)
def unfold(input: Array, dimension: int, size: int, step: int):
    """Windows of `size` indices of a dim, `step` apart, the index within a window as the last dim."""
    xp = namespace(input)
    d = dimension % max(input.ndim, 1)
    count = (input.shape[d] - size) // step + 1
    picked = xp.arange(count)[:, None] * step + xp.arange(size)[None, :]
    return xp.moveaxis(xp.take(input, picked, axis=d), d + 1, -1)
