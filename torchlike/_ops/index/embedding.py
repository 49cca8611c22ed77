"""Embedding lookups, embedding bags, renormalization and one-hot encoding."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE
from torchlike._ops.schema.declare import Array, Scalar, constant, namespace, operator
from torchlike._ops.schema.namespace import at, within
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call


def _check(call: Call) -> None:
    if call.weight.ndim != 2:
        raise _errors.embedding.embedding_weight()
    if call.indices.dtype.name not in ("int64", "int32"):
        raise _errors.embedding.embedding_indices(call.indices.dtype)


def _shape(call: Call) -> list:
    return [tuple(call.indices.shape) + tuple(call.weight.shape[1:])]


def rows_of(weight, indices):
    """Return weight[indices].

    For an index out of range, NumPy raises an error, and a compiled program returns NaN.
    """
    indices = within(indices, weight.shape[0], lambda bad: _errors.indexing.index_out_of_range())
    if namespace(weight) is np:
        return weight[indices]
    return namespace(weight).take(weight, indices, axis=0, mode="fill")


def _counted(indices, weight):
    """Return how often each row of `weight` is selected by `indices`."""
    if namespace(weight) is np:
        return np.bincount(indices, minlength=weight.shape[0])
    return jnp.bincount(indices, length=weight.shape[0])


@operator(
    where=("torch",),
    keeps=("indices",),
    shape=_shape,
    check=_check,
    saves=("indices",),
    out=False,
    opmath=False,
    float8=FLOAT8,
)
def embedding(weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False):
    """Return the rows of `weight` selected by `indices`: weight[indices].

    Row `padding_idx` gets no gradient; the default -1 means no such row. `scale_grad_by_freq` divides the gradient of
    each row by the number of times that the row was selected.
    """
    rows = _by_frequency(rows_of(weight, indices), indices, weight, scale_grad_by_freq)
    if padding_idx >= 0:
        padding = (indices == padding_idx)[..., None]
        rows = namespace(weight).where(padding, constant(rows), rows)
    return rows


def _by_frequency(rows, indices, weight, scale_grad_by_freq: bool):
    """Return `rows`. If `scale_grad_by_freq` is True, their gradients are divided by the row frequencies."""
    if not scale_grad_by_freq:
        return rows
    counts = _counted(indices.reshape(-1), weight)[indices][..., None]
    return rows if namespace(rows) is np else _with_divided_gradient(rows, counts.astype(weight.dtype))


@jax.custom_jvp
def _with_divided_gradient(x, divisor):
    """Return `x`. Its gradient is divided by `divisor`."""
    return x


_with_divided_gradient.defjvp(lambda primals, tangents: (primals[0], tangents[0] / primals[1]))


# -- bags --------------------------------------------------------------------------------------------------------------


def _bags_shape(call: Call) -> list:
    return [(_bag_count(call.indices, call.offsets, call.include_last_offset), call.weight.shape[1])]


def _check_bags(call: Call) -> None:
    _errors.embedding.check_bags(call)


class _Bags:
    """Sums and maxima within bags of rows.

    The rows have shape (B, L, D), or (N, D) with bag boundaries given by `offsets`.
    """

    def __init__(self, rows, offsets) -> None:
        self.xp, self.offsets = namespace(rows), offsets
        if offsets is not None:
            self.bag = self.xp.searchsorted(offsets, self.xp.arange(rows.shape[0]), side="right") - 1

    def sum(self, x):
        """Return the sum of each bag, of shape (B, ...)."""
        if self.offsets is None:
            return self.xp.sum(x, axis=1)
        return at(self.xp.zeros((self.offsets.shape[0], *x.shape[1:]), x.dtype), self.bag).add(x)

    def max(self, x):
        """Return the maximum of each bag, of shape (B, D).

        The first of several equal maxima gets the whole gradient.
        """
        xp = self.xp
        if not x.size:
            return self.sum(x)
        if self.offsets is None:
            return xp.take_along_axis(x, xp.argmax(constant(x), axis=1)[:, None], 1)[:, 0]
        shape, n = (self.offsets.shape[0], x.shape[1]), x.shape[0]
        best = at(xp.full(shape, -np.inf, x.dtype), self.bag).max(constant(x))
        place = xp.where(x == best[self.bag], -xp.arange(n)[:, None], -n)
        first = -at(xp.full(shape, -n), self.bag).max(place)
        return xp.take_along_axis(x, xp.minimum(first, n - 1), 0)


@operator(
    where=(),
    keeps=("indices", "offsets"),
    shape=_bags_shape,
    check=_check_bags,
    out=False,
    opmath=False,
    node="EmbeddingBagBackward0",
    edges=("weight", "per_sample_weights"),
    name="_embedding_bag",
    chooses=lambda plan: plan.static("mode") == "max",
)
def _embedding_bag(
    weight: Array,
    indices: Array,
    offsets: Array | None,
    per_sample_weights: Array | None,
    mode: str,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    include_last_offset: bool = False,
):
    """Return the sum, mean or maximum of the rows selected by each bag of indices.

    Row `padding_idx` is excluded. The result for an empty bag is 0.
    """
    xp, count = namespace(weight), _bag_count(indices, offsets, include_last_offset)
    if count <= 0:
        return xp.zeros((0, weight.shape[1]), weight.dtype)
    rows = _by_frequency(rows_of(weight, indices), indices, weight, scale_grad_by_freq)
    bags = _Bags(rows, offsets)
    step, wide = stepwise(rows)
    counted = (indices != padding_idx)[..., None]
    if per_sample_weights is not None:
        wide = wide * per_sample_weights[..., None].astype(wide.dtype)
    filled = bags.sum(counted.astype(wide.dtype))
    if mode == "max":
        largest = bags.max(xp.where(counted, wide, -np.inf))
        found = xp.where(filled > 0, largest, xp.zeros_like(largest))
    else:
        found = bags.sum(xp.where(counted, wide, xp.zeros_like(wide)))
        found = step(found) / xp.maximum(filled, 1) if mode == "mean" else found
    return found[:count].astype(weight.dtype)


def _bag_count(indices, offsets, include_last_offset: bool) -> int:
    return indices.shape[0] if offsets is None else offsets.shape[0] - include_last_offset


def _check_renormed(call: Call) -> None:
    if call.indices.dtype.name not in ("int64", "int32"):
        raise _errors.embedding.embedding_indices(call.indices.dtype, 2, "embedding_renorm_")
    if call.weight.ndim != 2:
        raise _errors.embedding.embedding_weight()
    _errors.linalg.check_norm_dtype_of_input(call.weight)


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    keeps=("indices",),
    shape=lambda call: [call.weight.shape],
    check=_check_renormed,
    differentiable=False,
    out=False,
    name="_renormed",
    opmath=False,
)
def _renormed(weight: Array, indices: Array, max_norm: Scalar, norm_type: float):
    """Return the table, with every selected row whose norm exceeds `max_norm` scaled to norm `max_norm`."""
    from torchlike._ops.nn.norm import vector_norm

    picked = at(namespace(weight).zeros(weight.shape[0], bool), indices.reshape(-1)).set(True)
    step, table = stepwise(weight)
    norm = step(vector_norm(table, norm_type, 1))
    scale = step(max_norm / (norm + 1e-7))
    return table * namespace(weight).where(picked & (norm > max_norm), scale, 1)[:, None].astype(table.dtype)


def _one_hot_shape(call: Call) -> list:
    return [((*call.input.shape, call.num_classes), _dtypes.int64)]


@operator(where=(), promote=None, shape=_one_hot_shape, differentiable=False, out=False, name="_one_hot")
def _one_hot(input: Array, num_classes: int):
    """Return an int64 tensor with a new last dim that is 1 at each index and 0 elsewhere."""
    xp = namespace(input)
    return (input[..., None] == xp.arange(num_classes, dtype=input.dtype)).astype(np.int64)
