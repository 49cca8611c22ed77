"""Which gradients require grad if PyTorch computes all gradients of an operator in one backward function."""

import pytest
import torch

import torchlike

LAYERS = {
    "batch norm": (lambda nn: nn.BatchNorm1d(4), (3, 4)),
    "batch norm, eval": (lambda nn: nn.BatchNorm1d(4).eval(), (3, 4)),
    "instance norm": (lambda nn: nn.InstanceNorm1d(2, affine=True), (3, 2, 4)),
    "layer norm": (lambda nn: nn.LayerNorm(4), (3, 4)),
    "RMS norm": (lambda nn: nn.RMSNorm(4), (3, 4)),
    "linear": (lambda nn: nn.Linear(4, 4), (3, 4)),
    "conv": (lambda nn: nn.Conv1d(2, 2, 2), (3, 2, 4)),
    "transposed conv": (lambda nn: nn.ConvTranspose2d(2, 2, 2), (1, 2, 4, 4)),
    "prelu": (lambda nn: nn.PReLU(), (3, 4)),
    "LSTM cell": (lambda nn: nn.LSTMCell(4, 3), (3, 4)),
}
LOSSES = {
    "sum": lambda z: z.sum(),
    "max": lambda z: z.max(),
    "square": lambda z: z.square().mean(),
    "relu": lambda z: z.relu().sum(),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", LAYERS)
def test_gradients_that_require_grad(name, loss):
    make, shape = LAYERS[name]

    def flags(library, requires_grad):
        layer = make(library.nn)
        x = library.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape).requires_grad_(requires_grad)
        out = layer(x)
        sources = [*layer.parameters(), *([x] if requires_grad else [])]
        root = LOSSES[loss](out[0] if isinstance(out, tuple) else out)
        return [g.requires_grad for g in library.autograd.grad(root, sources, create_graph=True)]

    for requires_grad in (False, True):
        assert flags(torchlike, requires_grad) == flags(torch, requires_grad)
