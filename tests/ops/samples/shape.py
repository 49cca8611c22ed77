"""Samples of operators that copy: joining, repeating, flipping, splitting; matrices from vectors."""

import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar

A, B, V, S = normal(2, 3, 4), normal(2, 3), normal(3), scalar(3.0)
W = normal(3, seed=1)
COUNTS = array(1, 2, 0, dtype=np.int64)

SAMPLES = {
    "cat": [
        Sample([B, B]),
        Sample([B, B], 1),
        Sample([B.T, B.T], dim=-1),
        Sample([B, integers(2, 3)]),
        Sample([normal(0), B]),
        Sample([B, B], axis=1),
        Fails([B, A]),
        Fails([S, S]),
        Fails([]),
        Fails([B, normal(2, 2)]),
        Fails([B, B], 2),
        Fails([1, 2]),
    ],
    "_chunk_cat": [
        Sample([B, normal(3, 3)], 0, 2).without_gradient("PyTorch has none"),
        Sample([A, normal(2, 5)], 1, 2).without_gradient("PyTorch has none"),
        Sample([B, normal(2, 4)], -1, 3).without_gradient("PyTorch has none"),
        Fails([B, V], -1, 2),
        Fails([B, V], 1, 2),
        Fails([B, B], 2, 2),
        Fails([B, A.transpose(1, 0, 2)], 1, 2),
        Fails([B, B], 0, 0),
        Fails([B, integers(2, 3)], 0, 1),
        Fails([B, np.zeros((0, 3), np.float32)], 0, 1),
        Fails([], 0, 1),
    ],
    "concat": [Sample([V, W])],
    "concatenate": [Sample([V, W], axis=0)],
    "stack": [Sample([B, B]), Sample([B, B.copy()], -1), Fails([B, V]), Fails([]), Fails([B, B], 4)],
    "hstack": [Sample([V, W]), Sample([B, B]), Sample([S, S])],
    "vstack": [Sample([V, W]), Sample([B, B])],
    "row_stack": [Sample([V, W])],
    "dstack": [Sample([V, W]), Sample([B, B])],
    "column_stack": [Sample([V, normal(3, 2)]), Fails([])],
    "flip": [Sample(A, (0,)), Sample(A, (0, -1)), Sample(B.T, (0,)), Fails(A, (0, 0)), Fails(A, (3,))],
    "fliplr": [Sample(B), Fails(V)],
    "flipud": [Sample(B)],
    "rot90": [Sample(B), Sample(B, 2), Sample(A, -1, (1, 2)), Fails(A, 1, (0, 0)), Fails(V)],
    "roll": [Sample(A, 1), Sample(A, (1, 2), (0, 1)), Sample(A, -1, -1), Fails(A, (1, 2), 0)],
    "Tensor.repeat": [Sample(V, 2), Sample(V, 2, 2), Sample(B, 1, 0), Fails(A, 2), Fails(V, -1)],
    "tile": [Sample(V, (2, 2)), Sample(A, (2,)), Fails(V, 2)],
    "repeat_interleave": [
        Sample(V, 2),
        Sample(B, 2, 1),
        Sample(B, COUNTS, 1),
        Sample(B, COUNTS, 1, output_size=3),
        Fails(B, COUNTS, 0),
        Fails(B, -1),
        Fails(B, V, 1),
    ],
    "tril": [Sample(B), Sample(A, 1), Sample(bools(2, 2)), Fails(V)],
    "triu": [Sample(B, -1), Sample(A, diagonal=1), Fails(V)],
    "narrow_copy": [Sample(A, 1, 0, 2)],
    "diag": [Sample(V), Sample(V, -1), Sample(B, 1), Sample(B, -1), Fails(A)],
    "diag_embed": [Sample(V), Sample(B, 1), Sample(B, -1, 0, 2), Fails(B, 0, 0, 0), Fails(B, 0, 5, 0)],
    "diagflat": [Sample(B, 1)],
    "block_diag": [Sample(B, V, S), Fails(A)],
    "meshgrid": [
        Sample(V, W, indexing="ij"),
        Sample(V, W, indexing="xy"),
        Fails(V, COUNTS, indexing="ij"),
        Fails(V, indexing="zz"),
    ],
    "cartesian_prod": [Sample(V, W), Sample(V), Fails(B, V)],
    "combinations": [Sample(V), Sample(V, 3), Sample(V, 2, True), Sample(V, 0), Fails(B), Fails(V, -1)],
    "vander": [
        Sample(V).loosely("powers by multiplication", rtol=1e-5, atol=1e-6).without_gradient("PyTorch fails"),
        Sample(COUNTS, 2, increasing=True),
    ],
    "unravel_index": [Sample(array(5, 7, dtype=np.int64), (3, 4)), Fails(V, (3, 4))],
}
