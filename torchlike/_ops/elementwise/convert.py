"""Conversion to another dtype."""

from __future__ import annotations

from torchlike._dtypes import FLOAT8, FLOAT8_NUMPY, INTEGER, float32
from torchlike._dtypes.strides import copied_strides
from torchlike._ops.elementwise.float8 import cast
from torchlike._ops.schema.declare import Array, declare, namespace
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

    Floats are truncated toward zero for an integer dtype. Complex numbers lose their imaginary part for a real dtype.
    For bool, every nonzero element becomes True.

    For an integer dtype, a float is first converted to int32, or to int64 for uint32 and the 64-bit dtypes. NaN and
    floats out of the range of this type become its lowest integer. A narrower dtype keeps the low bits. PyTorch on the
    CPU does the same.
    """
    if input.dtype.kind == "c" and not dtype.is_complex:
        input = input.real
    if dtype.category <= INTEGER and input.dtype in FLOAT8_NUMPY:
        input = cast(input, float32)
    if dtype.name == "bool":
        return input != 0
    if dtype.category == INTEGER and (input.dtype.kind == "f" or input.dtype.name == "bfloat16"):
        return _cut(input, dtype)
    return cast(input, dtype)


def _cut(x, dtype):
    xp = namespace(x)
    wide = xp.int64 if dtype.itemsize == 8 or dtype.name == "uint32" else xp.int32
    limit = 2.0 ** (xp.iinfo(wide).bits - 1)
    fits = (x >= -limit) & (x < limit)
    cut = xp.where(fits, xp.where(fits, x, 0).astype(wide), xp.iinfo(wide).min)
    return cut.astype(wide).astype(dtype.numpy)
