"""Python's operators on tensors, each one row of the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._bind import CALLERS, assign, before_write
from torchlike._dispatch import binary
from torchlike._ops import REGISTRY, Op
from torchlike._tensor import TENSOR_TYPES, Tensor

_OPERANDS = (Tensor, int, float, complex, np.generic, np.ndarray)

# dunder stem -> row; each makes __x__, __rx__ and __ix__
_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "true_divide", "floordiv": "floor_divide",
               "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
               "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}  # fmt: skip
_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_UNARY = {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}


def _binary(op: Op) -> Callable:
    call = CALLERS[op.name]
    quick = binary(op, call)

    def dunder(self: Tensor, other: Any) -> Any:
        if other.__class__ in TENSOR_TYPES or isinstance(other, _OPERANDS):
            return quick(self, other)
        return NotImplemented

    return dunder


def _reflected(call: Callable) -> Callable:
    def dunder(self: Tensor, other: Any) -> Any:
        return call(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    return dunder


def _in_place(call: Callable) -> Callable:
    def dunder(self: Tensor, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        before_write(self, (other,))
        return assign(self, call(self, other))

    return dunder


def _divided(other: Any, self: Tensor) -> Tensor:
    return CALLERS["mul"](CALLERS["reciprocal"](self), other)  # as PyTorch rounds it


def _subtracted(other: Any, self: Tensor) -> Tensor:
    return CALLERS["rsub"](self, other)


# where PyTorch does not exchange the operands
_TURNED = {"truediv": _divided, "sub": _subtracted}


def _unary(call: Callable) -> Callable:
    return lambda self: call(self)


def bind() -> None:
    """Give Tensor its operators; only rows that exist are bound."""
    for stem, name in _ARITHMETIC.items():
        if name in REGISTRY:
            call = CALLERS[REGISTRY[name].name]
            setattr(Tensor, f"__{stem}__", _binary(REGISTRY[name]))
            setattr(Tensor, f"__r{stem}__", _reflected(call))
            setattr(Tensor, f"__i{stem}__", _in_place(call))
    for stem, turned in _TURNED.items():
        setattr(Tensor, f"__r{stem}__", _reflected(turned))
    for stem, name in _COMPARISONS.items():
        if name in REGISTRY:
            setattr(Tensor, f"__{stem}__", _binary(REGISTRY[name]))
    for stem, name in _UNARY.items():
        if name in REGISTRY:
            setattr(Tensor, f"__{stem}__", _unary(CALLERS[REGISTRY[name].name]))
