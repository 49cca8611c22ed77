"""Samples of reads and writes by index and by mask, of segment reductions, and of `unique`."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar

B, V, S = normal(2, 3), normal(3), scalar(3.0)
W = normal(3, seed=1)
I = array(0, 2, 1, dtype=np.int64)
TWICE = array(0, 0, 1, dtype=np.int64)
FAR, BELOW = array(7, dtype=np.int64), array(-1, dtype=np.int64)
COLUMNS = np.array([[0, 1], [2, 0]])
ONE = np.array([[0], [1]])
MASK = np.array([[True, False, True], [False, True, False]])
TIES = array(1.0, 1.0, 2.0, 1.0, 0.0)
FIVE = array(0, 0, 1, 1, 2, dtype=np.int64)
ZEROS = array(0.0, 2.0, 3.0, 0.0, 0.0)
ROWS, LENGTHS = normal(5, 2), array(2, 0, 3, dtype=np.int64)

NONE = "PyTorch has none"

SAMPLES = {
    "gather": [
        Sample(B, 1, COLUMNS),
        Sample(V, 0, I),
        Sample(S, 0, np.array(0)),
        Sample(B, dim=0, index=np.array([[0, 1, 1]])),
        Fails(V, 0, FAR),
        Fails(V, 0, BELOW),
        Fails(B, 1, I),
        Fails(B, 1, B),
        Fails(B, 0, np.array([[0, 1, 1, 1]])),
    ],
    "take_along_dim": [
        Sample(B, np.array([[0]]), 1),
        Sample(B, array(0, 4, dtype=np.int64)),
        Fails(B, I, 0),
        Fails(B, B, 0),
    ],
    "index_select": [
        Sample(B, 1, I),
        Sample(B, -1, np.array(1)),
        Sample(S, 0, np.array([0])),
        Fails(B, 2, I),
        Fails(B, 0, ONE),
        Fails(B, 0, V),
        Fails(V, 0, FAR),
    ],
    "take": [Sample(B, np.array([[0, 5], [3, -2]])), Fails(V, FAR), Fails(B, V)],
    "masked_select": [Sample(B, MASK), Sample(B, bools(3)), Fails(B, B)],
    "masked_fill": [
        Sample(B, MASK, 0.5),
        Sample(B, MASK, S),
        Sample(I, I > 0, 2.7),
        Sample(B, bools(3), -np.inf),
        Sample(V, MASK, 9).not_in_place("grows"),
        Fails(B, MASK, V),
        Fails(I.astype(np.uint8), I > 0, 300),
    ],
    "masked_scatter": [
        Sample(B, MASK, V),
        Sample(V, MASK, normal(6)).not_in_place("grows"),
        Fails(B, MASK, normal(1)),
        Fails(B, MASK, I),
    ],
    "scatter": [
        Sample(B, 1, ONE, normal(2, 1)),
        Sample(B, 1, ONE, 5.0),
        Sample(B, 1, ONE, value=5.0),
        Sample(B, 1, ONE, 2.0, reduce="add").without_gradient(NONE),
        Sample(B, 1, ONE, 2.0, reduce="multiply").without_gradient(NONE),
        Sample(S, 0, np.array(0), 5.0),
        Fails(V, 0, FAR, 1.0),
        Fails(B, 1, I, 5.0),
        Fails(B, 1, ONE, np.ones((2, 1), np.int64)),
        Fails(B, 1, ONE, 2.0, reduce="foo"),
    ],
    "scatter_add": [
        Sample(B, 0, np.array([[0, 0, 0]]), B).without_gradient("PyTorch fails where the index is smaller"),
        Sample(V, 0, TWICE, W),
        Fails(V, 0, I, I),
        Fails(V, 0, FAR, V),
    ],
    "scatter_reduce": [
        *[Sample(V, 0, TWICE, W, how) for how in ("sum", "prod", "mean", "amax", "amin")],
        *[Sample(V, 0, TWICE, W, how, include_self=False) for how in ("sum", "prod", "mean", "amax", "amin")],
        Sample(TIES, 0, FIVE, TIES, "amax"),
        Sample(ZEROS, 0, FIVE, ZEROS, "prod"),
        Sample(I, 0, TWICE, I * 2, "mean"),
        Fails(V, 0, I, V, "foo"),
    ],
    "index_add": [
        Sample(B, 1, I, B),
        Sample(V, 0, TWICE, W, alpha=2),
        Fails(B, 0, I, B),
        Fails(B, 0, ONE, B[:1]),
        Fails(V, 0, FAR, V[:1]),
        Fails(B, 0, BELOW * 0, np.ones((1, 3), np.int64)),
    ],
    "segment_reduce": [
        *[Sample(ROWS, how, lengths=LENGTHS) for how in ("sum", "prod", "max", "min")],
        *[Sample(ROWS, how, lengths=LENGTHS, initial=2) for how in ("sum", "prod", "mean", "max", "min")],
        Sample(ROWS, "mean", offsets=array(0, 2, 3, 5, dtype=np.int64)),
        Sample(ZEROS, "prod", offsets=array(0, 3, 5, dtype=np.int64)),
        Sample(array(1.0, np.nan, 2.0), "max", lengths=array(3, dtype=np.int64)),
        Sample(normal(2, 3, 2), "sum", lengths=np.array([[1, 2], [3, 0]]), axis=1),
        Sample(ROWS, "sum", lengths=array(2, 2, dtype=np.int64), unsafe=True),
        Fails(ROWS, "sum"),
        Fails(ROWS, "sum", indices=LENGTHS),
        Fails(ROWS, "foo", lengths=LENGTHS),
        Fails(ROWS, "sum", lengths=LENGTHS, axis=1),
        Fails(ROWS, "sum", lengths=array(2, 2, dtype=np.int64)),
        Fails(ROWS, "sum", lengths=array(7, -2, dtype=np.int64)),
        Fails(ROWS, "sum", lengths=V),
        Fails(np.ones(5, np.int64), "sum", lengths=LENGTHS),
    ],
    "_unsafe_masked_index": [Sample(B, MASK[:, :2], [ONE, np.array([[1, -7]])], 0.5)],
    "_unsafe_masked_index_put_accumulate": [Sample(B, MASK[:, :2], [ONE, np.array([[1, -7]])], normal(2, 2))],
    "index_reduce": [
        Sample(S, 0, np.array([0]), scalar(2.0), "prod"),
        *[Sample(normal(5), 0, FIVE, normal(5, seed=1), how) for how in ("prod", "mean", "amax")],
        Sample(ZEROS, 0, FIVE, ZEROS, "prod"),
    ],
    "index_copy": [Sample(B, 1, array(0, dtype=np.int64), normal(2, 1)), Fails(V, 0, FAR, V[:1])],
    "index_fill": [
        Sample(B, 1, array(0, 2, dtype=np.int64), 5),
        Sample(B, 1, array(0, dtype=np.int64), S),
        Fails(V, 0, FAR, 1),
        Fails(V, 0, V, 1),
    ],
    "put": [
        Sample(B, array(0, 4, dtype=np.int64), normal(2)),
        Sample(V, array(0, 0, dtype=np.int64), normal(2), accumulate=True),
        Fails(V, FAR, V[:1]),
        Fails(V, BELOW, W),
    ],
    "index_put": [
        Sample(B, [TWICE[1:], I[1:]], normal(2)),
        Sample(B, [array(0, 0, dtype=np.int64)], normal(2, 3), accumulate=True),
        Sample(B, [MASK], S),
    ],
    "nonzero": [Sample(MASK), Sample(S), Sample(np.zeros(3)), Sample(MASK, as_tuple=True)],
    "argwhere": [Sample(MASK)],
    "unique": [
        Sample(np.array([3, np.nan, 1, np.nan, 2, 1], ml_dtypes.bfloat16)).without_gradient("not differentiable"),
        Sample(integers(6)).without_gradient("whole numbers"),
        Sample(integers(6), return_inverse=True, return_counts=True),
        Sample(np.array([[2, 1], [2, 1], [1, 3]]), dim=0, return_counts=True),
        Sample(np.array([[2, 1], [2, 1], [1, 3]]), dim=0),
        Sample(np.array([[2, 1, 2], [0, 1, 0]]), dim=1),
        Sample(np.array([3, 1, 3]), dim=0, sorted=False),
        Sample(S, return_inverse=True).without_gradient("the largest of one is not looked at"),
        Fails(S, dim=0),
        Fails(np.zeros((0, 2)), dim=1),
        Fails(np.array([1j, 2])),
        Fails(I, dim=5),
    ],
    "unique_consecutive": [
        Sample(array(1, 1, 2, 2, 1, dtype=np.int64), return_inverse=True, return_counts=True),
        Sample(np.array([[1, 1], [1, 1], [2, 1]]), dim=0),
    ],
    "fill": [Sample(B, 2.0)],
}
