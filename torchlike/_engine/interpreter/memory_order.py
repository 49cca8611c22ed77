"""The order of the dims of a NumPy array in memory."""

from __future__ import annotations

import numpy as np


def memory_order(x: np.ndarray) -> tuple[int, ...] | None:
    """Return the dims of a dense array from the outermost to the innermost in memory. Return None for other arrays."""
    if x.flags.c_contiguous:
        return tuple(range(x.ndim))
    order = tuple(sorted(range(x.ndim), key=lambda d: -x.strides[d]))
    return order if x.transpose(order).flags.c_contiguous else None
