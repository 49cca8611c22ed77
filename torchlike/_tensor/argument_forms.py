"""Conversion of arguments to their key form, the form in which they are part of a plan's key.

The slow path of a call converts foreign types, deprecated argument orders and NumPy's parameter names before it looks
up the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices
from torchlike._dtypes import memory_format as mf
from torchlike._errors.warned import once
from torchlike._ops.schema import declare as d
from torchlike._ops.schema.binding import is_whole
from torchlike._ops.schema.declare import Op
from torchlike._tensor.from_data import exact
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor

NUMBERS = frozenset((int, float, bool, complex))


def from_old_order(op: Op, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Convert a deprecated argument order, with a factor before the tensors, to the current one."""
    is_number = lambda a: a.__class__ in NUMBERS or (isinstance(a, Tensor) and not a.ndim and not a.requires_grad)
    fits = lambda order: (
        len(order) == len(args)
        and all(is_number(a) if name in op.defaults else a.__class__ not in NUMBERS for name, a in zip(order, args))
    )
    order = next(filter(fits, op.public.old_orders), None)
    if order is None:
        return args, kwargs
    once(_errors.arguments.old_overload(op, order), key="old overload")
    named = {**dict(zip(order, args)), **kwargs}
    return tuple(named.pop(name) for name in op.names[: op.positional]), named


_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "a": "input", "x2": "other"}
# Names that PyTorch gives to the first operands of some functions whose parameters here have the names in its docs.
_OF_OPERANDS = ("input", "input2", "input3")


def parameter(name: str, names: Sequence[str]) -> str:
    """Return the parameter, one of `names`, that a keyword argument stands for, or the keyword itself."""
    if name in names:
        return name
    if name in _OF_OPERANDS[: len(names)]:
        return names[_OF_OPERANDS.index(name)]
    return _NUMPY_NAMES.get(name, name)


def renamed(kwargs: dict, names: Iterable[str]) -> dict:
    """Return keyword arguments with the names of the parameters that they stand for.

    If one of them is unknown, none is renamed: the error then shows the names of the call, as in PyTorch.
    """
    found, names = {}, [*names]
    for name, a in kwargs.items():
        other = parameter(name, names)
        if other not in names:
            return kwargs
        found[other if other not in kwargs else name] = a
    return found


def in_order(op: Op, kwargs: dict) -> dict:
    """Return keyword arguments in the order of the parameters. NumPy's parameter names are replaced by PyTorch's."""
    kinds = op.kind_of
    named = {name: converted(a, kinds.get(name, d.STATIC)) for name, a in renamed(kwargs, op.names).items()}
    place = {name: i for i, name in enumerate(op.names)}
    return {name: named[name] for name in sorted(named, key=lambda n: place.get(n, len(place)))}


def number(a: Any, kind: int) -> Any:
    """Convert a 0-d tensor, or a vector of integers, to Python numbers if the parameter takes numbers."""
    if kind in (d.ARRAY, d.OPERAND, d.ARRAYS):
        return a
    if a.__class__ is tuple:
        return tuple([number(x, kind) for x in a])
    if a.__class__ in TENSOR_TYPES and not (a.ndim or a.requires_grad):
        return a.item()
    if kind == d.SCALAR or not isinstance(a, np.ndarray | Tensor) or a.ndim > 1:
        return a
    found = np.asarray(a)
    if found.dtype.kind != "i":
        return a
    return found.item() if found.size == 1 else tuple(found.tolist())


