"""Samples of convolutions, attention, padding, sliding windows and pixel shuffles."""

import numpy as np

from tests.ops.sample import Fails, Sample, bools, integers, normal

F = "nn.functional."
X = normal(2, 3, 7, 6)
DEEP = normal(2, 32, 7, 6)
Q, K, V = normal(2, 3, 5, 4), normal(2, 3, 6, 4), normal(2, 3, 6, 4, seed=1)
ROUNDING = "long sums in another order"


def ones(*shape):
    return np.ones(shape, np.float32)


def loose(samples):
    return [s.loosely(ROUNDING, 3e-5, 3e-5) for s in samples]


IMAGE, KERNEL = ones(1, 3, 8, 8), ones(4, 3, 3, 3)
ANY = "PyTorch's depend on the kernel it picks"
SHORT = normal(2, 3, 4, 5)

SAMPLES = {
    F + "conv1d": [
        *loose(
            [
                Sample(normal(2, 3, 9), normal(4, 3, 3), normal(4), padding=1),
                Sample(normal(3, 9), normal(4, 3, 3)),
                Sample(normal(2, 40, 9), normal(4, 40, 3), stride=2),
            ]
        ),
        Fails(ones(2, 3, 8, 8), ones(4, 3, 3)),
        Fails(ones(1, 3, 2), ones(4, 3, 3)),
    ],
    F + "conv2d": [
        *loose(
            [
                Sample(X, normal(4, 3, 3, 3), normal(4)),
                Sample(X, normal(4, 3, 3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
                Sample(X, normal(6, 1, 3, 3), normal(6), groups=3, padding=1),
                Sample(DEEP, normal(4, 32, 3, 3), padding="same"),
                Sample(DEEP, normal(4, 32, 2, 3), normal(4), stride=(2, 3), dilation=2, padding=2),
                Sample(normal(1, 32, 7, 7), normal(4, 32, 6, 6), padding=2),
                Sample(X[0], normal(4, 3, 3, 3), padding="valid"),
            ]
        ),
        Fails(IMAGE, ones(4, 2, 3, 3)),
        Fails(ones(8, 8), ones(4, 2, 3, 3)),
        Fails(ones(1, 3, 2, 2), KERNEL),
        Fails(IMAGE.astype(np.float64), KERNEL),
        Fails(IMAGE, KERNEL, ones(3)),
        Fails(IMAGE, KERNEL, np.ones(4)),
        Fails(IMAGE, KERNEL, groups=2),
        Fails(ones(1, 4, 8, 8), ones(3, 2, 3, 3), groups=2),
        Fails(IMAGE, KERNEL, groups=0),
        Fails(IMAGE, KERNEL, stride=0),
        Fails(IMAGE, KERNEL, stride=(1, 1, 1)),
        Fails(IMAGE, KERNEL, padding=-1),
        Fails(IMAGE, KERNEL, dilation=0),
        Fails(IMAGE, KERNEL, stride=2, padding="same"),
        Fails(IMAGE, KERNEL, padding="foo"),
        Fails(IMAGE, ones(4, 3, 3)),
    ],
    F + "conv3d": [
        *loose([Sample(normal(2, 3, 4, 5, 6), normal(4, 3, 2, 3, 2), normal(4), padding=1)]),
        Fails(ones(1, 3, 8, 8), ones(4, 3, 3, 3, 3)),
    ],
    F + "conv_transpose1d": loose([Sample(normal(2, 3, 4), normal(3, 4, 3), stride=3)]),
    F + "conv_transpose2d": [
        *loose(
            [
                Sample(SHORT, normal(3, 4, 3, 3), normal(4), stride=2, padding=1, output_padding=1),
                Sample(normal(2, 4, 4, 5), normal(4, 3, 3, 2), normal(6), 2, (1, 0), 0, 2, 2),
                Sample(SHORT[0], normal(3, 4, 3, 3)),
            ]
        ),
        Fails(IMAGE, ones(4, 2, 3, 3)),
        Fails(IMAGE, ones(3, 2, 3, 3), output_padding=1),
        Fails(ones(1, 3, 1, 1), ones(3, 2, 1, 1), padding=1),
        Fails(IMAGE, ones(3, 2, 3, 3), ones(3)),
        Fails(ones(1, 4, 8, 8), ones(4, 2, 3, 3), groups=3),
    ],
    F + "conv_transpose3d": loose([Sample(normal(1, 2, 3, 3, 3), normal(2, 3, 2, 2, 2), stride=2)]),
    F + "scaled_dot_product_attention": [
        *[
            s.any_stride(ANY).without_second_gradient("PyTorch's fused kernel has none")
            for s in (
                Sample(Q, K, V),
                Sample(Q, K, V, is_causal=True),
                Sample(Q, K, normal(2, 3, 6, 7), scale=0.3),
                Sample(Q, K, V, bools(5, 6)),
                Sample(Q, K, V, normal(5, 6)).without_gradient("PyTorch's fused kernel has none for the mask"),
                Sample(normal(5, 4), normal(6, 4), normal(6, 4)),
                Sample(normal(2, 4, 5, 4), normal(2, 2, 6, 4), normal(2, 2, 6, 4), enable_gqa=True),
            )
        ],
        Fails(ones(3), ones(2, 3), ones(2, 3)),
        Fails(ones(2, 3), ones(2, 3), np.ones((2, 3))),
        Fails(ones(2, 3), ones(2, 3), ones(2, 3), integers(2, 2)),
        Fails(ones(2, 3), ones(2, 3), ones(2, 3), ones(2, 2), is_causal=True),
    ],
    F + "pad": [
        Sample(SHORT, (1, 2)),
        Sample(SHORT, (1, 2, 0, 3), "constant", 2.5),
        Sample(SHORT, (-1, 2)),
        Sample(integers(2, 3), (1, 1), value=7),
        *[Sample(SHORT, (1, 2, 2, 1), mode) for mode in ("reflect", "replicate", "circular")],
        *[Sample(normal(3, 5), (2, 1), mode) for mode in ("reflect", "replicate", "circular")],
        Sample(SHORT, (-1, 1, 0, 0), "reflect"),
        Sample(normal(1, 1, 3), (5, 5), "replicate"),
        Fails(ones(3), (1,)),
        Fails(ones(3), (1, 1, 1, 1)),
        Fails(ones(1, 3), (3, 0), "reflect"),
        Fails(ones(3), (1, 0), "reflect"),
        Fails(ones(1, 3), (4, 0), "circular"),
        Fails(ones(3), (-2, -2)),
        Fails(ones(3), (1, 1), "foo"),
        Fails(ones(1, 3), (1, 1), "reflect", 1.0),
        Fails(ones(1, 3), (1, 1, 1, 1), "reflect"),
    ],
    F + "pixel_shuffle": [Sample(normal(2, 8, 3, 2), 2), Fails(IMAGE, 2), Fails(ones(3, 8), 2), Fails(IMAGE, 0)],
    F + "pixel_unshuffle": [Sample(normal(2, 8, 4, 2), 2), Fails(ones(1, 3, 7, 8), 2)],
    F + "channel_shuffle": [Sample(normal(2, 6, 3, 2), 3), Fails(IMAGE, 2), Fails(ones(3, 8), 2)],
    F + "unfold": [
        Sample(SHORT, 2),
        Sample(SHORT, (3, 2), (1, 2), (1, 0), (2, 1)),
        Sample(SHORT[0], 2),
        Fails(ones(3, 8), 2),
        Fails(IMAGE, 9),
    ],
    F + "fold": [
        Sample(normal(2, 12, 12), (4, 5), 2),
        Sample(normal(12, 12), (4, 5), 2),
        Sample(normal(1, 18, 4), (5, 5), (2, 3), 1, (1, 0), (3, 2)),
        Fails(ones(1, 12, 9), (4, 5), 2),
        Fails(ones(1, 13, 9), (4, 4), 2),
        Fails(ones(12), (4, 4), 2),
    ],
}
