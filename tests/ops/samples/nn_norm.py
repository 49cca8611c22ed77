"""Samples of normalization, similarity, embeddings and linear maps."""

import ml_dtypes
import numpy as np

from tests.ops.sample import Fails, Sample, array, integers, normal, uniform

F = "nn.functional."
X = normal(4, 6)
CUBE = normal(2, 3, 4)
TABLE = normal(7, 4)
BEGINS, MODES = array(0, 2, 2, 5, dtype=np.int64), ("sum", "mean", "max")
BAGS = "PyTorch has none"
INTS = integers(2, 3)
RUNNING = "PyTorch does not differentiate the running statistics"
PADDING = "the row of padding has none"
OFTEN = "divided by how often a row is asked for"
ROUNDING = "sums of squares in another order"


def ones(*shape):
    return np.ones(shape, np.float32)


def loose(samples):
    return [s.loosely(ROUNDING, 2e-5, 2e-5) for s in samples]


def beside_float32(samples):
    """Return samples of half-precision inputs with float32 parameters. The result has the input's dtype."""
    return [s.loosely("gradients summed in float32", 2e-2, 2e-2).without_second_gradient(ROUNDING) for s in samples]


HALF = X.astype(ml_dtypes.bfloat16)
SAMPLES = {
    F + "layer_norm": [
        *loose(
            [Sample(CUBE, (4,), normal(4), normal(4, seed=1)), Sample(CUBE, [3, 4], normal(3, 4)), Sample(CUBE, (4,))]
        ),
        Sample(X.astype(ml_dtypes.bfloat16), (6,)).loosely("gradients summed in float32", 2e-2, 2e-2),
        *beside_float32([Sample(HALF, (6,), normal(6), normal(6, seed=1))]),
        Fails(X, (4,)),
        Fails(X, ()),
        Fails(X, (6,), ones(2)),
        Fails(X, (6,), ones(6), ones(2)),
        Fails(INTS, (3,)),
        Fails(X, (6,), np.ones(6)),
    ],
    F + "rms_norm": [
        *loose([Sample(CUBE, (4,), normal(4)), Sample(CUBE, (3, 4), eps=0.1), Sample(X, (6,))]),
        *beside_float32([Sample(HALF, (6,), normal(6))]),
        Fails(X, (4,)),
    ],
    F + "group_norm": [
        *loose([Sample(normal(2, 6, 3), 3, normal(6), normal(6, seed=1)), Sample(normal(2, 6), 2)]),
        *beside_float32([Sample(HALF, 2, normal(6), normal(6, seed=1))]),
        Fails(normal(2, 5), 2),
        Fails(normal(2, 6), 3, ones(2)),
        Fails(ones(3), 3),
        Fails(ones(1, 3), 3),
    ],
    F + "batch_norm": [
        *loose(
            [
                Sample(normal(3, 4, 5), None, None, normal(4), normal(4, seed=1), True),
                Sample(X, None, None, training=True),
            ]
        ),
        *beside_float32([Sample(HALF, None, None, normal(6), normal(6, seed=1), True)]),
        Sample(X, normal(6), uniform(6), normal(6), normal(6, seed=1))
        .taken_as(1, None, RUNNING)
        .taken_as(2, None, RUNNING),
        Fails(X, ones(2), ones(2), training=True),
        Fails(ones(1, 3), None, None, training=True),
        Fails(X, None, None),
        Fails(X, ones(6), ones(6), ones(2)),
        Fails(X, ones(6), ones(6), ones(6), ones(4)),
    ],
    F + "instance_norm": [
        *loose([Sample(CUBE), Sample(normal(2, 3, 4, 2), None, None, normal(3), normal(3, seed=1))]),
        Fails(normal(2, 3)),
        Fails(ones(2, 3, 1)),
        Fails(CUBE, use_input_stats=False),
    ],
    F + "local_response_norm": [Sample(normal(2, 5, 4), 3, 0.1, 0.7, 2.0), Sample(normal(2, 5, 4), 2), Fails(X, 2)],
    F + "normalize": [
        *[Sample(X, p) for p in (2.0, 1.0, np.inf, 0.5, 3)],
        Sample(X, dim=0),
        Sample(0 * X),
        Fails(INTS),
        Fails(X, dim=5),
        Fails(X, dim=(0, -6)),
        Fails(X, dim=(0, 0)),
    ],
    F + "cosine_similarity": [
        Sample(X, normal(4, 6, seed=1)),
        Sample(CUBE, normal(3, 4), dim=-1),
        Sample(0 * X, normal(4, 6, seed=1)).without_second_gradient("at zero it depends on the formula"),
        Fails(INTS, INTS),
        Fails(X, ones(4)),
        Fails(X, X, dim=2),
    ],
    F + "pairwise_distance": [
        *[Sample(X, normal(4, 6, seed=1), p) for p in (2.0, 1.0, np.inf)],
        Sample(X, normal(6), keepdim=True),
        Fails(X, ones(4)),
    ],
    F + "embedding": [
        Sample(integers(2, 3, low=0, high=7), TABLE),
        Sample(integers(2, 3, low=0, high=7), TABLE, padding_idx=2).by_convention(PADDING),
        Sample(array(1, 1, 2, 0, dtype=np.int32), TABLE, scale_grad_by_freq=True).by_convention(OFTEN),
        Fails(array(7, dtype=np.int64), TABLE),
        Fails(X, TABLE),
        Fails(array(1, dtype=np.int64), normal(3)),
        Fails(array(1, dtype=np.int64), TABLE, padding_idx=8),
    ],
    F + "embedding_bag": [
        *[Sample(integers(2, 3, low=0, high=7), TABLE, mode=m).without_second_gradient(BAGS) for m in MODES],
        *[
            Sample(integers(6, low=0, high=7), TABLE, BEGINS, mode=m, padding_idx=2).without_second_gradient(BAGS)
            for m in MODES
        ],
        Sample(array(2, 2, 2, 1, dtype=np.int64), TABLE, BEGINS[:2], scale_grad_by_freq=True)
        .without_second_gradient(BAGS)
        .by_convention(OFTEN),
        Sample(
            integers(2, 3, low=0, high=7), TABLE, mode="sum", per_sample_weights=normal(2, 3)
        ).without_second_gradient(BAGS),
        Sample(
            integers(6, low=0, high=7),
            TABLE,
            BEGINS,
            mode="sum",
            per_sample_weights=normal(6),
            include_last_offset=True,
        ).without_second_gradient(BAGS),
        Fails(integers(6, low=0, high=7), TABLE),
        Fails(integers(6, low=0, high=7), TABLE, BEGINS[None]),
        Fails(integers(2, 3, low=0, high=7), TABLE, BEGINS),
        Fails(integers(2, 3, 1, low=0, high=7), TABLE),
        Fails(integers(2, 3, low=0, high=7), TABLE[0]),
        Fails(integers(2, 3, low=0, high=7), TABLE, mode="x"),
        Fails(integers(2, 3, low=0, high=7), TABLE, mode="max", scale_grad_by_freq=True),
        Fails(integers(2, 3, low=0, high=7), TABLE, mode="max", sparse=True),
        Fails(integers(2, 3, low=0, high=7), TABLE, per_sample_weights=normal(2, 3)),
        Fails(integers(2, 3, low=0, high=7), TABLE, mode="sum", per_sample_weights=normal(2)),
        Fails(integers(2, 3, low=0, high=7), TABLE, mode="sum", per_sample_weights=normal(2, 3, dtype=np.float64)),
        Fails(integers(2, 3, low=0, high=7), TABLE, padding_idx=7),
        Fails(integers(6, low=0, high=7), TABLE, BEGINS + 1),
        Fails(integers(6, low=0, high=7), TABLE, BEGINS * 3),
        Fails(array(0, 9, dtype=np.int64), TABLE, BEGINS[:1]),
        Fails(integers(2, 3, low=0, high=7), INTS),
        Fails(normal(2, 3), TABLE),
    ],
    "embedding": [Sample(TABLE, integers(5, low=0, high=7))],
    F + "one_hot": [
        Sample(integers(3, 2, low=0, high=4)),
        Sample(integers(3, low=0, high=4), 6),
        Fails(X),
        Fails(array(-1, dtype=np.int64)),
        Fails(array(4, dtype=np.int64), 2),
        Fails(np.zeros(0, np.int64)),
    ],
    F + "linear": [
        Sample(normal(5, 3), normal(2, 3), normal(2)),
        Sample(normal(5, 3), normal(2, 3)),
        Sample(normal(2, 2, 3), normal(2, 3), normal(2)),
        Sample(normal(3), normal(2, 3), normal(2)),
        Fails(X, ones(4, 2)),
        Fails(X, ones(4, 6), ones(5)),
        Fails(normal(2, 2, 3), ones(4, 2), ones(4)),
        Fails(INTS, ones(4, 3)),
        Fails(INTS, ones(4, 3), ones(4)),
        Fails(normal(3), ones(4, 2)),
    ],
    F + "bilinear": [
        Sample(normal(5, 3), normal(5, 4), normal(2, 3, 4), normal(2)),
        Sample(normal(5, 3), normal(5, 4), normal(2, 3, 4)),
        Fails(normal(2, 3), normal(2, 3), ones(2, 3, 4)),
        Fails(normal(2, 3), ones(3, 3), ones(2, 3, 3)),
    ],
}
