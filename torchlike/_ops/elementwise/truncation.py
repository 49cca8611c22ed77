"""Casts of floats to integers."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes
from torchlike._ops.schema.namespace import namespace


def is_float(array: Any) -> bool:
    """Return whether an array has a floating-point dtype of at least 16 bits."""
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def truncated(x: Any, dtype: _dtypes.dtype) -> Any:
    """Return floats as integers, out of the range of the dtype too, as PyTorch's CPU kernels do.

    A float is first converted to int32, or to int64 for uint32, the 64-bit dtypes, and float64 to uint8. NaN and floats
    out of the range of this type become its lowest integer. A narrower dtype keeps the low bits. For uint64, floats
    from 2**63 to 2**64 keep their value, and larger ones become 0.
    """
    xp = namespace(x)
    is_byte = dtype is _dtypes.uint8 and x.dtype == _dtypes.float64.numpy
    wide = xp.int64 if dtype.itemsize == 8 or dtype is _dtypes.uint32 or is_byte else xp.int32
    if dtype is not _dtypes.uint64:
        return _whole(xp, x, wide).astype(dtype.numpy)
    half = x.dtype.type(2.0**63)  # infinity in float16
    is_large = x >= half
    found = _whole(xp, xp.where(is_large, x - half, x), wide).astype(dtype.numpy)
    return xp.where(is_large, found ^ dtype.numpy.type(1 << 63), found)


def _whole(xp: Any, x: Any, wide: Any) -> Any:
    limit = 2.0 ** (xp.iinfo(wide).bits - 1)
    fits = (x >= -limit) & (x < limit)
    return xp.where(fits, xp.where(fits, x, 0).astype(wide), xp.iinfo(wide).min).astype(wide)
