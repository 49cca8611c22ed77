"""Sparse gradients in a backward pass, and their accumulation.

A gradient is a pair of a Value and a gradient edge. In a sparse gradient, a `SparseValue` replaces the Value. It has no
array, so operators raise if they receive it. Leaves, hooks, custom functions and sums of gradients accept it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torchlike._dtypes import modes
from torchlike._engine import Aval, Value

if TYPE_CHECKING:
    from torchlike._autograd.engine import Grad


def _missing(self: SparseValue) -> Any:
    raise NotImplementedError(
        "a sparse gradient of a non-leaf tensor is not supported by torchlike: operators are differentiated with "
        "strided gradients only. Use sparse=True with the parameter itself, or sparse=False."
    )


class SparseValue:
    """A sparse tensor that is passed as a gradient. Its gradient edge is that of its stored elements."""

    __slots__ = ("aval", "tensor")
    array = slot = trace = property(_missing)  # the attributes of a Value that a trace reads

    def __init__(self, tensor: Any) -> None:
        self.aval: Aval = tensor._aval
        self.tensor = tensor

    @property
    def values(self) -> Value:
        """The values of the stored elements."""
        return self.tensor._values_._value

    def seen(self, edge: Any) -> Any:
        """Return the tensor. It is detached if `edge`, the edge of the gradient pair, is None."""
        return self.tensor if edge is not None or self.tensor._edge is None else self.tensor.detach()


def parts_of(value: Value | SparseValue) -> tuple[Value, ...]:
    """Return the Values that a gradient consists of: the gradient itself, or the parts of a sparse one."""
    if isinstance(value, SparseValue):
        return tuple(member._pair()[0] for member in value.tensor._members())
    return (value,)


def maker_of(value: Value | SparseValue) -> Callable[..., Any]:
    """Return a function that builds a gradient of the same structure from other parts."""
    if isinstance(value, SparseValue):
        make = value.tensor._maker()
        return lambda *parts: SparseValue(make(*parts))
    return lambda only: only


def total(a: Grad, b: Grad, differentiate: bool) -> Grad:
    """Return the sum of two gradients, at least one of them sparse. The sum is sparse only if both are."""
    sparse: Any = a[0] if isinstance(a[0], SparseValue) else b[0]
    with modes.set_grad_enabled(differentiate):
        return sparse.tensor._total(a, b)
