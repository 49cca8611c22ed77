"""Conversion to another dtype."""

from __future__ import annotations

from torchlike._dtypes import FLOAT8, FLOAT8_NUMPY, INTEGER, float32
from torchlike._dtypes.strides import copied_strides
from torchlike._ops.elementwise.float8 import cast
from torchlike._ops.elementwise.truncation import is_float, truncated
from torchlike._ops.schema.declare import Array, declare
from torchlike._ops.schema.typing_rules import Call, Typed


def _typing(call: Call) -> Typed:
    source = call.arrays[0]
    strides = call.strides[0]
    if strides is not None:
        strides = copied_strides(tuple(source.shape), strides)
    return Typed([source.like(dtype=call.dtype)], None, [strides])


@declare("operator", _typing, name="_to", saves=(), opmath=False, where=(), node="ToCopyBackward0", float8=FLOAT8)
def _to(input: Array, dtype):
    """Return the elements cast to another dtype.

    Floats are truncated toward zero for an integer dtype. Complex numbers lose their imaginary part for another
    real dtype than bool. For bool, every nonzero element becomes True.

    Floats out of the range of an integer dtype, and NaN, become what PyTorch's CPU kernels give (see `truncated`).
    """
    if dtype.category <= INTEGER and input.dtype in FLOAT8_NUMPY:
        input = cast(input, float32)
    if dtype.name == "bool":
        return input != 0
    if input.dtype.kind == "c" and not dtype.is_complex:
        input = input.real
    if dtype.category == INTEGER and is_float(input):
        return truncated(input, dtype)
    return cast(input, dtype)
