"""Operators for loss scaling: unscaling gradients, finding infinities, and updating the scale."""

from __future__ import annotations

import functools

from torchlike import _dtypes
from torchlike._ops.schema.declare import Array, Arrays, Scalar, namespace, operator
from torchlike._ops.schema.typing_rules import Call


def _unscaled_shapes(call: Call) -> list:
    return [((), _dtypes.float32), *[(tuple(g.shape), g.dtype) for g in call.arrays[:-1]]]


@operator(where=(), promote=None, shape=_unscaled_shapes, differentiable=False, out=False, opmath=False)
def _unscaled(grads: Arrays, inv_scale: Array):
    """Return an overflow flag and the gradients times `inv_scale`.

    The flag is 1.0 if a gradient has an infinite or NaN element, and 0.0 otherwise.
    """
    xp = namespace(inv_scale)
    finite = [xp.isfinite(g).all() for g in grads]
    found = ~functools.reduce(xp.logical_and, finite)
    scaled = [(g.astype(_wide(g)) * inv_scale.astype(_wide(g))).astype(g.dtype) for g in grads]
    return [xp.asarray(found).astype(inv_scale.dtype), *scaled]


def _wide(x):
    return _dtypes.opmath(_dtypes.FROM_NUMPY[x.dtype]).to_real().numpy


def _next_shapes(call: Call) -> list:
    return [((), call.scale.dtype), ((), call.tracker.dtype)]


@operator(where=(), promote=None, shape=_next_shapes, differentiable=False, out=False, opmath=False)
def _next_scale(scale: Array, tracker: Array, found: Array, growth: Scalar, backoff: Scalar, interval: Scalar):
    """Return the scale of the next step and the updated tracker.

    The tracker counts consecutive steps without infinities. After `interval` such steps the scale grows, and the
    tracker restarts at 0. After a step with infinities the scale shrinks, and the tracker restarts too.
    """
    xp = namespace(scale)
    good = tracker + xp.asarray(1).astype(tracker.dtype)
    grown = (scale * growth).astype(scale.dtype)
    grows = good == interval
    next_good = xp.where(grows & xp.isfinite(grown), grown, scale)
    is_bad = found > 0
    zero = xp.zeros_like(tracker)
    new = xp.where(is_bad, (scale * backoff).astype(scale.dtype), next_good)
    return [xp.asarray(new), xp.asarray(xp.where(is_bad | grows, zero, good))]
