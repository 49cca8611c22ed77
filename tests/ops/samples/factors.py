"""Samples of LU and Householder factors, `_ex` variants that return an error code, and batched matrices."""

import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal

SQUARE = normal(4, 4, dtype=np.float64) + 4 * np.eye(4)
BATCH = normal(2, 3, 3, dtype=np.float64, seed=1) + 3 * np.eye(3)
COMPLEX = normal(3, 3, dtype=np.complex128) + 3 * np.eye(3)
SINGULAR = np.zeros((2, 2))
TALL, WIDE = normal(4, 3, dtype=np.float64), normal(3, 4, dtype=np.float64)
PIVOTS = array(2, 2, 3, dtype=np.int32)
PACKED = normal(3, 3, dtype=np.float64) + 2 * np.eye(3)
TAU = normal(3, dtype=np.float64, seed=2)
RIGHT = normal(3, 2, dtype=np.float64, seed=3)
OVER = normal(4, dtype=np.float64)

FACTORED = [
    Sample(SQUARE),
    Sample(BATCH),
    Sample(COMPLEX),
    Sample(TALL),
    Sample(WIDE),
    Fails(OVER),
    Fails(integers(2, 2)),
]
FROM_THE_RIGHT = [
    Sample(PACKED, PIVOTS, RIGHT.T, left=False, adjoint=a).any_stride("a transposed solution") for a in (False, True)
]
SOLVED = [Sample(PACKED, PIVOTS, RIGHT), Sample(PACKED, PIVOTS, RIGHT, adjoint=True), *FROM_THE_RIGHT]
NO_PIVOTS = Fails(SQUARE, pivot=False)

SAMPLES = {
    "linalg.lu_factor": [*FACTORED[:5], NO_PIVOTS, Fails(SINGULAR), Fails(np.zeros((2, 3, 3), np.float32))],
    "linalg.lu_factor_ex": [*FACTORED[:5], Sample(SINGULAR).without_gradient("L is not defined"), NO_PIVOTS],
    "linalg.lu": [*FACTORED[:5], NO_PIVOTS],
    "lu": FACTORED[:5],
    "lu_unpack": [
        Sample(PACKED, PIVOTS),
        Sample(PACKED, PIVOTS, unpack_data=False).without_gradient("nothing depends on it"),
        Sample(PACKED, PIVOTS, unpack_pivots=False),
        Fails(PACKED, integers(3)),
    ],
    "linalg.lu_solve": SOLVED,
    "lu_solve": [Sample(RIGHT, PACKED, PIVOTS)],
    "geqrf": [*[Sample(a).without_gradient("PyTorch has none") for a in (SQUARE, TALL, WIDE, BATCH)], Fails(OVER)],
    "linalg.householder_product": [
        Sample(TALL, TAU),
        Sample(PACKED, TAU[:2]),
        Sample(BATCH, normal(2, 3, dtype=np.float64)),
        Fails(WIDE, TAU),
        Fails(OVER, TAU),
        Fails(PACKED, normal(4)),
    ],
    "ormqr": [
        Sample(TALL, TAU, SQUARE),
        Sample(TALL, TAU, SQUARE, transpose=True),
        Sample(TALL, TAU, SQUARE, left=False),
        Fails(TALL, TAU, RIGHT),
        Fails(OVER, TAU, RIGHT),
        Fails(TALL, TAU[:2], SQUARE),
    ],
    "linalg.inv_ex": [Sample(SQUARE), Sample(BATCH)],
    "linalg.solve_ex": [Sample(SQUARE, OVER), Sample(PACKED, RIGHT), Sample(PACKED, RIGHT.T, left=False)],
    "triangular_solve": [
        Sample(RIGHT, PACKED, **how).any_stride("a copy")
        for how in ({}, {"upper": False}, {"transpose": True}, {"unitriangular": True})
    ],
    "linalg.tensorinv": [Sample(normal(2, 3, 6, dtype=np.float64)), Fails(normal(2, 3)), Fails(normal(2, 2), ind=0)],
    "linalg.tensorsolve": [
        Sample(normal(2, 3, 6, dtype=np.float64), normal(2, 3, dtype=np.float64)),
        Sample(normal(6, 6, dtype=np.float64), normal(6, dtype=np.float64)),
    ],
    "linalg.vander": [Sample(OVER), Sample(normal(2, 3, dtype=np.float64), N=4), Sample(integers(3)), Fails(OVER, N=1)],
}
