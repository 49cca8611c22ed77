"""Functions with an `inplace` flag: versions, nodes, errors, and what may be overwritten before backward."""

import pytest

from tests.oracle import both

NAMES = [
    *("relu", "relu6", "elu", "selu", "celu", "leaky_relu", "silu", "mish", "hardsigmoid", "hardswish", "hardtanh"),
    *("rrelu", "threshold", "dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d"),
]
TARGETS = {
    "whole": lambda x: x + 0,
    "slice": lambda x: (x + 0)[1:],
    "view of a view": lambda x: (x + 1)[None][0],
    "transposed": lambda x: (x.reshape(1, 3, 4) + 1).transpose(1, 0).squeeze(1),
    "leaf": lambda x: x,
    "view of a leaf": lambda x: x[:1],
    "detached": lambda x: x.detach(),
}
WRITES = {"none": lambda y, z: None, "result": lambda y, z: z.tanh_(), "input": lambda y, z: y.add_(1)}


def call(torch, name, y, **options):
    torch.manual_seed(0)
    return getattr(torch.nn.functional, name)(y, *([0.1, 0.2] if name == "threshold" else []), **options)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_flag(name, target, write):
    def run(torch, inplace, **options):
        x = torch.linspace(-2, 2, 12).reshape(3, 4).requires_grad_()
        y = TARGETS[target](x)
        z = call(torch, name, y, inplace=inplace, **options)
        found = [z is y, y._version, z._version, z.grad_fn and z.grad_fn.name()]
        WRITES[write](y, z)
        z.sum().backward()
        return z.detach(), x.grad, str(found)

    for inplace in (True, False):
        both(lambda torch, inplace=inplace: run(torch, inplace))
    if "dropout" in name:
        for p in (0.0, 0.5, 1.0):
            both(lambda torch, p=p: run(torch, True, training=True, p=p))
            both(lambda torch, p=p: run(torch, True, training=False, p=p))


@pytest.mark.parametrize("name", NAMES)
def test_dtypes(name):
    for dtype in ("int64", "bool", "bfloat16", "float64"):
        both(lambda torch, dtype=dtype: call(torch, name, torch.ones(3, 4, dtype=getattr(torch, dtype)), inplace=True))


@pytest.mark.parametrize("name", ["relu", "elu", "leaky_relu", "hardtanh", "silu"])
def test_overlapping_target(name):
    both(lambda torch: call(torch, name, torch.ones(1).expand(3, 4), inplace=True))
