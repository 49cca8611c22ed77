"""Optimizations of traced modules for inference, compared with PyTorch's."""

import importlib

import pytest

import torchlike
from tests.oracle import both


def optimization(L):
    return importlib.import_module(f"{L.__name__}.fx.experimental.optimization")


def chain(L, *layers):
    """Return a network whose batch norms have trained statistics."""
    L.manual_seed(0)
    net = L.nn.Sequential(*layers)
    for buffer in net.buffers():
        if buffer.is_floating_point():
            buffer.uniform_(0.5, 1.5)
    return net.eval()


def convolutions(L):
    nn = L.nn
    inner = nn.Sequential(nn.Conv2d(2, 2, 1, bias=False), nn.BatchNorm2d(2, affine=False), nn.ReLU())
    layers = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout(0.3), inner, nn.BatchNorm2d(2), nn.Flatten()
    return chain(L, *layers, nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Dropout1d()), (2, 1, 4, 4)


def without_statistics(L):
    nn = L.nn
    return chain(L, nn.Conv1d(1, 2, 1), nn.BatchNorm1d(2, track_running_stats=False), nn.Conv1d(2, 2, 1)), (2, 1, 4)


def volumes(L):
    return chain(L, L.nn.Conv3d(1, 2, 1), L.nn.BatchNorm3d(2), L.nn.BatchNorm3d(2), L.nn.Dropout3d()), (1, 1, 2, 2, 2)


def shared(L):
    class Net(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = L.nn.Conv2d(1, 1, 1), L.nn.BatchNorm2d(1)

        def forward(self, x):
            first = self.conv(x)
            return first + self.norm(first)

    return chain(L, Net()), (1, 1, 2, 2)


NETWORKS = (convolutions, without_statistics, volumes, shared)


@pytest.mark.parametrize("name", ["fuse", "remove_dropout"])
@pytest.mark.parametrize("network", NETWORKS)
def test_networks(network, name):
    def run(L):
        net, shape = network(L)
        made = getattr(optimization(L), name)(net)
        x = L.linspace(-1, 1, L.Size(shape).numel()).view(shape)
        left = [each for each, _ in made.named_modules()]
        return str(made.graph), type(made).__name__, made.training, left, made(x), net(x)

    both(run, rtol=1e-5, atol=1e-5)  # a batch norm divides by the deviation of the batch, which is small


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("no_trace", [False, True])
def test_fused_layers_are_copies(inplace, no_trace):
    def run(L):
        traced = L.fx.symbolic_trace(chain(L, L.nn.Conv2d(1, 1, 1), L.nn.BatchNorm2d(1)))
        before = traced.get_submodule("0")
        made = optimization(L).fuse(traced, inplace, no_trace)
        now = traced.get_submodule("0")
        return now is before, made.get_submodule("0") is before, len(list(traced.graph.nodes))

    both(run)


def test_training():
    both(lambda L: optimization(L).fuse(L.nn.Sequential(L.nn.Conv2d(1, 1, 1), L.nn.BatchNorm2d(1)), no_trace=True))


def test_subgraph():
    def run(L):
        traced = L.fx.symbolic_trace(lambda x, y: ((x + y).relu() * x).sin())
        x, y, add, relu, *_ = traced.graph.nodes
        sub = optimization(L).extract_subgraph(traced, [add, relu], [x, y], [relu, add])
        matches = optimization(L).matches_module_pattern((L.nn.ReLU, L.nn.ReLU), relu, {})
        return str(sub.graph), sub.code, sub(L.ones(2), -2 * L.ones(2)), matches

    both(run)


def test_refused():
    with pytest.raises(NotImplementedError, match="optimize_for_inference"):
        optimization(torchlike).optimize_for_inference(torchlike.nn.ReLU())
