"""Sparse gradients of embedding tables: one index and one row for each lookup."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from torchlike._dtypes import int64
from torchlike._dtypes import memory_format as mf
from torchlike._sparse import _tensor as s
from torchlike._sparse._convert import picked
from torchlike._sparse._make import NODE, from_host
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.sparse_node import with_sparse_gradient


def of_rows(out: Tensor, weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """Attach a sparse gradient of the table to `out`, the rows (*, D) of a table (V, D) at `indices` (*)."""
    rule = functools.partial(_rows_gradient, weight.shape[0], padding_idx, scale_grad_by_freq)
    return with_sparse_gradient(out, rule, indices)


def _rows_gradient(count: int, padding_idx: int, scale_grad_by_freq: bool, grad: Tensor, indices: Tensor) -> Any:
    """Return a sparse tensor (count, D) of the rows of `grad`, without those whose index is `padding_idx`.

    The indices may contain duplicates.
    """
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    where, width = indices.reshape(-1), grad.shape[-1]
    values = grad.reshape((where.shape[0], width))
    if padding_idx >= 0:
        kept = np.flatnonzero(s.on_host(indices, "a sparse gradient with padding_idx") != padding_idx)
        if len(kept) < where.shape[0]:
            where, values = picked(where, kept), picked(values, kept)
    index = where.long().reshape((1, -1))
    return s.make(mf.sparse_coo, (index,), s.passed_on(values, NODE), (count, width))


def of_bags(
    out: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor | None,
    per_sample_weights: Tensor | None,
    mode: str,
    padding_idx: int,
    scale_grad_by_freq: bool,
) -> Tensor:
    """Attach a sparse gradient of the table (V, D) to `out`, the sums or means (B, D) of bags of rows."""
    names = ("offsets", "per_sample_weights")
    given = {name: t for name, t in zip(names, (offsets, per_sample_weights)) if t is not None}
    rule = functools.partial(_bags_gradient, weight.shape[0], padding_idx, scale_grad_by_freq, mode, tuple(given))
    return with_sparse_gradient(out, rule, indices, *given.values())


def _bags_gradient(
    count: int,
    padding_idx: int,
    scale_grad_by_freq: bool,
    mode: str,
    names: tuple[str, ...],
    grad: Tensor,
    indices: Tensor,
    *tensors: Tensor,
) -> Any:
    given = dict(zip(names, tensors))
    bag = _bag_of_each(indices, given.get("offsets"), grad.shape[0])
    where = indices.reshape(-1)
    values = rows["index_select"](grad, 0, bag)
    if mode == "mean":
        none = factories.zeros(grad.shape[0], dtype=int64, device=grad.device)
        sizes = none.index_add(0, bag, (where != padding_idx).long()).clamp(min=1).to(grad.dtype)
        values = values * rows["index_select"](sizes.reciprocal(), 0, bag)[:, None]
    if "per_sample_weights" in given:
        values = values * given["per_sample_weights"].reshape((-1, 1))
    return _rows_gradient(count, padding_idx, scale_grad_by_freq, values, where)


def _bag_of_each(indices: Tensor, offsets: Tensor | None, bags: int) -> Tensor:
    """Return the bag number of each index. Indices after the last offset belong to the last bag."""
    if offsets is None:
        return from_host(np.repeat(np.arange(bags), indices.shape[1]), indices.device)
    order = from_host(np.arange(indices.shape[0]), indices.device).to(offsets.dtype)
    return (rows["searchsorted"](offsets, order, True, False) - 1).clamp(max=bags - 1)
