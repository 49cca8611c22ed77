"""Shapes, dtype and device conversions, and copies: functions that dispatch to several operators."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._autograd import engine
from torchlike._autograd.nodes import sequence
from torchlike._dtypes import devices, modes, strides
from torchlike._dtypes import memory_format as mf
from torchlike._ops.schema.at_once import SMALL
from torchlike._tensor import factories, overriding, public_calls, storage, views
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.binding import before_write, check_history
from torchlike._tensor.from_data import dtype_of, scalar
from torchlike._tensor.public_calls import ints
from torchlike._tensor.tensor import Tensor, alias, same_memory, untracked, wrap
from torchlike._tensor.tracebacks import shortened

# -- shapes ------------------------------------------------------------------------------------------------------------


def view(self: Tensor, *size: Any, **named: Any) -> Tensor:
    """Return the same elements in another shape, sharing storage; with a dtype, reinterpret the bytes in that dtype.

    Args:
      size: the new shape, as ints or as one sequence of ints, or a dtype. One size may be -1; it follows from the
        others.
      named: `size` or `dtype` by name.

    Raises:
      RuntimeError: no strides represent that shape over this memory. `reshape` copies in this case.

    >>> torchlike.arange(6).view(2, -1).shape
    torch.Size([2, 3])
    """
    try:
        if named:
            size = _size_or_dtype(size, named)
        if not size or isinstance(size[0], str | float):
            raise _errors.arguments.invalid_combination("view", size, named)
        if isinstance(size[0], _dtypes.dtype):
            return _view_as_type(self, size[0])
        return rows["view"](self, ints(size, "view"))
    except Exception as error:
        raise shortened(error)


def _size_or_dtype(size: tuple, named: dict) -> tuple:
    if size or len(named) > 1 or not named.keys() <= {"size", "dtype"}:
        raise _errors.arguments.invalid_combination("view", size, named)
    return tuple(named.values())


def _view_as_type(self: Tensor, dtype: _dtypes.dtype) -> Tensor:
    own = self.dtype
    for mark in storage.marks(self):
        raise _errors.memory.view_of_pending(mark)
    plain = same_memory(self) if self.requires_grad else self
    if dtype is own:
        made = rows["view_as_self"](plain)
    else:
        lost = self._offset % max(
            dtype.itemsize // own.itemsize, 1
        )  # the operator needs a misaligned offset for its error only
        made = rows["_bitcast"](plain, dtype, own.itemsize, self._offset if lost else 0)
        made._offset = self._offset * own.itemsize // dtype.itemsize
    return untracked(made)


def reshape(input: Tensor, *shape: Any, **named: Any) -> Tensor:
    """Return the elements in another shape, as a view if the strides permit it, else as a copy.

    Args:
      shape: the new shape, as ints or as one sequence of ints. One size may be -1; it follows from the others.
      named: `shape` by name.

    >>> torchlike.arange(6).reshape(2, -1).shape
    torch.Size([2, 3])
    """
    try:
        from torchlike._ops.views.view import infer_size

        if not shape or named:
            shape = _one_named("reshape", "shape", shape, named)
        wanted = ints(shape, "reshape", "shape")
        try:
            size = infer_size(wanted, input.numel())
        except RuntimeError:
            input._pair()  # the error for an invalidated view has precedence
            raise
        if input._strides is None:
            return rows["view"](input, size)
        if strides.view_strides(tuple(input.shape), input._strides, size) is not None:
            made = rows["view"](input, size)
            if made._edge is not None and made._edge is not views.NOWHERE and not input.is_contiguous():
                made._edge = views.named(made._edge, "ReshapeAliasBackward0")
            return made
        return rows["_unsafe_view"](clone(input, memory_format=mf.contiguous_format), size)
    except Exception as error:
        raise shortened(error)


def _one_named(function: str, name: str, given: tuple, named: dict) -> tuple:
    """Return the sizes of a call `f(size=...)`."""
    if not given and named.keys() == {name}:
        return (named[name],)
    unknown = [n for n in named if n != name]
    if unknown:
        raise _errors.arguments.no_such_keyword(function, unknown[0])
    raise _errors.arguments.missing(function, name)


def expand(self: Tensor, *size: Any, **named: Any) -> Tensor:
    """Expand dims of size one without copying; -1 keeps a dim.

    Args:
      size: the new shape, as ints or as one sequence of ints. New dims come first.
      named: `size` by name.

    >>> torchlike.tensor([[1], [2]]).expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    try:
        named.pop("implicit", None)
        if not size or named:
            size = _one_named("expand", "size", size, named)
        return rows["expand"](self, ints(size, "expand"))
    except Exception as error:
        raise shortened(error)


