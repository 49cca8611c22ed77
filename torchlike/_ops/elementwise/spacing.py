"""Evenly spaced numbers, rounded as PyTorch rounds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._dtypes import dtype as Dtype


def spaced(start: Any, end: Any, steps: int, dtype: Dtype) -> np.ndarray:
    """Return `steps` evenly spaced numbers from `start` to `end`, rounded as in PyTorch.

    The first half is computed as start + i * step, and the second half as end - j * step, with one rounding for the
    multiplication and the addition. A wider dtype emulates this fused multiply-add: the caller casts the result to
    `dtype`, which is the rounding. Half precision rounds after each operation.
    """
    narrow = dtype.numpy.type if dtype.category >= _dtypes.FLOATING else np.float64
    if dtype.category == _dtypes.INTEGER:
        start, end = int(start), int(end)
    if steps <= 1:
        return np.full(steps, start, narrow)
    work = {_dtypes.float32: np.float64, _dtypes.float64: np.longdouble}.get(dtype, narrow)
    step = work(narrow((narrow(end) - narrow(start)) / narrow(steps - 1)))
    i = np.arange(steps)
    low = work(narrow(start)) + step * i.astype(work)
    high = work(narrow(end)) - step * (steps - 1 - i).astype(work)
    return np.where(i < steps // 2, low, high)
