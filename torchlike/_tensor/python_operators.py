"""Python operators on tensors. Each one calls a registered operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import FLOATING
from torchlike._ops import REGISTRY, Op
from torchlike._ops.schema.declare import OPERAND
from torchlike._tensor.binding import CALLERS, in_place_of
from torchlike._tensor.dispatch import binary
from torchlike._tensor.elements.writes import update
from torchlike._tensor.exchange import from_numpy
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor
from torchlike._tensor.tracebacks import shortened

# NumPy arrays are absent: NumPy computes the result and converts it with `__array_wrap__`.
_OPERANDS = (Tensor, int, float, complex, np.generic)

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


def _binary(op: Op) -> Callable:
    call = CALLERS[op.name]
    quick, operands = binary(op, call), _operands(op)

    def dunder(self: Tensor, other: Any) -> Any:
        try:
            if other.__class__ in TENSOR_TYPES or isinstance(other, operands):
                return quick(self, other)
            return NotImplemented
        except Exception as error:
            raise shortened(error) from error.__cause__

    return dunder


def _operands(op: Op) -> tuple[type, ...]:
    """Return the types of the other operand: tensors, and numbers unless the operator takes tensors only."""
    return _OPERANDS if op.kinds[1] == OPERAND else (Tensor,)


def _reflected(call: Callable, operands: tuple[type, ...] = _OPERANDS) -> Callable:
    def dunder(self: Tensor, other: Any) -> Any:
        try:
            return call(other, self) if isinstance(other, operands) else NotImplemented
        except Exception as error:
            raise shortened(error) from error.__cause__

    return dunder


def _slot(name: str) -> Callable:
    """Return a variant of `_reflected` for methods that PyTorch implements in C. They do not swap the operands.

    Called through the class, such a method raises if its first argument is not a tensor.
    """

    def reflected(call: Callable, operands: tuple[type, ...]) -> Callable:
        def dunder(self: Tensor, other: Any) -> Any:
            try:
                if self.__class__ not in TENSOR_TYPES and not isinstance(self, Tensor):
                    raise _errors.arguments.foreign_descriptor(name, self)
                return call(self, other) if isinstance(other, operands) else NotImplemented
            except Exception as error:
                raise shortened(error) from error.__cause__

        return dunder

    return reflected


def _in_place(op: Op, call: Callable) -> Callable:
    twin = in_place_of(op.name, op.public.uncast or call, op=op)

    def dunder(self: Tensor, other: Any) -> Any:
        try:
            if update(self, op, other):
                return self
            if not isinstance(other, _OPERANDS):
                return NotImplemented
            return twin(self, other)
        except Exception as error:
            raise shortened(error) from error.__cause__

    return dunder


def _equality(op: Op) -> Callable:
    """Return `==`, the only comparison that accepts a NumPy array."""
    dunder = _binary(op)
    return lambda self, other: dunder(self, from_numpy(other) if isinstance(other, np.ndarray) else other)


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
            call = CALLERS[REGISTRY[name].name]
            setattr(Tensor, f"__{stem}__", _binary(REGISTRY[name]))
            reflected, operands = f"__r{stem}__", _operands(REGISTRY[name])
            setattr(Tensor, reflected, (_slot(reflected) if stem in _SLOTS else _reflected)(call, operands))
            if REGISTRY[name].public.inplace:
                setattr(Tensor, f"__i{stem}__", _in_place(REGISTRY[name], call))
    for stem, turned in _TURNED.items():
        setattr(Tensor, f"__r{stem}__", _reflected(turned, _OPERANDS if stem == "sub" else (*_OPERANDS, np.ndarray)))
    for stem, name in _COMPARISONS.items():
        if name in REGISTRY:
            made = _equality if stem == "eq" else _binary
            setattr(Tensor, f"__{stem}__", made(REGISTRY[name]))
    for stem, name in _UNARY.items():
        if name in REGISTRY:
            setattr(Tensor, f"__{stem}__", _unary(CALLERS[REGISTRY[name].name]))
    Tensor.__invert__ = _inverted
