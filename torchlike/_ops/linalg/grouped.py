"""Products of groups of rows, each with a matrix of its own: a mixture of experts."""

from __future__ import annotations

import numpy as np

from torchlike import _errors
from torchlike._ops.linalg.products import rows_times
from torchlike._ops.schema.declare import Array, namespace, operator
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.typing_rules import Call


def _shape(call: Call) -> list:
    a, b = call.mat_a.shape, call.mat_b.shape
    if len(a) == len(b) == 2:
        return [(call.offs.shape[0], a[0], b[1])]
    return [(*a[:-1], b[-1]) if len(a) == len(b) else (a[-2], b[-1])]


@operator(
    where=("nn.functional",),
    keeps=("offs",),
    shape=_shape,
    check=_errors.linalg.check_grouped,
    opmath=False,
    saves=("mat_a", "mat_b", "offs"),
    node="GroupedMmBackward0",
    out=False,
)
def grouped_mm(mat_a: Array, mat_b: Array, *, offs: Array | None = None, bias: Array | None = None, out_dtype=None):
    """Matrix products group by group; group i goes from `offs[i - 1]` (or 0) up to `offs[i]`.

    Args:
      mat_a: (G, n, k); or (n, k) whose rows (columns, where `mat_b` has two dims as well) are grouped.
      mat_b: (G, k, m); or (k, m) whose columns (rows, where `mat_a` has two dims as well) are grouped.
      offs: (G,) in int32, in ascending order, where the groups end; None where both have three dims. What lies behind
        the last end is in no group: zeros, where PyTorch leaves memory as it was.
      bias, out_dtype: as in PyTorch, none but the defaults.

    Returns (G, n, m), (n, m).
    """
    if offs is None:
        return rows_times(mat_a, mat_b)
    a, b = widened(mat_a), widened(mat_b)
    if a.ndim == 3:
        return _by_rows(b.mT, a.mT, offs).mT.astype(mat_a.dtype)
    return (_by_rows(a, b, offs) if b.ndim == 3 else _summed(a, b, offs)).astype(mat_a.dtype)


def _inside(xp, offs, count: int):
    """Which of `count` places each group has, (G, count)."""
    ends = offs[:, None]
    starts = xp.concatenate([xp.zeros_like(ends[:1]), ends[:-1]])
    place = xp.arange(count)
    return (place >= starts) & (place < ends)


def _by_rows(a, b, offs):
    xp = namespace(a)
    if (
        xp is not np
    ):  # every row times every matrix: `lax.ragged_dot` does no less on the CPU, and has one gradient only
        products = rows_times(xp.broadcast_to(a, (b.shape[0], *a.shape)), b)
        return xp.where(_inside(xp, offs, a.shape[0])[..., None], products, 0).sum(0)
    made, start = np.zeros((a.shape[0], b.shape[2]), a.dtype), 0
    for matrix, end in zip(b, offs.tolist()):
        made[start:end] = a[start:end] @ matrix
        start = end
    return made


def _summed(a, b, offs):
    xp = namespace(a)
    inside = _inside(xp, offs, b.shape[0])[:, None, :]  # (G, 1, k)
    return rows_times(xp.where(inside, a, 0), xp.broadcast_to(b, (offs.shape[0], *b.shape)))
