"""Samples of activations, softmax and dropout."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal

inf, nan = np.inf, np.nan
X = normal(4, 6)
# PyTorch's loops take 32 numbers at a time. The slopes at NaN are different in the elements that are left.
EDGES = np.repeat(array(-inf, -30.0, -3, -1, -0.5, -0.0, 0, 0.5, 1, 3, 6, 25, -0.25, 2, inf, nan), 2)
INTS = integers(2, 3)
HALF = normal(4, 6).astype(ml_dtypes.bfloat16)
F = "nn.functional."

KINKS = Sample(EDGES).without_second_gradient("a kink has none")
FLOATING = [Sample(X), Sample(X.T), KINKS, Sample(HALF), Fails(INTS)]
ANY = [Sample(X), Sample(X.T), KINKS, Sample(INTS)]
SOFT = [
    Sample(X, 1),
    Sample(X, 0),
    Sample(normal(2, 3, 4), 1),
    Sample(normal(2, 3, 4), -1, dtype=np.float64),
    Fails(X, 2),
    Fails(INTS, 1),
    Sample(array([-inf, 1.0, 2.0], [-inf, -inf, -inf]), 1),
    Sample(HALF, 1).without_gradient("PyTorch's starts from the rounded result"),
]

SAMPLES = {
    F + "relu": ANY,
    F + "relu6": ANY,
    F + "hardtanh": [*ANY, Sample(X, -0.5, 0.3), Fails(X, 2, 0.3)],
    F + "threshold": [Sample(X, 0.1, -3.0), Sample(INTS, 1, 7)],
    F + "gelu": [
        Sample(X),
        Sample(X.T),
        Sample(EDGES[2:-4]),
        Sample(HALF),
        Fails(INTS),
        Sample(X, approximate="tanh"),
        Fails(X, approximate="x"),
    ],
    F + "silu": FLOATING,
    F + "mish": FLOATING,
    F + "elu": [*FLOATING, Sample(X, 0.3)],
    F + "selu": FLOATING,
    F + "celu": [*FLOATING, Sample(X, 0.3)],
    F + "leaky_relu": [*FLOATING, Sample(X, 0.2)],
    F + "softplus": [*FLOATING, Sample(X, 2, 0.5)],
    F + "logsigmoid": [Sample(X), Sample(EDGES), Sample(HALF), Fails(INTS)],
    F + "hardswish": [
        Sample(X),
        Sample(EDGES[2:-2]).without_second_gradient("a kink has none"),
        Sample(HALF),
        Fails(INTS),
    ],
    F + "hardsigmoid": [s.without_second_gradient("PyTorch has none") for s in (Sample(X), Sample(EDGES))],
    F + "hardshrink": [*FLOATING, Sample(X, 0.2)],
    F + "softshrink": [Sample(X), Sample(EDGES[:-2]), Sample(X, 0.2), Fails(INTS)],
    F + "softsign": [Sample(X), Sample(EDGES[2:-4]).without_second_gradient("a kink has none")],
    F + "tanhshrink": [Sample(X), Sample(EDGES)],
    F + "glu": [Sample(X), Sample(X, 0), Fails(normal(3, 3))],
    F + "prelu": [
        Sample(X, normal(1)),
        Sample(X, normal(6)),
        Sample(normal(2, 3, 4), normal(3)),
        Fails(X, normal(5)),
        Fails(INTS, normal(1)),
    ],
    F + "rrelu": [Sample(X, 0.1, 0.3)],
    F + "softmax": SOFT,
    F + "log_softmax": SOFT,
    F + "softmin": SOFT[:3],
    F + "dropout": [Sample(X, 0.5, False), Fails(X, 2.0)],
    F + "alpha_dropout": [Sample(X, 0.5, False), Fails(X, 1.5)],
    F + "dropout1d": [Sample(normal(2, 3), 0.5, False), Fails(normal(3))],
    "softmax": SOFT[:3],
    "log_softmax": SOFT[:3],
    "celu": [Sample(X), Sample(X, 0.5)],
    "selu": [Sample(X)],
    "threshold": [Sample(X, 0.1, 2.0)],
}
