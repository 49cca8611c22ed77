"""Element-wise functions of two or more tensors or numbers."""

from tests.ops.sample import Fails, Sample, integers, normal

SAMPLES = {
    "add": [
        Sample(normal(2, 3), normal(3)),
        Sample(normal(2, 3), 2.5, alpha=3),
        Sample(integers(3), 1.5),
        Sample(normal(2, 3).T, normal(3, 2)),
        Fails(normal(2), normal(3)),
    ],
}
