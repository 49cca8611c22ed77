"""The sum of a leaf's gradient and a new gradient, and its strides."""

from __future__ import annotations

from typing import Any

from torchlike import _dtypes, _errors
from torchlike._autograd import engine
from torchlike._dtypes.strides import is_dense
from torchlike._engine import Value


def added(grad: Any, pair: engine.Grad) -> Value:
    """Return the sum of `.grad` and a new gradient, with the shape and dtype of `.grad`.

    Raises:
      RuntimeError: the shape of `.grad` was changed, or the sum is complex and `.grad` is not.
    """
    total, before = engine.apply_op("add", grad._pair(), pair)[0], grad._aval
    if total.aval.shape != before.shape:
        raise _errors.shapes.in_place_shape(before.shape, total.aval.shape)
    if total.aval.dtype is before.dtype:
        return total
    if not _dtypes.can_cast(total.aval.dtype, before.dtype):
        raise _errors.dtypes.cannot_cast(total.aval.dtype, before.dtype)
    return engine.apply_op("_to", (total, None), before.dtype)[0]


def with_strides_of(grad: Any, made: Any) -> Any:
    """Return a new gradient after giving it the strides of `.grad`, if these are dense and of its shape."""
    if grad._strides is not None and grad.shape == made.shape and is_dense(tuple(grad.shape), grad._strides):
        made._strides = made._storage.strides = grad._strides
    return made
