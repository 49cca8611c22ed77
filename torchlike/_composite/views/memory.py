"""Functions on the memory of tensors: views with arbitrary strides, storages, and shape changes in place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from weakref import ref

from torchlike import _errors
from torchlike._autograd import strided, versions
from torchlike._autograd.nodes import AccumulateGrad, Node, Refusal, hooks_of
from torchlike._composite.views.conjugates import show_as
from torchlike._composite.views.conversions import reshape
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._dtypes import strides as _layout
from torchlike._engine import Value
from torchlike._engine.xla.allocation import check
from torchlike._errors.dtypes import c_name, scalar_name
from torchlike._errors.warned import warn
from torchlike._tensor import exchange, factories, public_calls, storage_io, views
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.exchange import from_dlpack, to_dlpack
from torchlike._tensor.freed_storage import Freed, allocate
from torchlike._tensor.grown_storage import follow, grow
from torchlike._tensor.overriding import DisableTorchFunctionSubclass
from torchlike._tensor.public_calls import history_first, ints
from torchlike._tensor.storage import Handle, Storage, marks, move
from torchlike._tensor.tensor import Tensor, alias, same_memory, turn_into

Ints = tuple[int, ...]

# -- views with arbitrary strides --------------------------------------------------------------------------------------


@history_first
def as_strided(
    input: Tensor, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int | None = None
) -> Tensor:
    """Return a view into the storage, which may show any part of it.

    Element `index` is at the position `storage_offset + sum(index * stride)` of the storage.

    Args:
      size: the shape of the view, a sequence of ints.
      stride: the distance in elements between neighbors along each dim, a sequence of ints.
      storage_offset: the position of the first element in the storage. Default: that of `input`.

    >>> torchlike.as_strided(torchlike.arange(6), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    shape, strides = ints((size,), "as_strided"), ints((stride,), "as_strided", "stride")
    start = input._offset if storage_offset is None else int(storage_offset)
    follow(input)
    _check_strided(input, shape, strides, start)
    if input.dtype is not input._storage.value.aval.dtype:  # the dtype differs from that of the memory
        return _strided_apart(input, shape, strides, start)
    root = whole = origin_of_all(input)
    if whole is None:  # a view that was switched to other memory
        root, whole = input._root(), owner(input)
    assert root is not None
    made = _strided_whole(input, root, whole, shape, strides, start)
    return show_as(made, input)


def _strided_whole(input: Tensor, root: Tensor, whole: Tensor, shape: Ints, strides: Ints, start: int) -> Tensor:
    """Return `as_strided` over memory of the same dtype, with the gradient history of `input`.

    `root` is the base of the result, and `whole` is a tensor over all of the storage.
    """
    made = storage_io.strided_view(whole, shape, strides, start)
    if made._chain is None:
        made = rows["view_as_self"](whole)
    made._origin = root
    edge, grad = input._pair()[1], modes.local.grad
    ((plan, _),) = made._chain
    value = move(plan, whole._value, ())
    value.stamp = versions.stamp_of(whole._value)
    made._tracks, made._cache = grad, (made._storage.version, root._edge, value)
    if whole is not root:
        views.freeze(made, views.Frozen.APART)
        made._edge = edge and (strided.within(input, shape, strides, start) if grad else root._edge and views.NOWHERE)
        return made
    if not grad or (input is not root and not input._tracks):
        views.freeze(made, views.reason(input) if grad else views.reason_of_mode(input))
    made._edge = edge and root._edge and views.NOWHERE
    if edge is not None and grad and input is not root:  # until a write, the gradient flows through `input`
        made._edge = strided.within(input, shape, strides, start)
    elif edge is not None and grad:
        made._edge = views.named((Node(plan, [], [root._edge or edge], []), 0), "AsStridedBackward0")
    return made


def _strided_apart(input: Tensor, shape: Ints, strides: Ints, start: int) -> Tensor:
    """Return `as_strided` over memory of another dtype than that of `input`. The view does not follow its base."""
    if modes.local.grad and input.requires_grad:
        raise _errors.arguments.unsupported("as_strided", "input (with a dtype unlike its storage, with a gradient)")
    made = _strided_within(input, input.dtype, shape, strides, start)
    made._origin = input if input._origin is None else input._root()
    views.freeze(made, views.Frozen.APART)
    return show_as(made, input)


def owner(view: Tensor) -> Tensor:
    """Return a tensor that covers the whole storage of a view, in memory order."""
    root = view if view._origin is None else view._root()
    assert root is not None
    if root._chain is None and root._storage is view._storage:
        return root
    whole = same_memory(view)
    whole._chain, whole._strides, whole._offset = None, view._storage.strides, 0
    return whole


def origin_of_all(tensor: Tensor) -> Tensor | None:
    """Return the base of a tensor (or the tensor itself), which then covers the whole storage.

    A base that covers only part of the storage becomes a view of a new internal base, because a view of it may show the
    rest of the memory. Return None if the base was switched to other memory.
    """
    root: Any = tensor if tensor._origin is None else tensor._root()
    follow(root)
    if root._storage is not tensor._storage:
        return None
    if root._chain is not None:
        shown = views.whole(root if tensor is root else tensor)
        follow(shown)
        seen, made = root._value, _hidden(shown)
        root._origin, root._tracks, root._cache = made, True, (root._storage.version, made._edge, seen)
        root = made
        root._chain, root._strides, root._offset = None, root._storage.strides, 0
        if shown._edge is not None:
            views.rebase(shown)
    return root


def _hidden(shown: Tensor) -> Tensor:
    """Return an internal base that takes the place of `shown`. `shown` and its views become views of it."""
    made = same_memory(shown)
    made._edge, made._shown = shown._edge, ref(shown)
    return made


def _check_strided(input: Tensor, size: Ints, stride: Ints, offset: int) -> None:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    misfit = strided.misfit(size, stride, offset, input.dtype.itemsize, input._storage.nbytes)
    if misfit is not None:
        raise misfit


# -- shapes changed in place -------------------------------------------------------------------------------------------


def become(self: Tensor, seen: Tensor) -> Tensor:
    """Change the geometry of a tensor in place to that of `seen`, which is a view of it."""
    self._storage.check_change(self)
    if self._edge is not None and modes.local.grad:
        views.check_write(self)
    _outdate(self)
    if self._origin is None:
        self._origin, self._tracks = _hidden(self), True
    value, edge = seen._value, self._edge
    value.stamp = versions.stamp_of(self._storage.value)
    if modes.local.grad and edge is not None:
        edge = _renumbered(seen, views.is_whole(self))
    is_leaf = edge is not None and isinstance(edge[0], AccumulateGrad)
    if edge is not None and not is_leaf and not modes.local.grad:
        hooks_of(edge[0]).reshaped = True
    self._chain, self._strides, self._offset = seen._chain, seen._strides, seen._offset
    self._edge = edge
    self._count()
    self._cache = (
        self._storage.version,
        self._cache[1] if self._cache and not self._tracks else None if self._origin is None else self._origin._edge,
        value,
    )
    if edge is not None and (is_leaf or modes.local.grad) and views.is_whole(self):
        views.rebase(self)
    elif self._tracks and not modes.local.grad and not views.is_whole(self):
        self._cache = None  # the next read regenerates its history from the elements that it shows now
    versions.note_fate(views.whole(self))
    return self


def _renumbered(seen: Tensor, whole: bool) -> Any:
    """Return the edge of `seen` with the node name of the in-place overload. PyTorch numbers these overloads last.

    If `whole` is True, users do not see the tensor as a view. The operator is then renamed to "in place" too.
    """
    edge = seen._edge
    if edge is None or edge[0].plan is None:
        return edge
    node = edge[0]
    name, number = node.name()[:-1], int(node.name()[-1])
    number += 3 if name == "SqueezeBackward" else 1
    return views.named(edge, f"{name}{number}", "in place" if whole else "")


def _in_place(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if modes.local.grad:
            views.check_unseen(self)
            if self._value is not None and self._edge is not None:  # reading `_value` updates the edge
                views.check_write(self)
        seen = function(self, *args, **kwargs)
        edge = self._edge if self._origin is None else self._root()._edge
        if edge is not None:
            versions.note_result(edge[0], views.whole(self))
        return become(self, seen)

    made: Any = method
    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"Apply `{name[:-1]}` in place. Only the shape and strides change."
    made.__wrapped__ = function
    return made


def resize_(self: Tensor, *size: Any, memory_format: Any = mf.contiguous_format) -> Tensor:
    """Change the shape in place. The elements stay in memory order. New elements have the values that `empty` gives.

    Args:
      memory_format: the order of the dims in memory. Default: contiguous.

    >>> torchlike.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if self.requires_grad and not modes.local.inference:
        raise RuntimeError("cannot resize variables that require grad")
    self._storage.check_change(self)
    shape = ints(size, "resize_")
    if min(shape, default=0) < 0:
        raise _errors.memory.count_overflow()
    _errors.memory.check_count(shape)
    strides = mf.strides_for(shape, memory_format)
    if shape == tuple(self.shape) and (memory_format is mf.contiguous_format or strides == self.stride()):
        return self
    follow(self)
    need = (self._offset + math.prod(shape)) * self.dtype.itemsize
    if need > self._storage.nbytes:
        _errors.memory.check_overflow(shape, self.dtype.itemsize)
        check(self.device, need)
        old = _outdate(self)
        enlarge(self, need)
        if old is not None:
            versions.note_growth(old, self._storage.whole)
    return become(self, as_strided(self, shape, strides, self._offset))


def _outdate(self: Tensor) -> Value | None:
    """Mark saved references to a tensor as overwritten, because the tensor is about to show other memory.

    Return the old value, or None if nothing was saved. A tensor with its own version counter is skipped: its changes
    must not affect other tensors.
    """
    counter = getattr(self if self._origin is None else self._root(), "_counter", None)
    return None if counter is not None else self._storage.touch(self)


def enlarge(self: Tensor, nbytes: int) -> None:
    """Enlarge the storage of a tensor to at least `nbytes` bytes. All tensors over it keep sharing the memory."""
    storage = self._storage.whole
    if not storage.resizable:
        raise _errors.memory.not_resizable()
    if storage.__class__ is Freed:
        _allocate(storage, nbytes)
        if storage.nbytes >= nbytes:
            return
    check(self.device, nbytes)
    flat = in_memory_order(self)
    kind, strides = storage.value.aval, storage.strides
    with modes.no_grad():
        count = -(-nbytes // flat.dtype.itemsize) - flat.numel()
        more = factories.empty(count, dtype=flat.dtype, device=self.device)
        larger = rows["cat"]([flat, more], 0)._storage
    steps = _layout.contiguous_strides(tuple(kind.shape)) if strides is None else strides
    grow(storage, larger, ((storage_io._plan(larger.value.aval, None, tuple(kind.shape), steps, 0), ()),))


def _allocate(storage: Storage, nbytes: int) -> None:
    """Allocate a freed storage at its former size, filled with zeros. Raise if `nbytes` is smaller."""
    kind = storage.value.aval
    if nbytes < kind.numel * kind.dtype.itemsize:
        raise _errors.arguments.unsupported("UntypedStorage.resize_", "size (smaller than before)")
    with modes.no_grad():
        contents = factories.zeros(tuple(kind.shape), dtype=kind.dtype, device=kind.device)
    allocate(storage, contents._storage.value)


def in_memory_order(tensor: Tensor) -> Tensor:
    """Return all elements of a tensor's storage in memory order, as a one-dim tensor of the storage's dtype."""
    whole = same_memory(owner(tensor))
    whole._storage = whole._storage.whole
    whole._chain, whole._strides, whole._offset = None, whole._storage.strides, 0
    return storage_io.strided_view(whole, (whole._storage.value.aval.numel,), (1,), 0)


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: mf.memory_format | None = None) -> Tensor:
    """Change the shape in place to that of `the_template`.

    With `memory_format=torch.preserve_format`, take the memory format of `the_template` too.

    Args:
      the_template: the tensor with the new shape.
      memory_format: the order of the dims in memory. Default: contiguous.
    """
    wanted = mf.suggested(the_template) if memory_format is mf.preserve_format else memory_format
    return resize_(self, tuple(the_template.shape), memory_format=wanted or mf.contiguous_format)


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """Return the tensor with another shape and the same elements. Deprecated in PyTorch: use `reshape`.

    Args:
      sizes: the new shape, as ints or as one sequence of ints. It must have the same number of elements.
    """
    warn("non-inplace resize is deprecated")
    return reshape(self, ints(sizes, "resize"))


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Return the elements of this tensor with the shape of `tensor`. Deprecated in PyTorch: use `reshape`.

    Args:
      tensor: the tensor with the new shape.
    """
    warn("non-inplace resize_as is deprecated")
    return reshape(self, tuple(tensor.shape))


def _asked_layout(size: Any, stride: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape and the strides that arguments of `set_` specify."""
    shape = ints((size,), "set_")
    strides = _layout.contiguous_strides(shape) if stride is None else ints((stride,), "set_", "stride")
    if len(shape) != len(strides):
        raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(strides)})")
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if min(strides, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(strides)}")
    return shape, strides


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Switch this tensor to the memory of another tensor or storage. Without a source, the tensor becomes empty.

    Args:
      source: a tensor or storage.
      storage_offset: the position of the first element in the storage.
      size: the new shape. Default: all elements of the source.
      stride: the new strides, in elements. Default: contiguous.
    """
    if self.requires_grad and modes.local.grad:
        views.check_write(self)
    self._storage.check_change(self)
    source = _checked_source(self, source)
    held = source._tensor if isinstance(source, Handle) else source
    if held.dtype is not self.dtype and (held is source or source.is_typed):
        raise _other_type(self, held, held is not source)
    if size is not None:
        if held is source and not held.is_contiguous():
            raise RuntimeError("passed in tensor to be used as storage must be contiguous")
        shape, strides = _asked_layout(size, stride)
        need = _layout.extent(shape, strides, storage_offset) * self.dtype.itemsize
        have = held.untyped_storage().nbytes()
        if need > have and tuple(self.shape) == shape and self.stride() == strides:  # PyTorch then resizes nothing
            raise _errors.memory.beyond_storage(shape, strides, storage_offset, self.dtype.itemsize, need, have)
        if isinstance(source, Handle) and need > have:
            enlarge(held, need)
        held = _strided_within(held.detach(), self.dtype, shape, strides, storage_offset)
    elif isinstance(source, Handle):
        held = _strided_within(held.detach(), self.dtype, (source.nbytes() // self.dtype.itemsize,), (1,), 0)
    if (
        held._storage.whole is self._storage.whole
        and self._edge is None
        and held.dtype is held._storage.value.aval.dtype
    ):
        return become(self, as_strided(self, tuple(held.shape), held.stride(), held._offset))
    _outdate(self)
    self._count()  # tensors over the old memory count this change too
    edges = [x._edge for x in (self, source) if isinstance(x, Tensor) and x.requires_grad]
    self._switch_to(show_as(alias(held), self))
    versions.note_fate(views.whole(self))
    if edges and modes.local.grad:
        self._edge = (
            Refusal(lambda: _errors.autograd.no_derivative("set_"), edges, "torch::autograd::NotImplemented"),
            0,
        )
    return self


def _checked_source(self: Tensor, source: Any) -> Any:
    """Check the source of `set_`. Return an empty tensor if there is none."""
    if not isinstance(source, Tensor | Handle | None):
        raise _errors.arguments.invalid_combination("set_", (source,), {})
    if isinstance(source, Handle) and source._part is not None:
        raise _errors.arguments.unsupported("set_", "source (a slice of a storage)")
    return factories.empty(0, dtype=self.dtype, device=self.device) if source is None else source


def _other_type(self: Tensor, held: Tensor, is_storage: bool) -> RuntimeError:
    if is_storage:
        return RuntimeError(
            f"Expected a Storage of type {c_name(self.dtype)} or an UntypedStorage, but got type "
            f"{scalar_name(held.dtype)} for argument 1 'storage'"
        )
    return RuntimeError(f"Could not set tensor of type {c_name(held.dtype)} to a tensor of type {c_name(self.dtype)}")


def _strided_within(held: Tensor, dtype: Any, shape: Ints, strides: Ints, offset: int) -> Tensor:
    """Return a strided view of the memory of a tensor as elements of `dtype`. The view may extend over grown memory."""
    flat = in_memory_order(held)
    if held._storage.whole is held._storage and dtype is flat.dtype:
        return as_strided(held, shape, strides, offset)
    made = same_memory(flat if flat.dtype is dtype else flat.view(dtype))
    plan = storage_io._plan(made._aval, None, shape, strides, offset)
    made._chain = (*(made._chain or ()), (plan, ()))
    made._strides, made._offset = _layout.normal(shape, strides), offset
    return made


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether two tensors show the same memory with the same offset, shape and strides.

    The result is False for lazily conjugated or negated tensors.

    Args:
      tensor: the tensor to compare with.
    """
    return (
        self._storage.whole is tensor._storage.whole
        and self._offset == tensor._offset
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
        and not marks(self)
        and not marks(tensor)
    )


def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Return the dims in memory order, the outermost first.

    Args:
      ambiguity_check: True raises if a dim has stride 0 or size 1, so that the order is not unique. A list of memory
        formats accepts dims of size 1 if the strides match exactly one of the formats.
    """
    if not isinstance(ambiguity_check, bool | list):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = tuple(self.shape), self.stride()
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not all(isinstance(each, mf.memory_format) for each in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if ambiguity_check and 0 in strides:
        raise RuntimeError("The tensor does not have unique dim order.")
    if ambiguity_check and 1 in shape and sum(mf.is_contiguous(shape, strides, each) for each in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    order = list(range(len(shape)))
    for i in order[1:]:  # a dim of stride 0 has no position in memory, so it does not move
        while i and 0 < strides[order[i - 1]] < strides[order[i]]:
            order[i - 1], order[i] = order[i], order[i - 1]
            i -= 1
    return tuple(order)


def as_subclass(self: Tensor, cls: type) -> Any:
    """Return a view of this tensor as an instance of a subclass."""
    if not isinstance(cls, type):
        raise TypeError("cls must be a type (got " + type(cls).__name__ + ")")
    if not issubclass(cls, Tensor):
        raise _errors.making.no_tensor_class()
    with DisableTorchFunctionSubclass():
        return turn_into(cls, rows["view_as_self"](self))


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """Return a tensor of a subclass over the memory of `data`, without history."""
    return as_subclass(data.detach(), cls)._require_grad(require_grad)


# -- properties --------------------------------------------------------------------------------------------------------


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape.

    Args:
      other: a tensor.
    """
    return input.shape == other.shape


def _constant(name: str, found: Any, doc: str) -> Callable[[Tensor], Any]:
    def method(self: Tensor) -> Any:
        return found(self) if callable(found) else found

    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc
    return method


_FACTS = [
    _constant("dense_dim", lambda t: t.ndim, "Return the number of dense dims: all dims."),
    _constant("sparse_dim", 0, "Return the number of sparse dims: always 0."),
]
_VIEWS = {
    "squeeze_": "squeeze",
    "unsqueeze_": "unsqueeze",
    "t_": "t",
    "transpose_": "transpose",
    "swapaxes_": "swapaxes",
    "swapdims_": "swapdims",
    "as_strided_": "as_strided",
}


def _t(self: Tensor) -> Tensor:
    if self.ndim > 2:
        raise _errors.shapes.no_matrix("t_", self.ndim)
    return rows["_t"](self)


def _in_place_views() -> dict[str, Callable]:
    from torchlike._composite.views import shape as _functions_shape

    found = {
        "squeeze": rows["squeeze"],
        "unsqueeze": rows["unsqueeze"],
        "transpose": rows["transpose"],
        "as_strided": as_strided,
        "t": _t,
        "swapaxes": _functions_shape.swapaxes,
        "swapdims": _functions_shape.swapdims,
    }
    return {name: _in_place(name, found[view]) for name, view in _VIEWS.items()}


FUNCTIONS = public_calls.functions(as_strided, is_same_size, from_dlpack, to_dlpack)
METHODS = public_calls.methods(as_strided, is_same_size, as_subclass, is_set_to, resize_as_)
METHODS |= {
    f.__name__: f
    for f in (
        resize_,
        resize,
        resize_as,
        set_,
        dim_order,
        *_FACTS,
    )
} | _in_place_views()
METHODS |= {
    "_make_subclass": staticmethod(_make_subclass),
    "__dlpack__": exchange.dlpack,
    "__dlpack_device__": exchange.dlpack_device,
    "layout": property(lambda self: mf.strided, doc="The layout: always `torch.strided`."),
}
