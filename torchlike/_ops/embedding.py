"""Rows of a table picked by index."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops._declare import Array, Scalar, constant, namespace, operator
from torchlike._ops._namespace import at, within
from torchlike._ops._rules import Call


def _check(call: Call) -> None:
    if call.weight.ndim != 2:
        raise _errors.sequences.embedding_weight()
    if call.indices.dtype.name not in ("int64", "int32"):
        raise _errors.sequences.embedding_indices(call.indices.dtype)


def _shape(call: Call) -> list:
    return [tuple(call.indices.shape) + tuple(call.weight.shape[1:])]


def rows_of(weight, indices):
    """weight[indices]; an index out of range is refused by NumPy, and reads NaN in a compiled program."""
    indices = within(indices, weight.shape[0], lambda bad: _errors.sequences.index_out_of_range())
    if namespace(weight) is np:
        return weight[indices]
    return namespace(weight).take(weight, indices, axis=0, mode="fill")


def _counted(indices, weight):
    """How often each row of the weight is picked."""
    if namespace(weight) is np:
        return np.bincount(indices, minlength=weight.shape[0])
    return jnp.bincount(indices, length=weight.shape[0])


@operator(where=("torch",), keeps=("indices",), shape=_shape, check=_check, saves=("indices",), out=False, opmath=False)
def embedding(weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False):  # fmt: skip
    """weight[indices]; row `padding_idx` gets no gradient.

    `scale_grad_by_freq` divides the gradient of a row by how often it was picked.
    """
    rows = rows_of(weight, indices)
    if scale_grad_by_freq:
        counts = _counted(indices.reshape(-1), weight)[indices][..., None]
        rows = constant(rows) + (rows - constant(rows)) / counts.astype(weight.dtype)
    if padding_idx >= 0:
        padding = (indices == padding_idx)[..., None]
        rows = namespace(weight).where(padding, constant(rows), rows)
    return rows


@operator(where=(), keeps=("indices",), shape=lambda call: [call.weight.shape], differentiable=False, out=False,
          name="_renormed")  # fmt: skip
def _renormed(weight: Array, indices: Array, max_norm: Scalar, norm_type: float):
    """The table with each picked row whose norm exceeds max_norm scaled down to it."""
    from torchlike._ops.norm import vector_norm

    picked = at(namespace(weight).zeros(weight.shape[0], bool), indices.reshape(-1)).set(True)
    norm = vector_norm(weight, norm_type, 1)
    limit = max_norm
    scale = limit / (norm + 1e-7)
    return weight * namespace(weight).where(picked & (norm > limit), scale, 1)[:, None].astype(weight.dtype)


def _one_hot_shape(call: Call) -> list:
    return [((*call.input.shape, call.num_classes), _dtypes.int64)]


@operator(where=(), promote=None, shape=_one_hot_shape, differentiable=False, out=False, name="_one_hot")
def _one_hot(input: Array, num_classes: int):
    """int64: 1 at each index, 0 elsewhere, in a new last dim."""
    xp = namespace(input)
    return (input[..., None] == xp.arange(num_classes, dtype=input.dtype)).astype(np.int64)