def permute(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """Return a view with the dims in the order `dims`.

    Args:
      dims: all dims in their new order, as ints or as one sequence of ints. Negative dims count from the last.
      named: `dims` by name.

    >>> torchlike.ones(2, 3, 4).permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    try:
        if not dims or named:
            dims = _one_named("permute", "dims", dims, named)
        return rows["permute"](input, ints(dims, "permute", "dims"))
    except Exception as error:
        raise shortened(error)


def _taking_a_tuple(method: Any, argument: str) -> Any:
    """Return the function for a method that accepts its sizes one by one; the function accepts one tuple only."""

    def function(input: Tensor, *given: Any, **named: Any) -> Tensor:
        name = method.__name__
        input = named.pop("input", input) if named else input
        if not isinstance(input, Tensor):
            if overriding.would_ask(input):
                return overriding.ask((method, 0), (input, *given), named)
            raise _errors.arguments.wrong_type(name, "input", 1, "Tensor", input)
        if len(given) > 1:
            raise TypeError(f"{name}() takes 2 positional arguments but {len(given) + 1} were given")
        if given and given[0].__class__ is int:
            raise _errors.arguments.not_a_size(name, given[0], argument, 2)
        return method(input, *given, **named)

    def by_name(*args: Any, **named: Any) -> Tensor:
        if not args and "input" not in named:
            raise _errors.arguments.missing(method.__name__, *[n for n in ("input", argument) if n not in named])
        return function(*args, **named) if args else function(named.pop("input"), **named)

    by_name.__name__ = by_name.__qualname__ = method.__name__
    by_name.__doc__ = method.__doc__
    first = inspect.Parameter("input", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
    second = first.replace(name=argument, annotation="Sequence[int]")
    by_name.__signature__ = inspect.Signature([first, second], return_annotation="Tensor")
    return overriding.known((method, 0), by_name)


def contiguous(self: Tensor, *, memory_format: Any = mf.contiguous_format) -> Tensor:
    """Return this tensor if it is contiguous in the memory format, else a contiguous copy.

    Args:
      memory_format: the order of the dims in memory.

    >>> torchlike.ones(2, 3).T.contiguous().stride()
    (2, 1)
    """
    if memory_format is mf.contiguous_format and self._strides is None:
        return self
    return self if self.is_contiguous(memory_format=memory_format) else clone(self, memory_format=memory_format)


def clone(input: Tensor, *, memory_format: mf.memory_format | None = mf.preserve_format) -> Tensor:
    """Return a differentiable copy of the tensor.

    >>> torchlike.tensor([1, 2]).clone()
    tensor([1, 2])
    """
    made = rows["clone"](input)
    if input._strides is None and (memory_format is mf.preserve_format or memory_format is mf.contiguous_format):
        made._strides = made._storage.strides = None
        return made
    return _in_format(made, input, memory_format)


def clone_for(input: Tensor, *others: Tensor) -> Tensor:
    """Return a copy of `input` into which values computed from `others` can be written inside a mapped function.

    It is batched (`vmap`) over the levels in which one of `others` is batched.
    """
    made = clone(input)
    always = factories.batched_like(True, others)
    return made if always is None else rows["where"](always, made, made)


def _in_format(made: Tensor, source: Tensor, memory_format: Any) -> Tensor:
    """Set the strides of a new tensor according to a memory format."""
    return factories.with_strides(made, factories.like_strides(source, memory_format))


def detach(input: Tensor) -> Tensor:
    """Return this tensor without its autograd history. The result shares the storage."""
    return input.detach()


# -- conversions -------------------------------------------------------------------------------------------------------


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Convert this tensor to another dtype or device.

    If nothing changes, return the tensor itself, unless `copy` is set.

    Args:
      args, kwargs: `dtype`, `device`, a tensor whose dtype and device are taken, `non_blocking` (no effect on results),
        `copy` (always copy) and `memory_format`. The signatures are `to(dtype)`, `to(device, dtype)` and `to(other)`.

    >>> torchlike.ones(2).to(torchlike.int64)
    tensor([1, 1])
    """
    if len(args) == 1 and not kwargs and args[0].__class__ is _dtypes.dtype:
        return convert(self, args[0], None, False, mf.preserve_format)
    try:
        device, dtype, copy, memory_format = _parse_to(args, kwargs)
    except TypeError:
        if not overriding.would_ask(*args, *kwargs.values()):
            raise
        return overriding.ask(Tensor.to, (self, *args), kwargs)
    if isinstance(device, Tensor):
        device, dtype = device.device, device.dtype
    return convert(self, dtype or self.dtype, device, copy, memory_format)


def _parse_to(args: tuple, kwargs: dict) -> tuple:
    """Return the device (or the other tensor), the dtype, `copy` and the memory format of a call of `to`."""
    first = args[0] if args else None
    names = ("device", "dtype", "non_blocking", "copy")
    if isinstance(first, Tensor) or "tensor" in kwargs:
        names = ("tensor", "non_blocking", "copy")
    elif isinstance(first, _dtypes.dtype | type):
        names = ("dtype", "non_blocking", "copy")
    given = {**dict(zip(names, args)), **kwargs}
    is_known = given.keys() <= {*names, "memory_format"} and len(given) == len(args) + len(kwargs)
    if not is_known or not all(isinstance(given.get(name, value), kind) for name, (value, kind) in _TO.items()):
        raise _errors.arguments.invalid_combination("to", args, kwargs)
    # `non_blocking` is ignored: the result of every copy can be used at once.
    device, dtype = given.get("device", given.get("tensor")), dtype_of("to", given.get("dtype"))
    return device, dtype, given.get("copy", False), given.get("memory_format") or mf.preserve_format


# The arguments of `to`, with their defaults and types.
_TO: dict[str, tuple[Any, Any]] = {
    "device": (None, str | devices.device | int | None),
    "dtype": (None, _dtypes.dtype | type | None),
    "non_blocking": (False, bool),
    "copy": (False, bool),
}


def convert(self: Tensor, dtype: Any, device: Any, copy: bool, memory_format: Any) -> Tensor:
    """Convert a tensor to a dtype, device and memory format; the implementation of `to`."""
    made = self
    place = self.device if device is None else modes.canonical(device)
    if place is not self.device:
        made = _move(self, place)
    if dtype is not made.dtype:
        if made.dtype.is_complex and not made.is_meta:
            _errors.dtypes.warn_of_cast(made.dtype, dtype)
        made = rows["_to"](made, dtype)
    if memory_format is not mf.preserve_format:
        exact = mf.strides_for(tuple(self.shape), memory_format)
        if made is self and not copy and mf.suggested(self) is memory_format:
            return self
        return made if made is not self and made.stride() == exact else clone(made, memory_format=memory_format)
    return clone(made) if copy and made is self else made


def _move(self: Tensor, place: devices.device) -> Tensor:
    from torchlike._transforms.device_transfer import moved_to, transfer_node

    value = self._value
    moved = moved_to(place, value)
    edge = transfer_node(self._edge, value.aval, moved.aval) if self._edge is not None and modes.local.grad else None
    made = wrap(moved, edge)
    return made if self._strides is None else _in_format(made, self, mf.preserve_format)


def cpu(self: Tensor, *, memory_format: mf.memory_format | None = mf.preserve_format) -> Tensor:
    """Return this tensor on the CPU.

    >>> torchlike.ones(2).cpu().device
    device(type='cpu')
    """
    place = devices.cpu
    if self.device is place and memory_format is mf.preserve_format:
        return self
    return convert(self, self.dtype, place, False, memory_format)


def cuda(
    self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = mf.preserve_format
) -> Tensor:
    """Return this tensor on a GPU.

    Args:
      device: the GPU: its index, its name or a device. Default: the current GPU.
    """
    place = devices.device("cuda" if device is None else device)
    if place.type != "cuda":
        raise _errors.making.not_cuda()
    return convert(self, self.dtype, place, False, memory_format)


def _to_other(kind: str) -> Any:
    def method(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = mf.preserve_format):
        place = devices.device(kind if device is None else device)
        if place.type != kind:
            raise RuntimeError(f"Invalid device, must be {kind} device")
        return convert(self, self.dtype, place, False, memory_format)

    method.__name__ = method.__qualname__ = kind
    method.__doc__ = f"""Raise PyTorch's error for the device type {kind}, which JAX does not have.

    Args:
      device: the device or its index.
    """
    return method


def to_method(name: str, dtype: _dtypes.dtype) -> Any:
    def method(self: Tensor, *, memory_format: mf.memory_format | None = mf.preserve_format) -> Tensor:
        return convert(self, dtype, None, False, memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""Return this tensor cast to {dtype!r}.

    >>> torchlike.ones(2, dtype=torchlike.int16).{name}().dtype
    {dtype!r}
    """
    return method


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Convert this tensor to the dtype and device of `other`.

    Args:
      other: the tensor with the new dtype and device.

    >>> torchlike.tensor([1, 2]).type_as(torchlike.ones(1))
    tensor([1., 2.])
    """
    return convert(self, other.dtype, other.device, False, mf.preserve_format)


_SOURCES = (Tensor, int, float, complex, np.generic)


def copy_(self: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite this tensor with `other`, which is broadcast and cast.

    Args:
      other: the tensor with the new elements.

    >>> torchlike.zeros(2).copy_(torchlike.tensor([1, 2]))
    tensor([1., 2.])
    """
    try:
        if not isinstance(non_blocking, bool) and isinstance(other, _SOURCES):
            raise _errors.arguments.wrong_type("copy_", "non_blocking", 2, "bool", non_blocking)
        return replace(self, other, "torch::autograd::CopyBackwards")
    except Exception as error:
        if not overriding.would_ask(other):
            raise shortened(error)
    return overriding.ask(Tensor.copy_, (self, other), {"non_blocking": True} if non_blocking else {})


def replace(self: Tensor, src: Any, node: str) -> Tensor:
    """Overwrite this tensor as `copy_` does; the gradient node has the given name."""
    if not isinstance(src, Tensor):
        if not isinstance(src, _SOURCES):
            raise _errors.arguments.wrong_type("copy_", "other", 1, "Tensor", src)
        dtype = self.dtype if not isinstance(src, complex) or self.dtype.is_complex else modes.default_complex()
        shape = tuple(self.shape) if self.numel() <= SMALL else ()  # otherwise the program repeats the number
        src = factories.of_array(scalar(src, dtype, shape), self.device)
    return _overwrite(self, src, node)


def _overwrite(self: Tensor, src: Tensor, node: str) -> Tensor:
    if self.dtype.category < _dtypes.FLOATING and src._edge is not None and src is not self:
        src = alias(src)  # integer and bool tensors have no gradient
    if storage.overlaps((), self.shape, self._strides) and is_same(self, src):
        records = modes.local.grad and self.requires_grad
        if records:
            check_history(self, (src,))
        if not records or not views.is_whole(self):  # a copy to itself changes nothing
            if records:
                views.unplaceable(self)
            self._count()
            return self
    # A fill value is read before the write, so it cannot overlap with the written elements.
    before_write(self, () if node.startswith("Fill") else (src,), copies=True)
    since, given = next(sequence), src
    if src.device is not self.device:
        src = _move(src, self.device)
    if src.dtype is not self.dtype:
        _errors.dtypes.warn_of_cast(src.dtype, self.dtype)
        src = rows["_to"](src, self.dtype)
    if src.shape != self.shape:
        src = _broadcast_onto(src, tuple(self.shape))
    value, edge = src._pair()
    records = edge is not None and modes.local.grad
    if src._storage.inference or records:
        value = engine.apply_op("clone", (value, None))[0]
    elif not records and (src is given or value.stamp is not None):
        value = engine.another(value)
    self._write(value, edge, since, node)
    return self


def is_same(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors have the same elements of one storage, with the same geometry and dtype."""
    return (
        a._storage is b._storage
        and a._offset == b._offset
        and a.shape == b.shape
        and a.stride() == b.stride()
        and a.dtype is b.dtype
        and storage.marks(a) == storage.marks(b)
    )


def _broadcast_onto(src: Tensor, shape: tuple[int, ...]) -> Tensor:
    from torchlike._ops.schema.typing_rules import broadcast

    common = broadcast([shape, tuple(src.shape)])
    if common != shape:
        raise _errors.shapes.in_place_shape(shape, common)
    return rows["expand"](src, shape)


FUNCTIONS = {
    **public_calls.functions(clone, detach),
    "reshape": _taking_a_tuple(reshape, "shape"),
    "permute": _taking_a_tuple(permute, "dims"),
}


def to_padded_tensor(self: Tensor, padding: float, output_size: tuple[int, ...] | None = None) -> Tensor:
    """Raise PyTorch's error: only nested tensors have components that can be padded.

    Args:
      padding: the number in the padded positions.
      output_size: the size of the result.
    """
    raise _errors.layouts.not_for("to_padded_tensor", self.layout)


METHODS = {f.__name__: f for f in (view, reshape, expand, permute, contiguous, clone, to, cpu, cuda, copy_)}
METHODS |= public_calls.methods(contiguous, clone, type_as, to_padded_tensor)
METHODS |= {kind: _to_other(kind) for kind in ("xpu", "ipu", "mtia")}
METHODS |= {"byte": to_method("byte", _dtypes.uint8), "char": to_method("char", _dtypes.int8)}
