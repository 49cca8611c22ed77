"""Samples of conversions of dtype and memory order."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, normal

A = normal(2, 3)
WILD = array(3e9, -3e9, np.nan, np.inf, 1e20, 300.0, -300.0, 40000.0, 1.7, -1.7)

SAMPLES = {
    "Tensor.to": [
        Sample(A, np.float64),
        Sample(A.T, np.float16),
        Sample(A, dtype=np.int64),
        Sample(A.astype(ml_dtypes.bfloat16), np.float32),
        Sample(A, np.bool_),
        Sample(A, "cpu", np.int32),
        *[Sample(WILD, kind) for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8)],
        Fails(A, "nowhere"),
        Fails(A, foo=1),
    ],
    "Tensor.byte": [Sample(array(300.0, -1.0))],
    "Tensor.type_as": [Sample(A, np.array([1]))],
    "Tensor.clone": [Sample(A), Sample(A.T)],
    "Tensor.contiguous": [Sample(A.T), Sample(A)],
    "detach": [Sample(A).without_gradient("it has none")],
}
