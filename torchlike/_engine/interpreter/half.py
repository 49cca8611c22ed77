"""Half precision in NumPy: element-wise functions compute in float32 and round once, as XLA does on the CPU.

The loops of NumPy for float16 and of `ml_dtypes` for bfloat16 convert one element at a time. They take 2 to 50 times as
long as two conversions of whole arrays and the float32 function. The results have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

WIDE = np.dtype(np.float32)
# Primitives with one rounding. Rules that round several times, such as that of `integer_pow`, keep their dtype.
_ROUNDED_ONCE = frozenset(
    (
        *("add", "add_any", "sub", "mul", "div", "rem", "max", "min", "clamp", "reduce_max", "reduce_min"),
        *("neg", "sign", "floor", "ceil", "round", "square", "sqrt", "rsqrt", "cbrt", "pow"),
        *("exp", "exp2", "expm1", "log", "log1p", "log2", "logistic"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("is_finite", "eq", "ne", "lt", "le", "gt", "ge"),
    )
)


def is_half(dtype: Any) -> bool:
    """Return whether sums of this dtype need a wider dtype: True for float16, bfloat16 and smaller floats."""
    return dtype.itemsize <= 2 and dtype.kind in "fV"


def is_eight_bits(dtype: Any) -> bool:
    """Return whether a dtype is an 8-bit float."""
    return dtype.itemsize == 1 and dtype.kind in "fV"


def is_wide(primitive: str, inputs: Sequence[Any]) -> bool:
    """Return whether a primitive with these inputs should be computed in float32."""
    return primitive in _ROUNDED_ONCE and all(is_half(a.dtype) and not is_eight_bits(a.dtype) for a in inputs)


def rounded(function: Callable, dtype: np.dtype) -> Callable:
    """Wrap a float32 function for half precision: convert the inputs to float32, and round the result."""

    def narrow(*arrays: Any) -> Any:
        return np.asarray(function(*[x.astype(WIDE) for x in arrays])).astype(dtype, copy=False)

    return narrow


def with_mantissa(dtype: np.dtype, bits: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that rounds floats of this dtype to a mantissa of `bits` bits, to nearest and ties to even."""
    whole = np.dtype(f"u{dtype.itemsize}")
    dropped = whole.type(np.finfo(dtype).nmant - bits)
    one = whole.type(1)
    half, kept = (one << (dropped - one)) - one, ~((one << dropped) - one)

    def round(x: np.ndarray) -> Any:
        given = np.ascontiguousarray(x).view(whole)
        found = ((given + (half + ((given >> dropped) & one))) & kept).view(dtype)
        return np.where(x == x, found, x).reshape(np.shape(x))

    return round
