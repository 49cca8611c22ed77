"""Sparse gradients as the engine passes them on, and how they are accumulated.

A pair holds a `SparseValue` in place of a Value. It has no array, so an operator that meets one refuses it. Leaves,
hooks and users' functions take one, as do sums of gradients.
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
        "a sparse gradient of a tensor that is no leaf: an operator's gradient takes strided "
        "tensors only in torchlike. Received: a gradient of layout torch.sparse_coo. Use "
        "sparse=True with the parameter itself, or sparse=False."
    )


class SparseValue:
    """A sparse tensor in flight as a gradient; its history is that of its values."""

    __slots__ = ("aval", "tensor")
    array = slot = trace = property(_missing)  # what a trace asks of a Value

    def __init__(self, tensor: Any) -> None:
        self.aval: Aval = tensor._aval
        self.tensor = tensor

    @property
    def values(self) -> Value:
        """The elements that are kept."""
        return self.tensor._values_._value

    def seen(self, edge: Any) -> Any:
        """The tensor, with its history where the pair has one."""
        return self.tensor if edge is not None or self.tensor._edge is None else self.tensor.detach()


def parts_of(value: Value | SparseValue) -> tuple[Value, ...]:
    """The Values that a gradient in flight is made of: itself, unless it is sparse."""
    if isinstance(value, SparseValue):
        return tuple(member._pair()[0] for member in value.tensor._members())
    return (value,)


def maker_of(value: Value | SparseValue) -> Callable[..., Any]:
    """A function that makes, of other parts, a gradient as this one."""
    if isinstance(value, SparseValue):
        make = value.tensor._maker()
        return lambda *parts: SparseValue(make(*parts))
    return lambda only: only


def total(a: Grad, b: Grad, differentiate: bool) -> Grad:
    """The sum of two gradients of one tensor, of which at least one is sparse; dense where one is."""
    sparse: Any = a[0] if isinstance(a[0], SparseValue) else b[0]
    with modes.set_grad_enabled(differentiate):
        return sparse.tensor._total(a, b)
