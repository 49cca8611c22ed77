"""Factories of tensors from Python data and NumPy arrays, of constant tensors, and of tensors like another tensor.

NumPy creates the data on the host immediately. Factories of number sequences (`arange` and others) are in a separate
module.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices, modes
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import strides as _layout
from torchlike._engine import Value, aval
from torchlike._engine.trace.batched_values import Row, as_rows, levels_of, lift, outermost
from torchlike._engine.xla import allocation
from torchlike._engine.xla.transfers import constant, to_device
from torchlike._errors.warned import once, warn
from torchlike._ops.schema.binding import is_whole
from torchlike._random import Generator
from torchlike._tensor import exchange, from_data
from torchlike._tensor.argument_forms import check_options, number_of, plain, stands_for_number
from torchlike._tensor.exchange import from_file, from_numpy, frombuffer
from torchlike._tensor.from_data import dtype_of
from torchlike._tensor.overriding import DisableTorchFunctionSubclass
from torchlike._tensor.public_calls import functions, is_index, worded
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, adopt, wrap
from torchlike._tensor.tracebacks import shortened


class Missing:
    """The type of the default value of arguments for which None is a valid value."""

    def __repr__(self) -> str:
        return "<not given>"


MISSING: Any = Missing()


def of_array(array: np.ndarray, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor that uses an array as its data without a copy. No other code may write to the array.

    Args:
      array (ndarray): the array. Its shape and dtype are those of the tensor.
      device (device or str, optional): the device of the tensor. Default: the default device.
      requires_grad (bool, default False): let autograd record operations on the tensor.
    """
    place = modes.canonical(device)
    value = Value(aval(array.shape, _dtypes.from_numpy(array.dtype), place), _place(array, place))
    tensor = wrap(value)
    return _requiring(tensor) if requires_grad else tensor


