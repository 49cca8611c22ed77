"""Samples of pooling."""

import numpy as np

from tests.ops.sample import Fails, Sample, integers, normal, uniform

F = "nn.functional."
X = normal(2, 3, 8, 6)
TIES = integers(2, 3, 8, 6, low=0, high=3, dtype=np.float32)


def ones(*shape):
    return np.ones(shape, np.float32)


IMAGE = ones(1, 3, 8, 8)
LINE = normal(2, 3, 9)
VOLUME = normal(1, 2, 4, 5, 6)
MAX = [
    Sample(x, *a, **k)
    for x in (X, TIES)
    for a, k in [
        ((2,), {}),
        ((3,), {}),
        (((3, 2), 2, 1), {}),
        ((3, 1, 1, 2), {}),
        ((3, 2, 1), {"ceil_mode": True}),
        ((3, 2, 1, 1, True, True), {}),
    ]
]
SIZES = (1, 2, 3, (3, 2), (None, 4), 5)

SAMPLES = {
    F + "max_pool1d": [
        Sample(LINE, 3),
        Sample(LINE[0], 3, 2, 1),
        Sample(LINE, 3, return_indices=True).without_gradient("PyTorch names another node"),
        Fails(ones(1, 3, 2), 3),
        Fails(ones(8), 3),
        Fails(ones(1, 3, 8), 3, padding=2),
    ],
    F + "max_pool2d": [
        *MAX,
        Sample(X[0], 2),
        Sample(X, 7, 1, 3),
        Fails(ones(1, 3, 2, 2), 3),
        Fails(IMAGE, 3, padding=2),
        Fails(ones(8, 8), 3),
        Fails(IMAGE, 3, stride=0),
        Fails(IMAGE, (3, 3, 3)),
        Fails(IMAGE, 2, dilation=0),
        Fails(ones(1, 0, 8, 8), 3),
    ],
    F + "max_pool3d": [Sample(normal(2, 3, 4, 4, 4), 2), Fails(ones(1, 3, 2, 2), 3), Fails(ones(8, 8), 3)],
    F + "avg_pool1d": [Sample(LINE, 3, 2, 1), Sample(LINE[0], 3), Fails(ones(1, 3, 2), 3), Fails(ones(8), 3)],
    F + "avg_pool2d": [
        Sample(X, 2),
        Sample(X, 3, 2, 1, count_include_pad=False),
        Sample(X, 3, 2, 1, True),
        Sample(X, 3, 2, 1, True, False),
        Sample(X, 3, divisor_override=5),
        Sample(X[0], (2, 3), (1, 2)),
        Sample(X, 6, 1, 3),
        Fails(ones(1, 3, 2, 2), 3),
        Fails(IMAGE, 3, padding=2),
        Fails(ones(8, 8), 3),
        Fails(IMAGE, 3, divisor_override=0),
    ],
    F + "avg_pool3d": [Sample(normal(1, 2, 4, 4, 4), 2)],
    F + "lp_pool2d": [Sample(uniform(2, 3, 8, 6, low=0.1), 2.0, 3)],
    F + "adaptive_avg_pool1d": [Sample(normal(2, 3, 7), 3), Fails(ones(8), 2)],
    F + "adaptive_avg_pool2d": [
        *[Sample(X, s) for s in SIZES],
        Sample(X[0], 2),
        Fails(ones(8, 8), 3),
        Fails(IMAGE, (3, 3, 3)),
        Fails(IMAGE.astype(np.int64), 3),
        Fails(IMAGE, -1),
        Fails(ones(1, 3, 0, 8), 2),
    ],
    F + "adaptive_avg_pool3d": [Sample(normal(1, 2, 4, 5, 6), (2, 2, 3))],
    F + "adaptive_max_pool1d": [Sample(normal(2, 3, 7), 3)],
    F + "adaptive_max_pool2d": [*[Sample(x, s, True) for s in SIZES[:4] for x in (X, TIES)], Fails(ones(8, 8), 3)],
    F + "adaptive_max_pool3d": [Sample(normal(1, 2, 4, 5, 6), (2, 2, 3))],
    F + "fractional_max_pool2d": [
        *[
            Sample(x, k, o, r, True, _random_samples=uniform(2, 3, 2)).without_gradient("PyTorch refuses the samples'")
            for x, k, o, r in [
                (X, 2, (3, 4), None),
                (X[0], (3, 2), 2, None),
                (X, 2, None, (0.5, 0.7)),
                (TIES, 2, 3, None),
                (X, 2, (1, 5), None),
            ]
        ],
        Fails(X, 2),
        Fails(X, 7, 3),
        Fails(X, 2, 8),
        Fails(X, (2, 2, 2), 3),
        Fails(X, 2, (3, 3, 3)),
        Fails(X[:, :0], 2, 3),
        Fails(X, 2, -1),
        Fails(X, 2, 3, _random_samples=uniform(2, 3, 1)),
        Fails(X, 2, 3, _random_samples=uniform(2, 2, 2)),
        Fails(X, 2, 3, _random_samples=uniform(1, 3, 2)),
        Fails(X, 2, 3, _random_samples=uniform(2, 3)),
        Fails(X, 2, 3, _random_samples=uniform(2, 3, 2, dtype=np.float64)),
    ],
    F + "fractional_max_pool3d": [
        *[
            Sample(x, k, o, r, True, _random_samples=uniform(1, 2, 3)).without_gradient("PyTorch refuses the samples'")
            for x, k, o, r in [(VOLUME, 2, (2, 3, 4), None), (VOLUME[0], (1, 2, 3), None, 0.5)]
        ],
        Fails(VOLUME, (9, 2, 2), 2),
        Fails(VOLUME, 2, 9),
    ],
    F + "max_unpool2d": [
        Sample(normal(1, 2, 2, 2), np.array([[[[0, 3], [8, 10]], [[1, 2], [9, 15]]]]), 2).without_gradient(
            "PyTorch names another node"
        )
    ],
}
