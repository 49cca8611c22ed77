"""The package `functorch`, in PyTorch and in programs that `python -m torchlike` runs: results, warnings and errors."""

import pytest

from tests.api.entered import both_ended

BEGIN = """
import copy, warnings
import torch
import functorch
from functorch import combine_state_for_ensemble, make_functional, make_functional_with_buffers
from torch import nn

def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            result = type(error).__name__ + " " + str(error)
    print(result)
    for each in caught:
        if each.category is FutureWarning:
            print(each.category.__name__, str(each.message), each.filename, each.lineno)
    return result

torch.manual_seed(0)
x = torch.arange(6.0).view(3, 2)
"""
TRANSFORMS = """
told(lambda: functorch.vmap(lambda row: row * 2)(x))
told(lambda: functorch.grad(lambda a: (a ** 3).sum())(x))
told(lambda: functorch.grad_and_value(lambda a: (a ** 3).sum())(x))
told(lambda: functorch.vjp(lambda a: a ** 2, x)[1](torch.ones(3, 2)))
told(lambda: functorch.jvp(lambda a: a ** 2, (x,), (torch.ones(3, 2),)))
told(lambda: functorch.jacrev(lambda a: a ** 2)(x[0]))
told(lambda: functorch.jacfwd(lambda a: a ** 2)(x[0]))
told(lambda: functorch.hessian(lambda a: (a ** 3).sum())(x[0]))
print(functorch.vmap.__name__, functorch.jacrev.__name__, functorch.__version__ == torch.__version__)
"""
MODULES = """
layer = nn.Linear(2, 2)
function, params = told(lambda: make_functional(layer))
print(function.param_names, [p.requires_grad for p in params], params[0] is layer.weight, function.stateless_model)
print([name for name, _ in function.named_parameters()], [p.device.type for p in function.parameters()])
print(function(params, x).equal(layer(x)), function([2 * p for p in params], input=x).equal(2 * layer(x)))
function(params, x).sum().backward()
print(params[0].grad, layer.weight.grad)
print([p.requires_grad for p in make_functional(layer, disable_autograd_tracking=True)[1]])
told(lambda: make_functional(nn.BatchNorm1d(2)))
"""
BUFFERS = """
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
net[0].bias = net[1].bias
before = copy.deepcopy(net)
function, params, buffers = told(lambda: make_functional_with_buffers(net))
print(function.param_names, function.buffer_names, len(params), [b.requires_grad for b in buffers])
print(torch.allclose(function(params, buffers, x), before(x)))
print(buffers[2], net[1].num_batches_tracked)
"""
ENSEMBLES = """
nets = [nn.Linear(2, 2) for _ in range(3)]
function, params, buffers = told(lambda: combine_state_for_ensemble(nets))
print([p.shape for p in params], [p.requires_grad for p in params], buffers)
out = torch.vmap(function, (0, 0, None))(params, buffers, x)
print(torch.allclose(out, torch.stack([net(x) for net in nets])))
told(lambda: combine_state_for_ensemble([]))
told(lambda: combine_state_for_ensemble([nn.Linear(2, 2), nn.ReLU()]))
told(lambda: combine_state_for_ensemble([nn.Linear(2, 2), nn.Linear(2, 2).eval()]))
"""
PROGRAMS = {"transforms": TRANSFORMS, "modules": MODULES, "buffers": BUFFERS, "ensembles": ENSEMBLES}


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_output(name, tmp_path):
    (tmp_path / "program.py").write_text(BEGIN + PROGRAMS[name])
    ours, theirs = both_ended(["program.py"], tmp_path, PYTHONWARNINGS="ignore")
    assert theirs.status == 0
    assert ours == theirs
