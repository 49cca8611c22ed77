"""Samples of quantiles, differences, distances, counting and searching."""

import numpy as np

from tests.ops.sample import Fails, Sample, array, bools, integers, normal, scalar, uniform

nan = np.nan
A, M = normal(2, 3, 4), normal(3, 5)
HOLES = array(3.0, nan, 1, 5, nan)
UNKNOWN = "PyTorch knows no second derivative of it"
Q = array(0.0, 0.1, 0.5, 1.0)
SEQUENCE = array(-1.0, 0.0, 0.5, 0.5, 2.0)
POINTS, OTHERS = normal(4, 3), normal(5, 3, seed=1)

SAMPLES = {
    "quantile": [
        Sample(A, 0.3),
        Sample(A, Q, 1).any_stride("a permuted view in PyTorch"),
        Sample(A, 0.5, dim=-1, keepdim=True),
        Sample(A, Q, dim=0, keepdim=True, interpolation="nearest")
        .without_gradient("PyTorch gives none to q")
        .any_stride("a permuted view"),
        *[Sample(M, 0.3, 1, interpolation=way) for way in ("lower", "higher", "midpoint")],
        Sample(HOLES, 0.5).without_gradient("PyTorch gives it to a NaN"),
        Fails(integers(3), 0.5),
        Fails(M, 0.5, interpolation="cubic"),
        Fails(M, normal(2, 2)),
    ],
    "nanquantile": [Sample(HOLES, 0.3), Sample(HOLES, Q, 0), Sample(A, 0.7, 1)],
    "diff": [
        Sample(A),
        Sample(A, 2, 1),
        Sample(M, dim=0, prepend=normal(1, 5), append=normal(2, 5)),
        Sample(bools(4)),
        Sample(integers(4)),
        Fails(scalar(1.0)),
    ],
    "trapezoid": [Sample(M), Sample(M, array(0.0, 1, 3, 4, 7)), Sample(M, dx=0.5, dim=0)],
    "cumulative_trapezoid": [Sample(M), Sample(M, dx=0.5, dim=0)],
    "cdist": [
        Sample(POINTS, OTHERS).without_second_gradient(UNKNOWN),
        Sample(POINTS, POINTS).without_second_gradient(UNKNOWN),
        Sample(POINTS, OTHERS, p=1.0).without_second_gradient(UNKNOWN),
        Sample(POINTS, OTHERS, p=float("inf")).without_second_gradient(UNKNOWN),
        Sample(POINTS, OTHERS, 3.0).without_second_gradient(UNKNOWN),
        Sample(normal(2, 4, 3), OTHERS).without_second_gradient(UNKNOWN),
        Sample(normal(30, 3), OTHERS)
        .loosely("by a product of matrices", rtol=1e-3, atol=1e-4)
        .without_second_gradient(UNKNOWN),
        Fails(POINTS, M),
        Fails(normal(3), POINTS),
    ],
    "dist": [
        Sample(M, normal(3, 5, seed=1)),
        Sample(M, M[0], 1),
        Sample(M, M),
        Sample(normal(3, dtype=np.complex64), normal(3, dtype=np.complex64, seed=1)),
    ],
    "searchsorted": [
        Sample(SEQUENCE, array(-2.0, 0.5, 3.0, nan)),
        Sample(SEQUENCE, M, right=True),
        Sample(SEQUENCE, 0.5, side="right"),
        Sample(np.sort(M), normal(3, 2), out_int32=True),
    ],
    "bucketize": [Sample(M, SEQUENCE), Sample(0.5, SEQUENCE, right=True)],
    "bincount": [
        Sample(integers(6, low=0)),
        Sample(integers(6, low=0), minlength=9),
        Sample(integers(6, low=0), uniform(6)).without_gradient("PyTorch knows no derivative and raises"),
        Sample(integers(4, low=0), integers(4)),
        Sample(integers(4, low=0), uniform(4).astype(np.float16)).without_gradient("PyTorch has none"),
        Fails(integers(6, low=-3)),
        Fails(integers(2, 3, low=0)),
    ],
    "histc": [
        Sample(normal(20), 5),
        Sample(normal(20), bins=4, min=-1, max=1),
        Sample(array(1.0, 1.0), 3),
        Sample(array(1.0, np.nan, 1.5), 3, 0, 2),
    ],
    "isin": [Sample(integers(6), integers(3)), Sample(M, 0.5), Sample(integers(6), integers(3), invert=True)],
    "cov": [Sample(M), Sample(normal(5)), Sample(M, correction=0)],
    "corrcoef": [Sample(M), Sample(normal(5))],
    "is_nonzero": [Sample(scalar(2.0)), Sample(array(0.0)), Fails(M)],
}
