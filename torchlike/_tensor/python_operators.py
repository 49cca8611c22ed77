"""Python operators on tensors. Each one calls a registered operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import FLOATING
from torchlike._ops import REGISTRY, Op
from torchlike._ops.schema.declare import OPERAND
from torchlike._tensor import overriding
from torchlike._tensor.binding import CALLERS, in_place_of
from torchlike._tensor.dispatch import binary
from torchlike._tensor.elements.writes import update
from torchlike._tensor.exchange import from_numpy
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor
from torchlike._tensor.tracebacks import shortened

# NumPy arrays are absent: NumPy computes the result and converts it with `__array_wrap__`.
_NUMBERS = (int, float, complex, np.number, np.bool_)

# Stem of the dunder name -> operator. Each entry defines __x__, __rx__ and __ix__.
_ARITHMETIC = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_UNARY = {"neg": "neg", "abs": "abs"}


def _binary(op: Op, name: str) -> Callable:
    call = CALLERS[op.name]
    quick, numbers, ask = binary(op, call), _numbers(op), overriding.operator(name)

    def dunder(self: Tensor, other: Any) -> Any:
        try:
            if other.__class__ in TENSOR_TYPES or isinstance(other, numbers) or _is_plain(other):
                return quick(self, other)
            return ask(self, other)
        except Exception as error:
            raise shortened(error)

    return dunder


def _is_plain(other: Any) -> bool:
    return isinstance(other, Tensor) and not overriding.has_own(other)


def _numbers(op: Op) -> tuple[type, ...]:
    """Return the types of the other operand beside tensors: none if the operator takes tensors only."""
    return _NUMBERS if op.kinds[1] == OPERAND else ()


def _reflected(call: Callable, numbers: tuple[type, ...], name: str, is_slot: bool = False) -> Callable:
    """Return a reflected method.

    `is_slot` says that PyTorch implements it in C. Such a method does not swap the operands, and raises if it is called
    through the class and its first argument is not a tensor.
    """
    ask = overriding.operator(name)

    def dunder(self: Tensor, other: Any) -> Any:
        try:
            if is_slot and self.__class__ not in TENSOR_TYPES and not isinstance(self, Tensor):
                raise _errors.arguments.foreign_descriptor(name, self)
            if overriding.has_own(self) or not (isinstance(other, numbers) or _is_plain(other)):
                return ask(self, other)
            return call(self, other) if is_slot else call(other, self)
        except Exception as error:
            raise shortened(error)

    return dunder


def _in_place(op: Op, call: Callable, name: str) -> Callable:
    twin, ask = in_place_of(op.name, op.public.uncast or call, op=op), overriding.operator(name)

    def dunder(self: Tensor, other: Any) -> Any:
        try:
            if update(self, op, other):
                return self
            if isinstance(other, _NUMBERS) or _is_plain(other):
                return twin(self, other)
            return ask(self, other)
        except Exception as error:
            raise shortened(error)

    return dunder


def _equality(op: Op, name: str) -> Callable:
    """Return `==`, the only comparison that accepts a NumPy array."""
    dunder = _binary(op, name)

    def equal(self: Tensor, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            try:
                other = from_numpy(other)
            except TypeError:  # an unsupported dtype
                return NotImplemented  # Python compares the identities
        return dunder(self, other)

    return equal


def _divided(other: Any, self: Tensor) -> Tensor:
    return CALLERS["reciprocal"](self) * other  # rounds as PyTorch does


def _subtracted(other: Any, self: Tensor) -> Tensor:
    return CALLERS["rsub"](self, other)


_SLOTS = ("add", "mul", "and", "or", "xor")

# Reflected operators that PyTorch does not implement by swapping the operands.
_TURNED = {"truediv": _divided, "sub": _subtracted}


def _unary(call: Callable) -> Callable:
    return lambda self: call(self)


def _inverted(self: Tensor) -> Tensor:
    if self.dtype.category >= FLOATING:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return CALLERS["bitwise_not"](self)


def bind() -> None:
    """Bind Python's operators to Tensor. Only registered operators are bound."""
    for stem, name in _ARITHMETIC.items():
        if name in REGISTRY:
            op = REGISTRY[name]
            call, plain, reflected, in_place = CALLERS[op.name], f"__{stem}__", f"__r{stem}__", f"__i{stem}__"
            _set(plain, _binary(op, plain))
            _set(reflected, _reflected(call, _numbers(op), reflected, stem in _SLOTS))
            if op.public.inplace:
                _set(in_place, _in_place(op, call, in_place))
    for stem, turned in _TURNED.items():
        numbers = _NUMBERS if stem == "sub" else (*_NUMBERS, np.ndarray)
        _set(f"__r{stem}__", _reflected(turned, numbers, f"__r{stem}__"))
    for stem, name in _COMPARISONS.items():
        if name in REGISTRY:
            made = _equality if stem == "eq" else _binary
            _set(f"__{stem}__", made(REGISTRY[name], f"__{stem}__"))
    for stem, name in _UNARY.items():
        if name in REGISTRY:
            _set(f"__{stem}__", _unary(CALLERS[REGISTRY[name].name]))
    _set("__invert__", _inverted)


def _set(name: str, method: Callable) -> None:
    """Bind a method to Tensor under its name."""
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    setattr(Tensor, name, method)