def of_constant(array: np.ndarray, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Do the same as `of_array` for an array that a program is likely to create again, such as zeros or a range.

    On an accelerator, it is filled there or transferred once (see `transfers.constant`).
    """
    place = modes.canonical(device)
    if place.type in ("cpu", "meta"):
        return of_array(array, place, requires_grad)
    tensor = wrap(Value(aval(array.shape, _dtypes.from_numpy(array.dtype), place), constant(array, place)))
    return _requiring(tensor) if requires_grad else tensor


def _requiring(tensor: Tensor) -> Tensor:
    if tensor.dtype.category < _dtypes.FLOATING:
        raise _errors.making.cannot_require_grad()
    return tensor._require_grad()


def _place(array: np.ndarray, place: devices.device) -> Any:
    if place.type == "cpu":
        return array
    if place.type == "meta":
        return None
    return to_device(array, place)


def with_strides(tensor: Tensor, strides: tuple[int, ...]) -> Tensor:
    """Set the strides of a new tensor, and return the tensor."""
    tensor._strides = tensor._storage.strides = _layout.normal(tuple(tensor.shape), strides)
    return tensor


# -- from data ---------------------------------------------------------------------------------------------------------


def of_data(data: Any, dtype: Dtype | None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor with a copy of `data`. The copy of a dense array has its strides."""
    made = of_array(from_data.of_data(data, dtype), device, requires_grad)
    if isinstance(data, np.ndarray) and data.ndim and not _is_row_major(data):
        strides = tuple(s // data.itemsize for s in data.strides)
        return with_strides(made, strides) if _layout.is_dense(data.shape, strides) else made
    return made


def _is_row_major(array: np.ndarray) -> bool:
    """Return whether an array has exactly the strides of a new one. NumPy ignores those of dims of size 0 and 1."""
    return array.flags.c_contiguous and array.size > 1 and (array.ndim == 1 or 1 not in array.shape)


def tensor(
    data: Any = MISSING,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a new tensor with a copy of `data`: a number, nested sequences of numbers, an array or a tensor.

    Python ints give int64, floats the default dtype, and bools bool.

    Args:
      data: the elements.
      dtype: the dtype of the result. Default: inferred from `data`.

    >>> torchlike.tensor([[1., 2.], [3., 4.]]).shape
    torch.Size([2, 2])
    """
    try:
        if data is MISSING:
            raise _errors.arguments.missing("tensor", "data")
        check_options(
            "tensor",
            dtype=dtype,
            device=device,
            pin_memory=_bool("tensor", "pin_memory", pin_memory),
            requires_grad=_bool("tensor", "requires_grad", requires_grad),
        )
        dtype = dtype_of("tensor", dtype)
        if isinstance(data, Tensor):
            warn(_errors.making.copy_construct("torch.tensor"))
            return _copied(data, dtype, device, requires_grad)
        if isinstance(data, np.ndarray):
            return of_data(data, dtype, device, requires_grad)
        return of_array(from_data.of_data(data, dtype), device, requires_grad)
    except Exception as error:
        raise shortened(error)


def _copied(data: Tensor, dtype: Dtype | None, device: Any, requires_grad: bool) -> Tensor:
    if data.__class__ not in TENSOR_TYPES:
        with DisableTorchFunctionSubclass():
            data = data.detach()
    made = data.detach().to(dtype=dtype or data.dtype, device=data.device if device is None else device, copy=True)
    return _requiring(made) if requires_grad else made


def _bool(name: str, option: str, given: Any) -> Any:
    """Return an option that must not be None."""
    if given is None:
        raise _errors.arguments.wrong_type(name, option, None, "bool", given)
    return given


def as_tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Return `data` as a tensor. A tensor or NumPy array with that dtype and device is not copied.

    Args:
      data: a number, nested sequences, an array or a tensor.
      dtype: the dtype of the result. Default: that of `data`.
      device: the device of the result. Default: that of `data`.

    >>> torchlike.as_tensor([1, 2])
    tensor([1, 2])
    """
    check_options("as_tensor", dtype=dtype, device=device)
    dtype = dtype_of("as_tensor", dtype)
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=data.device if device is None else device)
    return of_array(from_data.of_data(data, dtype), device)


def asarray(
    obj: Any,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Return `obj` as a tensor that shares its memory if the dtype and device allow it.

    Args:
      requires_grad: whether autograd records operations on the result. Default: as `obj`, if it is a tensor.
      obj: a tensor, a NumPy array, an array that supports DLPack, an object with the buffer protocol, or numbers.
      copy: True always copies. False raises if the memory cannot be shared. None copies if needed.
      dtype: the dtype of the result. Default: that of `obj`, or inferred from the numbers.
      device: the device of the result. Default: that of `obj`, or the default device for numbers.
    """
    check_options(
        "asarray", dtype=dtype, device=device, requires_grad=False if requires_grad is None else requires_grad
    )
    if not isinstance(copy, bool | None):
        raise _errors.arguments.wrong_type("asarray", "copy", None, "bool", copy)
    dtype = dtype_of("asarray", dtype)
    found = _sharing(obj, dtype, copy)
    if found is None:
        return of_array(from_data.of_data(obj, dtype), device, bool(requires_grad))
    if requires_grad is None and found.requires_grad:
        once(_REQUIRING)
    requires_grad = found.requires_grad if requires_grad is None else requires_grad
    made = found.to(dtype=dtype or found.dtype, device=found.device if device is None else device)
    if copy is False and made is not found:
        raise _errors.making.cannot_alias(found, made)
    made = made.clone() if copy and made is found else made
    if requires_grad:
        return _requiring(made)
    if made.requires_grad:
        return made.requires_grad_(False) if made.is_leaf else made.detach()
    return made


def _has_buffer(obj: Any) -> bool:
    try:
        return memoryview(obj) is not None
    except TypeError:
        return False


_REQUIRING = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


def _sharing(obj: Any, dtype: Dtype | None, copy: bool | None) -> Tensor | None:
    """Return a tensor over the memory of `obj`, or None for numbers."""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, np.ndarray):
        return exchange.over(obj) if copy else from_numpy(obj)
    if isinstance(obj, np.generic):
        if copy is False:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        return of_array(np.asarray(obj))
    if hasattr(obj, "__dlpack__") or type(obj).__name__ == "PyCapsule":
        return exchange.from_dlpack(obj)
    if hasattr(obj, "_seen_as"):  # a public storage object
        return obj._seen_as(dtype)
    if _has_buffer(obj):
        return frombuffer(obj, dtype=dtype or modes.default_dtype)
    if copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    return None


def scalar_tensor(
    s: Any,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a zero-dim tensor with the value `s`. Its dtype is by default the default real or complex dtype.

    Args:
      s: a number.

    >>> torchlike.scalar_tensor(3)
    tensor(3.)
    """
    check_options(
        "scalar_tensor",
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    if not isinstance(s, int | float | complex | np.number | np.bool_) and not (isinstance(s, Tensor) and not s.ndim):
        raise _errors.arguments.wrong_type("scalar_tensor", "s", 1, "Number", s)
    kind = dtype_of("scalar_tensor", dtype) or modes.default_dtype
    return of_array(from_data.scalar(s, kind), device, requires_grad)


def legacy_tensor(*args: Any, device: Any = None, dtype: Dtype | None = None, **kwargs: Any) -> Tensor:
    """Return the result of the legacy constructor `Tensor(...)`.

    `Tensor(2, 3)` is an uninitialized tensor of this size, `Tensor([2, 3])` a tensor of the default dtype with these
    elements, and `Tensor(x)` the detached tensor `x`.
    """
    kind = dtype or modes.default_dtype
    if kwargs:
        raise TypeError(f"new() received an invalid keyword argument: {next(iter(kwargs))}")
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].detach()
    if len(args) == 1 and isinstance(args[0], str | bytes):
        raise _errors.making.data_of_text(args[0])
    if len(args) != 1 or type(args[0]).__name__ == "Size" or is_index(args[0]):
        return empty(*args or (0,), dtype=kind, device=device)
    if isinstance(args[0], np.ndarray):
        return as_tensor(args[0], dtype=kind, device=device)
    if not from_data.is_sequence(args[0]):
        raise TypeError(f"new(): data must be a sequence (got {_errors.arguments.type_name(args[0])})")
    return of_array(from_data.of_data(args[0], kind), device)


def build_tensor(cls: type, *args: Any, **kwargs: Any) -> Any:
    """Return `cls(...)` for Tensor and its subclasses."""
    made = legacy_tensor(*args, **kwargs)
    return made if cls is Tensor else adopt(cls, made)


# -- filled with one number --------------------------------------------------------------------------------------------


def shape_of(size: tuple, name: str = "empty", negative: Callable | None = None) -> tuple[int, ...]:
    """Return the shape of `f(2, 3)`, `f((2, 3))` or `f(torch.Size([2, 3]))`."""
    listed = len(size) == 1 and not isinstance(size[0], int | np.integer | Tensor)
    if listed and (isinstance(size[0], list | tuple) or not is_index(size[0])):
        if not isinstance(size[0], list | tuple):
            raise _errors.arguments.not_a_size(name, size[0])
        size = tuple(size[0])
    if size and size[0].__class__ is not int and not is_index(size[0]):
        raise _first_of_size(name, size[0], len(size), listed)
    shape = tuple([n if n.__class__ is int else _size_item(n, name, i) for i, n in enumerate(size)])
    if len(shape) > 64:
        raise _errors.shapes.too_many_dims()
    for i, n in enumerate(shape):
        if not 0 <= n < 1 << 63:
            if abs(n) >= 1 << 63:
                raise _errors.arguments.size_overflow(name, i + 1)
            raise negative(n, shape) if negative else _errors.making.negative_dim(n, shape)
    return shape


def _first_of_size(name: str, first: Any, count: int, listed: bool) -> TypeError:
    """Return PyTorch's error for a size whose first number is not an int. `listed`: the size is one sequence."""
    if listed:
        return _errors.arguments.wrong_element(name, "size", 1, 0, first)
    if count > 1:
        return _errors.arguments.too_many(name, 1, count)
    return _errors.arguments.not_a_size(name, first)


def _size_item(n: Any, name: str, place: int) -> int:
    try:
        return operator.index(n)
    except (AttributeError, TypeError):
        raise _errors.arguments.size_item(name, n, place + 1) from None


def check_into(name: str, out: Tensor, dtype: Dtype) -> None:
    """Raise PyTorch's errors for the `out=` of a factory whose result has this dtype."""
    if not isinstance(out, Tensor):
        raise _errors.arguments.out_is_no_tensor(name, out)
    if dtype is not out.dtype:
        raise _errors.dtypes.made_out(dtype, out.dtype)
    resizes = name in ("empty", "randn")  # these factories resize `out` even if the shapes agree
    if out.requires_grad and (modes.local.grad or resizes):
        if resizes:
            raise RuntimeError("cannot resize variables that require grad")
        raise _errors.autograd.out_with_grad(f"aten::{name}")
    if out.is_leaf:  # the factory sets it again if its `requires_grad` is True
        out._require_grad(False)


def into(name: str, out: Tensor | None, made: Tensor, *, repeats: bool = False) -> Tensor:
    """Return the result of the factory `name`, or `out` with the result written into it.

    `repeats`: the factory repeats one number, so `out` may have dims of stride zero.
    """
    if out is None:
        return made
    check_into(name, out, made.dtype)
    if out.shape != made.shape:
        out.resize_(made.shape)
    target = out
    for dim, step in enumerate(out.stride() if repeats and out._strides is not None else ()):
        if step == 0 and out.shape[dim] > 1:
            target, made = target.narrow(dim, 0, 1), made.narrow(dim, 0, 1)
    target.copy_(made.detach())
    return out._require_grad() if made.requires_grad else out


def unfilled(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return an array of any shape over a single element, for a tensor on `meta`."""
    return np.broadcast_to(np.zeros((), dtype), shape)


def uninitialized(dtype: Any) -> Any:
    """Return the fill value of uninitialized memory.

    The value is 0, or NaN, True or the largest integer if `fill_uninitialized_memory` is set in deterministic mode.
    """
    if not modes.fill_uninitialized:
        return 0
    if dtype.category >= _dtypes.FLOATING:
        return float("nan")
    return True if dtype is _dtypes.bool_ else int(np.iinfo(dtype.numpy).max)


def _repeated(shape: tuple[int, ...], fill: int, dtype: Any, device: Any) -> np.ndarray:
    if fill == 0:  # the system provides pages of zeros when they are first used
        return _uniform(lambda size: np.zeros(size, dtype.numpy), shape, dtype, device)
    number = _dtypes.cast(np.array(fill), dtype) if dtype in _dtypes.FLOAT8 else fill
    return _uniform(lambda size: np.full(size, number, dtype.numpy), shape, dtype, device)


def _constant(shape: tuple[int, ...], number: Any, dtype: Dtype, device: Any) -> np.ndarray:
    return _uniform(lambda size: from_data.filled(size, number, dtype), shape, dtype, device)


def _uniform(fill: Callable, shape: tuple[int, ...], dtype: Dtype, device: Any) -> np.ndarray:
    """Return the array of a new tensor that repeats one number. `fill(shape)` makes it.

    For an accelerator the array has strides of zero (see `of_constant`).
    """
    place = modes.canonical(device)
    if place.type == "cpu":
        return allocation.created(lambda: fill(shape), shape, dtype.itemsize, place)
    allocation.check_new(shape, dtype.itemsize, place)
    return unfilled(shape, dtype.numpy) if place.type == "meta" else np.broadcast_to(fill(()), shape)


def _filled(name: str, fill: Any, doc: str, negative: Callable | None = None) -> Callable[..., Tensor]:
    """Return a factory. `negative(n, shape)` returns its error for a negative size, if that is not the usual one."""

    def factory(
        *size: Any,
        out: Tensor | None = None,
        dtype: Dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        **more: Any,
    ) -> Tensor:
        if more:
            size, order = _rarely(name, size, more)
        else:
            order = None
        if layout is not None or device is not None or pin_memory is not False or requires_grad.__class__ is not bool:
            check_options(name, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad)
        if dtype.__class__ is not Dtype:
            dtype = dtype_of(name, dtype) or (modes.default_dtype if out is None else out.dtype)
        if not size:
            raise _errors.arguments.missing(name, "size")
        number = uninitialized(dtype) if fill is None else fill
        made = of_constant(_repeated(shape_of(size, name, negative), number, dtype, device), device, requires_grad)
        if order is not None:
            with_strides(made, mf.strides_for(tuple(made.shape), order))
        return made if out is None else into(name, out, made, repeats=True)

    factory.__name__ = factory.__qualname__ = name
    factory.__doc__ = f"""{doc}

    Args:
      more: `size` by name{", and `memory_format`" if name == "empty" else ""}.

    >>> torchlike.{name}(2, 3).shape
    torch.Size([2, 3])
    """
    return factory


def _rarely(name: str, size: tuple, more: dict) -> tuple[tuple, Any]:
    """Extract the rarely used arguments: `size=` by name, and `memory_format=` of `empty`."""
    if "size" in more:
        if size:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        size = (more.pop("size"),)
        if not isinstance(size[0], list | tuple):
            raise _errors.arguments.wrong_type(name, "size", None, "tuple of ints", size[0])
    order = more.pop("memory_format", None) if name == "empty" else None
    if order is mf.preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    if more:
        raise _errors.arguments.no_such_keyword(name, next(iter(more)))
    return size, order


_OF_ZEROS = "Return a tensor filled with zeros. The size is `zeros(2, 3)` or `zeros((2, 3))`."
zeros = _filled("zeros", 0, _OF_ZEROS, lambda *_: RuntimeError("zeros: Dimension size must be non-negative."))
ones = _filled("ones", 1, "Return a tensor filled with ones. The size is `ones(2, 3)` or `ones((2, 3))`.")
empty = _filled("empty", None, "Return an uninitialized tensor (zeros here).")


def full(
    size: Any,
    fill_value: Any = MISSING,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor filled with one number. The dtype follows the type of the number.

    Args:
      size: the shape, a sequence of ints.
      fill_value: the number.
      dtype: the dtype of the result. Default: int64, bool, the default dtype or its complex dtype, by the type of
        `fill_value`.

    >>> torchlike.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    if fill_value is MISSING:
        raise _errors.arguments.missing("full", "fill_value")
    check_options("full", layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad)
    shape, fill_value = _sized_by_tuple("full", size), _fill_number("full", fill_value)
    dtype = dtype_of("full", dtype) or (modes.scalar_dtype(type(fill_value)) if out is None else out.dtype)
    made = of_constant(_constant(shape, fill_value, dtype, device), device, requires_grad)
    return into("full", out, made, repeats=True)


def _sized_by_tuple(name: str, size: Any) -> tuple[int, ...]:
    if not isinstance(size, list | tuple):
        raise _errors.arguments.not_a_size(name, size)
    return shape_of((size,), name)


def _ints(name: str, argument: str, given: Any) -> tuple[int, ...]:
    """Return the second argument of a factory, a sequence of ints."""
    if not isinstance(given, list | tuple):
        raise _errors.arguments.not_a_size(name, given, argument, 2)
    for place, n in enumerate(given):
        if not is_whole(n):
            raise _errors.arguments.wrong_element(name, argument, 2, place, n)
    return tuple([int(n) for n in given])


def _fill_number(name: str, number: Any) -> Any:
    if stands_for_number(number):
        return number_of(number)
    if not isinstance(number, int | float | complex):
        raise _errors.arguments.wrong_type(name, "fill_value", 2, "Number", number)
    return plain(number)


def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return an uninitialized tensor (zeros here) with the given shape and strides.

    Args:
      size: the shape, a sequence of ints.
      stride: the strides, in elements, one for each dim.
    """
    check_options(
        "empty_strided",
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    shape, strides = _sized_by_tuple("empty_strided", size), _ints("empty_strided", "stride", stride)
    if len(shape) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(strides)})"
        )
    kind = dtype_of("empty_strided", dtype) or modes.default_dtype
    allocation.check_new(shape, kind.itemsize, modes.canonical(device), strides)
    options = {"dtype": kind, "layout": layout, "device": device, "pin_memory": pin_memory}
    if not _layout.is_dense(shape, strides):
        return _with_gaps(shape, strides, options)._require_grad(bool(requires_grad))
    made = with_strides(empty(shape, **options), strides)
    return _requiring(made) if requires_grad else made


def _with_gaps(shape: tuple[int, ...], strides: tuple[int, ...], options: dict) -> Tensor:
    """Return a tensor whose strides leave gaps in memory or map several elements to the same address."""
    return empty(_layout.extent(shape, strides, 0), **options).as_strided(shape, strides).detach()


def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """Return an uninitialized tensor (zeros here) with the given order of dims in memory.

    `physical_layout` lists the dims from the outermost to the innermost.

    Args:
      physical_layout: a permutation of the dims.
      options: `dtype`, `layout`, `device`, `requires_grad` and `pin_memory`, as for `empty_strided`.
    """
    shape, order = _sized_by_tuple("empty_permuted", size), _ints("empty_permuted", "physical_layout", physical_layout)
    _errors.making.check_physical_layout(len(shape), order)
    kind = dtype_of("empty_permuted", options.get("dtype")) or modes.default_dtype
    _errors.memory.check_overflow(tuple(shape[d] for d in order), kind.itemsize)
    inside = _layout.contiguous_strides(tuple(shape[d] for d in order))
    return empty_strided(shape, tuple(inside[order.index(d)] for d in range(len(shape))), **options)


# -- like another tensor -----------------------------------------------------------------------------------------------


def _like(name: str, fill: Any) -> Callable[..., Tensor]:
    def like(
        input: Tensor,
        *,
        dtype: Dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        memory_format: Any = None,
    ) -> Tensor:
        if not isinstance(input, Tensor):
            raise _errors.arguments.wrong_type(name, "input", 1, "Tensor", input)
        check_options(
            name,
            dtype=dtype,
            layout=layout,
            device=device,
            pin_memory=pin_memory,
            requires_grad=requires_grad,
            memory_format=memory_format,
        )
        return _full_like(input, fill, dtype_of(name, dtype), device, requires_grad, memory_format)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = f"""Return `{name[:-5]}` with the shape, dtype, device and memory format of `input`.

    >>> torchlike.{name}(torchlike.tensor([1, 2])).dtype
    torch.int64
    """
    return like


def _full_like(input: Tensor, fill: Any, dtype: Any, device: Any, requires_grad: bool, memory_format: Any) -> Tensor:
    place = input.device if device is None else device
    if fill is None:
        fill = uninitialized(dtype or input.dtype)
    made = of_constant(_constant(tuple(input.shape), fill, dtype or input.dtype, place), place)
    if input._strides is not None or memory_format is not None:
        with_strides(made, like_strides(input, memory_format))
    _as_examples(made, input)
    return _requiring(made) if requires_grad else made


def _as_examples(made: Tensor, like: Tensor) -> None:
    """Inside a mapped function (`vmap`), batch a new tensor `made` over the levels in which `like` is batched."""
    value = like._value
    if value.__class__ is Row:
        storage = made._storage
        for level in levels_of(value):
            storage.value = lift(storage.value, level)


def batched_like(value: Any, tensors: Sequence[Tensor]) -> Tensor | None:
    """Return a scalar tensor, batched over the levels in which the tensors are batched, or None if none is batched."""
    batched = [t for t in tensors if t._value.__class__ is Row]
    if not batched:
        return None
    made = full((), value, device=batched[0].device)
    for t in batched:
        _as_examples(made, t)
    return made


def all_examples(tensor: Tensor) -> Tensor:
    """Return the full batch of a tensor inside a mapped function (`vmap`), so that its elements can be read."""
    value = outermost(tensor._value)
    return tensor if value is tensor._value else wrap(value)


def one_example(every: Tensor, like: Tensor) -> Tensor:
    """Return a result computed from `all_examples(like)` as a batched tensor with the levels of `like`."""
    return wrap(as_rows(every._value, list(levels_of(like._value))[::-1]))


def like_strides(input: Tensor, memory_format: Any) -> tuple[int, ...]:
    """Return the strides of a new tensor like `input`: the same memory order, without gaps."""
    shape = tuple(input.shape)
    if memory_format is not None and memory_format is not mf.preserve_format:
        return mf.strides_for(shape, memory_format)
    return _layout.copied_strides(shape, input.stride()) or _layout.contiguous_strides(shape)


zeros_like = _like("zeros_like", 0)
ones_like = _like("ones_like", 1)
empty_like = _like("empty_like", None)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Return a tensor filled with one number, with the shape, dtype, device and memory order of `input`.

    Args:
      fill_value: the number.

    >>> torchlike.full_like(torchlike.ones(2), 7)
    tensor([7., 7.])
    """
    check_options(
        "full_like",
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
        memory_format=memory_format,
    )
    if not isinstance(input, Tensor):
        raise _errors.arguments.wrong_type("full_like", "input", 1, "Tensor", input)
    number = _fill_number("full_like", fill_value)
    return _full_like(input, number, dtype_of("full_like", dtype), device, requires_grad, memory_format)


_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


_NEW_ARGUMENTS = """Args:
  stride: the strides, in elements, one for each dim.
  fill_value: the number.
  dtype: the dtype of the result. Default: that of this tensor.
  device: the device of the result. Default: that of this tensor.
  more: `size` by name.
"""


def _new(name: str, factory: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def new(self: Tensor, *args: Any, dtype: Dtype | None = None, device: Any = None, **options: Any) -> Tensor:
        made = factory(*args, dtype=dtype or self.dtype, device=self.device if device is None else device, **options)
        _as_examples(made, self)
        return made

    new.__name__ = new.__qualname__ = name
    given = {"new_full": "(2, 3), 7", "new_empty_strided": "(2, 3), (3, 1)"}.get(name, "2, 3")
    example = f"\n>>> torchlike.ones(1, dtype=torchlike.int64).{name}({given}).dtype\ntorch.int64\n"
    new.__doc__ = f"Return `{name[4:]}` with the dtype and device of this tensor.\n\n{_NEW_ARGUMENTS}{example}"
    of_factory = inspect.signature(factory)
    parameters = [_SELF, *of_factory.parameters.values()]
    new.__signature__ = of_factory.replace(parameters=parameters)
    return new


def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Return a copy of `data`, with the dtype and device of this tensor.

    Args:
      data: a number, nested sequences, an array or a tensor.
      dtype: the dtype of the result. Default: that of this tensor.
      device: the device of the result. Default: that of this tensor.

    >>> torchlike.ones(1).new_tensor([1, 2])
    tensor([1., 2.])
    """
    check_options("new_tensor", layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad)
    dtype, device = dtype_of("new_tensor", dtype) or self.dtype, self.device if device is None else device
    if isinstance(data, Tensor):
        warn(_errors.making.copy_construct("tensor.new_tensor"))
        return _copied(data, dtype, device, requires_grad)
    return of_data(data, dtype, device, requires_grad)


def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """Return the result of the legacy constructor (see `legacy_tensor`) with the dtype and device of this tensor.

    Args:
      args: the sizes, as ints, or the data: a sequence, an array or a tensor.
      device: the device of the result. Default: that of this tensor.

    >>> torchlike.ones(1, dtype=torchlike.int64).new([1, 2])
    tensor([1, 2])
    """
    return legacy_tensor(*args, dtype=self.dtype, device=self.device if device is None else device)


METHODS = {f"new_{f.__name__}": _new(f"new_{f.__name__}", f) for f in (ones, empty, full, empty_strided)}
METHODS["new_zeros"] = _new("new_zeros", _filled("zeros", 0, _OF_ZEROS))
METHODS |= {"new_tensor": new_tensor, "new": new}
FUNCTIONS = {f.__name__: f for f in (tensor, zeros, ones, empty)}
FUNCTIONS |= functions(frombuffer)
FUNCTIONS |= {
    f.__name__: worded(f)
    for f in (
        as_tensor,
        asarray,
        scalar_tensor,
        from_numpy,
        from_file,
        full,
        empty_strided,
        empty_permuted,
        zeros_like,
        ones_like,
        empty_like,
        full_like,
    )
}
Generator.as_tensor = staticmethod(of_array)  # for generator states; the attribute avoids an import cycle
