"""Changing the dtype."""

from __future__ import annotations

from torchlike._core import aval
from torchlike._layout import contiguous_strides, pointwise_strides
from torchlike._ops._declare import Array, declare, namespace
from torchlike._ops._rules import Call, Typed


def _typing(call: Call) -> Typed:
    source = call.arrays[0]
    strides = call.strides[0]
    if strides is not None:
        strides = pointwise_strides(tuple(source.shape), [(tuple(source.shape), strides)])
    return Typed([source.like(dtype=call.dtype)], None, [strides])


@declare("operator", _typing, name="_to", saves=(), opmath=False, where=(), node="ToCopyBackward0")
def _to(input: Array, dtype):
    """The elements cast to another dtype: floats are cut toward zero, complex numbers lose their imaginary part."""
    if input.dtype.kind == "c" and not dtype.is_complex:
        input = input.real
    if dtype.name == "bool":
        return input != 0
    return input.astype(dtype.numpy)


del contiguous_strides, namespace
