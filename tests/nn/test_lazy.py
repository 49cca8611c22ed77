"""Lazy layers, compared with PyTorch's."""

import pytest

from tests.nn.twins import agree, execute

LAYERS = {
    "nn.LazyLinear(3)": "T.ones(2, 4)",
    "nn.LazyLinear(3, bias=False, dtype=T.float64)": "T.ones(2, 4, dtype=T.float64)",
    "nn.LazyConv1d(4, 2, groups=2)": "T.ones(2, 2, 5)",
    "nn.LazyConv2d(4, 2, padding=1, bias=False)": "T.ones(2, 3, 4, 4)",
    "nn.LazyConv3d(2, 2)": "T.ones(2, 3, 3, 3)",
    "nn.LazyConvTranspose2d(4, 2, 2, 1, 1)": "T.ones(2, 3, 4, 4)",
    "nn.LazyBatchNorm1d()": "T.ones(2, 3)",
    "nn.LazyBatchNorm2d(affine=False)": "T.ones(2, 3, 4, 4)",
    "nn.LazyInstanceNorm2d(track_running_stats=False)": "T.ones(2, 3, 4, 4)",
}


@pytest.mark.parametrize("layer", LAYERS)
def test_the_first_input_gives_the_size(layer):
    script = f"""
net = {layer}; x = {LAYERS[layer]}
log(repr(net)); log(repr(net.state_dict())); log(net.has_uninitialized_params()); log(len(net._forward_pre_hooks))
log(net(x)); log(repr(net)); log(type(net).__name__); log(net.state_dict()); log(len(net._forward_pre_hooks))
log([type(p).__name__ for p in net.parameters()]); log(net(x)); log(hasattr(net, '_initialize_hook'))
"""
    agree(lambda T: execute(script, T))


SCRIPTS = {
    "loading": """
net, full = nn.LazyLinear(3), nn.Linear(2, 3)
net.load_state_dict(full.state_dict()); log(repr(net)); log(net.weight); log(net(T.ones(2))); log(repr(net))
log(repr(nn.LazyLinear(3).load_state_dict(nn.LazyLinear(3).state_dict())))
""",
    "shape": "nn.LazyLinear(3).weight.shape",
    "loading what has no shape": "nn.Linear(2, 3).load_state_dict(nn.LazyLinear(3).state_dict())",
    "dimensions": "nn.LazyConv2d(3, 2)(T.ones(2))",
    "conversion": "net = nn.LazyLinear(3).double(); log(net.weight.dtype); log(repr(net.weight))",
    "copy": """
import copy, pickle
net = nn.LazyLinear(3); other = copy.deepcopy(net); third = pickle.loads(pickle.dumps(net))
for each in (net, other, third):
    each(T.ones(2, 4)); log(repr(each)); log(each.weight.shape)
""",
    "parameter": """
from_nowhere = nn.UninitializedParameter(requires_grad=False); log(repr(from_nowhere))
from_nowhere.materialize((2, 3)); log(from_nowhere.shape); log(type(from_nowhere).__name__)
log(repr(nn.UninitializedBuffer())); log(isinstance(nn.UninitializedParameter(), nn.Parameter))
log(nn.parameter.UninitializedParameter is nn.UninitializedParameter)
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_behaves_alike(name):
    agree(lambda T: execute(SCRIPTS[name], T))


def test_operators_refuse():
    import torchlike

    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
        torchlike.nn.LazyLinear(3).weight + 1
