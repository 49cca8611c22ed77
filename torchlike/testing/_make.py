"""Tensors of random numbers, for tests."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor


def make_tensor(*shape: Any, dtype: Any, device: Any, low: float | None = None, high: float | None = None,
                requires_grad: bool = False, exclude_zero: bool = False) -> Tensor:  # fmt: skip
    """A tensor of numbers spread evenly in [low, high): by default [-9, 9], for bool and unsigned integers what of it
    they can hold."""
    size = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if dtype is torchlike.bool:
        made = torchlike.randint(0, 2, tuple(size), device=device).bool()
    elif dtype.is_floating_point or dtype.is_complex:
        low, high = -9 if low is None else low, 9 if high is None else high
        made = torchlike.empty(tuple(size), dtype=dtype, device=device)
        parts = torchlike.view_as_real(made) if dtype.is_complex else made
        parts.uniform_(low, high)
    else:
        low = (-9 if dtype.is_signed else 0) if low is None else low
        made = torchlike.randint(int(low), int(10 if high is None else high), tuple(size), dtype=dtype, device=device)
    if exclude_zero:
        made[made == 0] = 1
    return made.requires_grad_() if requires_grad else made
