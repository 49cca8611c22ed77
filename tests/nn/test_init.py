"""Initialization: after one seed, the tensors are PyTorch's."""

import pytest
import torch

import torchlike
from tests.nn.twins import agree, evaluate, execute

FILLS = """
uniform_(w, -1, 3)
normal_(w, 2, 0.5)
constant_(w, 3)
ones_(w)
zeros_(w)
xavier_uniform_(w)
xavier_normal_(w, gain=2)
kaiming_uniform_(w, a=0.1)
kaiming_uniform_(w, mode='fan_out', nonlinearity='relu')
kaiming_normal_(w, nonlinearity='tanh')
trunc_normal_(w)
trunc_normal_(w, 1, 2, -1, 3)
trunc_normal_(w, 3, 1, -1, 2)
orthogonal_(w)
orthogonal_(w, gain=3)
"""


@pytest.mark.parametrize("shape", [(4, 3), (3, 5), (8, 4, 3), (2, 3, 3, 3)], ids=str)
@pytest.mark.parametrize("line", FILLS.strip().splitlines())
def test_fills_alike(line, shape):
    agree(lambda T: execute(f"w = T.empty{shape}; nn.init.{line}; log(w)", T), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("line", ["eye_(w)", "sparse_(w, 0.4)", "sparse_(w, 0.1, std=1)"])
def test_fills_matrices_alike(line):
    agree(lambda T: execute(f"w = T.empty(5, 4); nn.init.{line}; log(w)", T))


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("shape", [(4, 2, 3), (4, 4, 3, 3), (2, 4, 1, 2, 3)], ids=str)
def test_dirac(shape, groups):
    agree(lambda T: execute(f"w = T.empty{shape}; nn.init.dirac_(w, {groups}); log(w)", T))


def test_bfloat16_bounds_are_the_dtypes_own():
    agree(lambda T: evaluate("nn.init.trunc_normal_(T.empty(40, dtype=T.bfloat16)).float()", T))


def test_a_generator_of_ones_own():
    line = "nn.init.kaiming_normal_(T.empty(4, 5), generator=T.Generator().manual_seed(3))"
    agree(lambda T: evaluate(line, T))


def test_gains_and_fans():
    names = ("linear", "conv1d", "conv2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
    agree(lambda T: [T.nn.init.calculate_gain(name) for name in names])
    agree(lambda T: T.nn.init.calculate_gain("leaky_relu", 0.3))
    agree(lambda T: T.nn.init._calculate_fan_in_and_fan_out(T.empty(4, 3, 5, 2)))


@pytest.mark.parametrize("name", ["uniform", "normal", "xavier_uniform", "kaiming_normal", "orthogonal"])
def test_old_names_warn(name):
    agree(lambda T: getattr(T.nn.init, name)(T.empty(3, 3)), atol=2e-6)


def test_parameters_stay_leaves():
    weight = torchlike.nn.Parameter(torchlike.empty(3, 3))
    for fill in (torchlike.nn.init.eye_, torchlike.nn.init.xavier_uniform_, torchlike.nn.init.trunc_normal_):
        assert fill(weight) is weight
        assert weight.is_leaf and weight.requires_grad


def test_signatures_are_pytorchs():
    import inspect

    for name in ("trunc_normal_", "kaiming_uniform_", "sparse_", "dirac_", "orthogonal_", "uniform_"):
        ours, theirs = (inspect.signature(getattr(T.nn.init, name)) for T in (torchlike, torch))
        assert [(p.name, p.default) for p in ours.parameters.values()] == [
            (p.name, p.default) for p in theirs.parameters.values()
        ]
