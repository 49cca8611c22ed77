"""Grouped matrix products, where each group of rows has its own matrix (mixture of experts)."""

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
    """Multiply matrices group by group; group i extends from `offs[i - 1]` (or 0) up to `offs[i]`.

    Args:
      mat_a: (G, n, k), or (n, k) whose rows are grouped. If `mat_b` has two dims too, the columns are grouped.
      mat_b: (G, k, m), or (k, m) whose columns are grouped. If `mat_a` has two dims too, the rows are grouped.
      offs: (G,), int32 in ascending order, the ends of the groups. None if both matrices have three dims. Elements
        after the last end belong to no group: their results are zeros, where PyTorch leaves memory uninitialized.
      bias: must be None, as in PyTorch.
      out_dtype: must be the default, as in PyTorch.

    Returns:
      (G, n, m) or (n, m).

    >>> import torchlike as torch
    >>> a, b = torch.ones(4, 8), torch.ones(2, 8, 8)
    >>> torch.nn.functional.grouped_mm(a, b, offs=torch.tensor([1, 4], dtype=torch.int32)).shape
    torch.Size([4, 8])
    """
    if offs is None:
        return rows_times(mat_a, mat_b)
    a, b = widened(mat_a), widened(mat_b)
    if a.ndim == 3:
        return _by_rows(b.mT, a.mT, offs).mT.astype(mat_a.dtype)
    return (_by_rows(a, b, offs) if b.ndim == 3 else _by_columns(a, b, offs)).astype(mat_a.dtype)


def _inside(xp, offs, count: int):
    """Return a mask (G, count) of the positions that belong to each group."""
    ends = offs[:, None]
    starts = xp.concatenate([xp.zeros_like(ends[:1]), ends[:-1]])
    position = xp.arange(count)
    return (position >= starts) & (position < ends)


def _by_rows(a, b, offs):
    xp = namespace(a)
    if xp is not np:
        # Multiply every row by every matrix. `lax.ragged_dot` is no alternative: on the CPU it does the same work, and
        # it can be differentiated only once.
        products = rows_times(xp.broadcast_to(a, (b.shape[0], *a.shape)), b)
        return xp.where(_inside(xp, offs, a.shape[0])[..., None], products, 0).sum(0)
    made, start = np.zeros((a.shape[0], b.shape[2]), a.dtype), 0
    for matrix, end in zip(b, offs.tolist()):
        made[start:end] = a[start:end] @ matrix
        start = end
    return made


def _by_columns(a, b, offs):
    xp = namespace(a)
    inside = _inside(xp, offs, b.shape[0])[:, None, :]  # (G, 1, k)
    return rows_times(xp.where(inside, a, 0), xp.broadcast_to(b, (offs.shape[0], *b.shape)))
