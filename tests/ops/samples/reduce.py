"""Reductions."""

import numpy as np

from tests.ops.sample import Sample, integers, normal

SAMPLES = {
    "sum": [Sample(normal(2, 3)), Sample(normal(2, 3), dim=1, keepdim=True), Sample(integers(3), dtype=np.float64)],
}
