"""Resizing of quantized images: nearest and bilinear."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._quantized import _tensor as t
from torchlike._quantized._rules import levels, rule
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_SINGLE = np.float32


@rule("_resize")
def resize(
    input: Any, size: tuple, mode: str, scales: tuple, align_corners: bool = False, antialias: bool = False
) -> Any:
    """Return the resized levels."""
    at = t.per_tensor(input, "interpolate")
    if mode in ("nearest", "nearest-exact"):
        return t.like(input, rows["_resize"](input._ints, size, mode, scales, align_corners, antialias))
    if mode != "bilinear" or antialias:
        raise _errors.quantized.refused(f"interpolate with mode={mode!r}")
    heights, widths = (
        _neighbors(input._ints, input.shape[dim], size[dim - 2], scales[dim - 2], align_corners) for dim in (2, 3)
    )
    x = input._ints.float()
    above, below = (_between(x.index_select(2, places), widths, 3) for places in heights[:2])
    mixed = heights[3].view(-1, 1) * above + heights[2].view(-1, 1) * below
    return t.like(input, levels((mixed - at.zero_point).round() + at.zero_point, input.dtype))


def _neighbors(x: Tensor, count: int, out: int, scale: float | None, align_corners: bool) -> tuple[Tensor, ...]:
    """Return the lower and upper neighbors of each result, and the weights of the upper and the lower, in float32."""
    number = np.arange(out, dtype=_SINGLE)
    if align_corners:
        at = number * (_SINGLE(count - 1) / _SINGLE(out - 1) if out > 1 else _SINGLE(0))
    else:
        step = _SINGLE(1 / scale) if scale is not None and scale > 0 else _SINGLE(count) / _SINGLE(out)
        at = np.maximum(step * (number + _SINGLE(0.5)) - _SINGLE(0.5), _SINGLE(0))
    low = np.minimum(at.astype(np.int64), count - 1)
    part = (at - low.astype(_SINGLE)).astype(_SINGLE)
    found = low, np.minimum(low + 1, count - 1), part, _SINGLE(1) - part
    return tuple(factories.tensor(each.tolist(), dtype=_dtype(each)).to(x.device) for each in found)


def _dtype(x: np.ndarray) -> Any:
    return _dtypes.float32 if x.dtype == _SINGLE else _dtypes.int64


def _between(x: Tensor, places: tuple[Tensor, ...], dim: int) -> Tensor:
    low, high, upper, lower = places
    return lower * x.index_select(dim, low) + upper * x.index_select(dim, high)