def on_one_device(op: Op, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
    """Move zero-dim CPU tensors to the device of the other operands of a pointwise operator.

    Return None if PyTorch does not accept the operands either: their devices differ in another way.
    """
    if op.family != "pointwise":
        return None
    tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
    places = {a.device for a in tensors if a.ndim or a.device.type != "cpu"}
    if len(places) != 1 or all([a.device in places for a in tensors]):
        return None
    (place,) = places
    if place.type == "cpu":
        return None
    moved = lambda a: moved_number(a, place) if isinstance(a, Tensor) else a
    return tuple(map(moved, args)), {name: moved(a) for name, a in kwargs.items()}


def moved_number(a: Tensor, place: devices.device) -> Tensor:
    """Return a zero-dim CPU tensor on another device, and any other tensor unchanged."""
    return a.to(place) if not a.ndim and a.device is not place and a.device.type == "cpu" else a


def converted(a: Any, kind: int) -> Any:
    """Return an argument for a parameter of a kind in its key form.

    A NumPy bool is a flag, but PyTorch reads it as a float where it expects a number.
    """
    if a.__class__ in _AS_FLOAT and kind in (d.OPERAND, d.SCALAR):
        return float(a)
    return number(plain(a), kind)


# NumPy's numbers that PyTorch reads by `__float__`. Of a complex64 only the real part remains, and NumPy warns.
_AS_FLOAT = frozenset((np.bool_, np.complex64, np.longdouble))


def number_of(a: Any) -> Any:
    """Return a NumPy number or a zero-dim tensor as the Python number that PyTorch reads."""
    return float(a) if a.__class__ in _AS_FLOAT else a.item()


def stands_for_number(a: Any) -> bool:
    """Return whether an argument is a NumPy number, or a zero-dim tensor that PyTorch accepts in place of a number."""
    return isinstance(a, np.number | np.bool_) or (isinstance(a, Tensor) and not (a.ndim or a.requires_grad))


def settled(a: Any) -> Any:
    """Return a static argument in its key form, for functions that inspect it before the operator does."""
    return a if a.__class__ is int else number(plain(a), d.STATIC)


def is_foreign(a: Any) -> bool:
    """Return whether a static argument is not in its key form yet, so that no plan may be built with it."""
    if a.__class__ is tuple:
        return any([x.__class__ in TENSOR_TYPES or is_foreign(x) for x in a])
    if isinstance(a, int | float | complex):
        return a.__class__ not in NUMBERS
    return isinstance(a, np.generic | np.ndarray | list | type)


# Hashable objects in place of arguments that no operator takes. Errors show the names of their types.
_STAND_INS = {cls: type(cls.__name__, (), {})() for cls in (slice, dict, set)}


def plain(a: Any) -> Any:
    """Return an argument in its key form.

    Lists become tuples, NumPy numbers and instances of subclasses of Python numbers become Python numbers, and Python
    types become dtypes.
    """
    cls = a.__class__
    if cls in TENSOR_TYPES or cls in NUMBERS or a is None:
        return a
    if isinstance(a, list | tuple):
        return tuple([plain(x) for x in a])
    if isinstance(a, np.generic):
        return a.item()
    if isinstance(a, int | float | complex):
        return exact(a)
    if isinstance(a, type):
        return _dtypes.OF_PYTHON.get(a, a)
    if isinstance(a, slice | dict | set):
        return _STAND_INS.get(type(a), a)
    if isinstance(a, Tensor):  # a tensor of another layout
        raise _errors.layouts.refused("this operator", a.layout)
    return a


# -- options of factories ----------------------------------------------------------------------------------------------

_IS_BOOL = lambda given: isinstance(given, bool | np.bool_)
# For each option, the type that errors name, and the test that a given value must pass.
_OPTIONS: dict[str, tuple[str, Any]] = {
    "dtype": ("torch.dtype", lambda given: isinstance(given, _dtypes.dtype | type)),
    "layout": ("torch.layout", lambda given: isinstance(given, mf.layout)),
    "device": (
        "torch.device",
        lambda given: isinstance(given, devices.device | str) or (is_whole(given) and not isinstance(given, Tensor)),
    ),
    "pin_memory": ("bool", _IS_BOOL),
    "requires_grad": ("bool", _IS_BOOL),
    "memory_format": ("torch.memory_format", lambda given: isinstance(given, mf.memory_format)),
}


def check_options(
    name: str,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: Any = False,
    requires_grad: Any = False,
    memory_format: Any = None,
) -> None:
    """Raise PyTorch's errors for options of a factory that have wrong types or are not supported.

    Every option may be None.
    """
    if (
        (dtype is None or dtype.__class__ is _dtypes.dtype)
        and (device is None or device.__class__ is str or device.__class__ is devices.device)
        and (layout is None or layout is mf.strided)
        and pin_memory is False
        and requires_grad.__class__ is bool
        and memory_format is None
    ):
        return
    given = {"dtype": dtype, "layout": layout, "device": device}
    given |= {"pin_memory": pin_memory, "requires_grad": requires_grad, "memory_format": memory_format}
    given = {option: a for option, a in given.items() if a is not None}
    for option, a in given.items():
        wanted, fits = _OPTIONS[option]
        if not fits(a):
            raise _errors.arguments.wrong_type(name, option, None, wanted, a)
    no_pinning(pin_memory)
    if layout is not None and layout is not mf.strided:
        raise _errors.arguments.unsupported(name, "layout")


def no_pinning(pin_memory: Any) -> None:
    """Raise if `pin_memory` is True. The memory of CPU tensors is allocated by NumPy and is not page-locked."""
    if pin_memory:
        if devices.jax_devices("cuda"):
            raise _errors.arguments.unsupported("tensor", "pin_memory")
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
            "available on this system."
        )
