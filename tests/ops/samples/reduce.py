"""Reductions, order, cumulative operators."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar

inf, nan = np.inf, np.nan
A = normal(2, 3, 4)
M = normal(3, 4)
INTS = integers(3, 4)
BOOL = bools(3, 4)
TIES = array(1.0, 3, 3, 2, 2)
HOLES = array(3.0, nan, 1, 5, nan)
COMPLEX = normal(2, 3, dtype=np.complex64)
BF16 = normal(4, 5).astype(ml_dtypes.bfloat16)
EMPTY, FLAT = np.zeros(0, np.float32), np.zeros((2, 0), np.float32)

# Every way to name the dims of a reduction.
DIMS = [Sample(A), Sample(A, 1), Sample(A, (0, 2), True), Sample(A.transpose(2, 0, 1), dim=-1), Sample(scalar(2.0)),
        Sample(A, axis=1, keepdims=True), Fails(A, 3), Fails(A, (1, 1)), Sample(BF16, 0)]  # fmt: skip
ONE_DIM = [Sample(A, 1), Sample(A, -1, True), Sample(A.transpose(2, 0, 1), dim=0), Fails(A, 3), Sample(BF16, 0)]


SAMPLES = {
    "sum": [
        *DIMS,
        Sample(INTS, dtype=np.float64),
        Sample(BOOL),
        Sample(INTS.astype(np.int32), 0),
        Sample(EMPTY),
        Sample(COMPLEX),
        Sample(A, []),
    ],
    "mean": [*DIMS, Sample(INTS, dtype=np.float32), Fails(INTS), Fails(BOOL), Sample(FLAT, 1), Sample(COMPLEX, 0)],
    "prod": [
        *ONE_DIM,
        Sample(INTS),
        Sample(BOOL, 0),
        Sample(array(0.0, 2, 3)),
        Sample(array(0.0, 2, 0)),
        Sample(EMPTY),
        Sample(INTS, dtype=np.float32),
    ],
    "nansum": [Sample(HOLES), Sample(A, (0, 1)), Sample(INTS), Fails(COMPLEX)],
    "nanmean": [Sample(HOLES), Sample(A, 1, True), Fails(INTS)],
    "count_nonzero": [Sample(INTS), Sample(INTS, 0), Sample(A, (0, 1)), Sample(BOOL)],
    "any": [
        Sample(BOOL),
        Sample(BOOL, 1),
        Sample(INTS, 0, True),
        Sample(INTS.astype(np.uint8), 0),
        Sample(EMPTY),
        Sample(BOOL, (0, 1)),
    ],
    "all": [Sample(BOOL), Sample(BOOL, 1), Sample(INTS, 0, True), Sample(INTS.astype(np.uint8), 0), Sample(EMPTY)],
    "amax": [
        *DIMS,
        Sample(TIES),
        Sample(HOLES),
        Sample(INTS, 0),
        Sample(BOOL, 0),
        Fails(EMPTY),
        Fails(FLAT, 1),
        Fails(COMPLEX),
    ],
    "amin": [*DIMS, Sample(TIES), Sample(HOLES), Sample(INTS, 0), Sample(BOOL, 0), Fails(EMPTY)],
    "max": [
        *ONE_DIM,
        Sample(A),
        Sample(TIES),
        Sample(TIES, 0),
        Sample(HOLES),
        Sample(HOLES, 0),
        Sample(INTS),
        Sample(INTS, dim=1),
        Sample(BOOL, 0),
        Sample(A, normal(4)),
        Sample(scalar(1.0), 0),
        Fails(EMPTY),
        Fails(FLAT, 1),
        Sample(FLAT, 0),
        Fails(COMPLEX),
    ],
    "min": [
        *ONE_DIM,
        Sample(A),
        Sample(TIES, 0),
        Sample(HOLES),
        Sample(INTS),
        Sample(A, other=normal(4)),
        Fails(EMPTY),
    ],
    "aminmax": [Sample(A), Sample(A, dim=1, keepdim=True), Sample(INTS), Sample(array(1.0, 2.0, 4.0))],
    "argmax": [
        *ONE_DIM,
        Sample(A),
        Sample(TIES, 0),
        Sample(HOLES),
        Sample(INTS, 0),
        Sample(A, keepdim=True),
        Sample(scalar(1.0)),
        Fails(EMPTY),
        Fails(BOOL),
        Fails(COMPLEX),
    ],
    "argmin": [*ONE_DIM, Sample(A), Sample(TIES, 0), Sample(HOLES)],
    "logsumexp": [
        *[s for s in DIMS if len(s.args) > 1],
        Sample(array(-inf, 1.0), 0),
        Sample(INTS, 0),
        Sample(array(1000.0, 1001.0), 0),
    ],
    # -- spread
    "std": [
        Sample(A),
        Sample(A, 1),
        Sample(A, (0, 1), False, True),
        Sample(A, False),
        Sample(A, unbiased=False),
        Sample(A, dim=0, correction=0, keepdim=True),
        Sample(array(2.0, 2.0)),
        Fails(INTS),
        Sample(BF16, 1).loosely("PyTorch takes the gradient from a result rounded to bfloat16", rtol=0.1, atol=1e-3),
        Sample(COMPLEX),
        Fails(A, 3),
    ],
    "var": [
        Sample(A),
        Sample(A, 1),
        Sample(A, [0, 2], True, True),
        Sample(A, unbiased=False),
        Sample(A, correction=2),
        Fails(BOOL),
    ],
    "std_mean": [Sample(A), Sample(A, 1, keepdim=True)],
    "var_mean": [Sample(A), Sample(A, 1, False)],
    # -- norms
    "norm": [
        Sample(A),
        Sample(A, 1),
        Sample(A, 2, 1),
        Sample(A, p=3, dim=(0, 1), keepdim=True),
        Sample(A, inf),
        Sample(A, -inf, 1),
        Sample(A, "fro"),
        Sample(A, 0.5, 0),
        Sample(A, 0).without_gradient("PyTorch gives none at all, not zeros"),
        Sample(array(0.0, 0.0)),
        Sample(array(0.0, 0.0), 1),
        Sample(array(0.0, 1.0), 0.5),
        Sample(array(0.0, 0.0), 3),
        Sample(array(0.0, 0.0), inf),
        Fails(INTS),
        Sample(A, dim=-1),
        Sample(BF16, dim=0),
        Sample(COMPLEX),
        Sample(TIES, inf),
    ],
    "linalg.vector_norm": [
        Sample(A),
        Sample(A, 3.0, (0, 1)),
        Sample(A, ord=-1, dim=1),
        Sample(A, dtype=np.float64),
        Fails(INTS),
        Fails(EMPTY, inf),
    ],
    # -- order
    "sort": [
        Sample(A),
        Sample(A, 0),
        Sample(A, dim=1, descending=True),
        Sample(TIES, stable=True, descending=True),
        Sample(HOLES),
        Sample(HOLES, descending=True),
        Sample(INTS, 1),
        Sample(BOOL, 0),
        Sample(scalar(1.0)),
        Sample(BF16, 1),
        Fails(A, 3),
        Fails(COMPLEX),
    ],
    "argsort": [Sample(A), Sample(A, 0, True), Sample(TIES, stable=True), Sample(HOLES, descending=True)],
    "msort": [Sample(A)],
    "topk": [
        Sample(A, 2),
        Sample(A, 2, 1),
        Sample(A, 1, dim=0, largest=False),
        Sample(INTS, 3),
        Sample(HOLES, 2),
        Sample(HOLES, 3, largest=False),
        Sample(scalar(1.0), 1),
        Fails(A, 5),
        Fails(A, 1, 3),
        Sample(BF16, 2),
    ],
    "kthvalue": [Sample(A, 2), Sample(A, 1, 1, True), Sample(INTS[:, 0], 2), Fails(A, 5), Sample(HOLES, 4)],
    "median": [
        Sample(A),
        Sample(A, 1),
        Sample(A, -1, True),
        Sample(array(3.0, 1, 2)),
        Sample(HOLES, 0),
        Sample(HOLES),
        Sample(array(3, 1, 2, dtype=np.int64)),
        Sample(array(3.0, 1, 2, 2, 2, 5), 0),
        Fails(BOOL),
    ],
    "nanmedian": [Sample(A), Sample(HOLES), Sample(HOLES, 0), Sample(A, 1)],
    "mode": [
        Sample(array(3, 1, 3, 1, 2, 5, dtype=np.int64)),
        Sample(array(3.0, 3, 1, 1, 1)),
        Sample(INTS, 1),
        Sample(INTS, 0, True),
    ],
    # -- cumulative
    "cumsum": [
        *[s for s in ONE_DIM if len(s.args) + len(s.kwargs) == 2],
        Sample(INTS, 0),
        Sample(BOOL, 1).not_in_place("refused in other words"),
        Sample(INTS, 1, dtype=np.float32).not_in_place("refused in other words"),
        Sample(scalar(2.0), 0),
    ],
    "cumprod": [
        Sample(A, 1),
        Sample(INTS, 0),
        Sample(array(2.0, 0, 3), 0),
        Sample(BOOL, 0).not_in_place("refused in other words"),
    ],
    "logcumsumexp": [Sample(A, 1), Sample(A, -1), Fails(INTS, 0)],
    "cummax": [Sample(A, 1), Sample(array(1.0, 3, 3, 2, nan, 4, nan), 0), Sample(INTS, 1), Sample(BOOL, 0)],
    "cummin": [Sample(A, 1), Sample(array(1.0, 3, 1, 2, nan, 0, nan), 0), Sample(INTS, 1)],
    "equal": [Sample(A, A), Sample(A, M), Sample(HOLES, HOLES), Sample(TIES, integers(5))],
    "allclose": [Sample(A, A + 1e-7), Sample(A, A + 1), Sample(HOLES, HOLES, equal_nan=True), Fails(A, INTS)],
}
