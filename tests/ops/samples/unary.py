"""Element-wise functions of one tensor."""

from tests.ops.sample import Sample, integers, normal, uniform

SAMPLES = {
    "exp": [Sample(normal(2, 3)), Sample(integers(3)), Sample(normal(2, 3).T)],
    "log": [Sample(uniform(2, 3, low=0.1))],
}
