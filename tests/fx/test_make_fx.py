"""Graphs of `make_fx`, compared with PyTorch's: the operators, and the results for other inputs."""

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx as expected_make_fx

import torchlike
from tests.fx.make_fx_cases import CASES, DIFFERENT
from torchlike.fx.experimental.proxy_tensor import get_proxy_mode, make_fx

BOTH = [(torch, expected_make_fx), (torchlike, make_fx)]


def function(t, case):
    """Return the function of `x` and `y` whose body is `case`."""
    return eval(f"lambda x, y: {case}", {"t": t})


def targets(graph):
    return [str(node.target) for node in graph.graph.nodes]


def applied(layer):
    return lambda x: layer(x)


def gradient(t):
    return lambda x: t.autograd.grad((x.exp() * x).sum(), x)[0]


def replacement(aten):
    return lambda bias, a, b: aten.add.Tensor(aten.mm.default(a, b), bias)


def leaves(result):
    if isinstance(result, dict):
        result = list(result.values())
    return [leaf for each in result for leaf in leaves(each)] if isinstance(result, list | tuple) else [result]


def traced(t, make, case):
    x, y = (t.linspace(low, 0.9, 6).view(2, 3) for low in (0.1, 0.3))
    graph = make(function(t, case))(x, y)
    others = (t.linspace(0.2, 0.7, 6).view(2, 3), t.linspace(0.8, 0.4, 6).view(2, 3))
    return targets(graph), [np.asarray(leaf) for leaf in leaves(graph(*others))]


@pytest.mark.parametrize("case", CASES)
def test_graph_and_results(case):
    (wanted, expected), (names, results) = (traced(t, make, case) for t, make in BOTH)
    assert len(expected) == len(results)
    for one, other in zip(results, expected):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert (names == wanted) == (case not in DIFFERENT)
    if case in DIFFERENT:
        assert [name for name in names if name not in wanted] == DIFFERENT[case]


def test_targets_are_the_public_overloads():
    graph = make_fx(lambda x: x.sin())(torchlike.ones(2)).graph
    assert [node.target for node in graph.nodes][1] is torchlike.ops.aten.sin.default
    assert "torch.ops.aten.sin.default(x_1)" in make_fx(lambda x: x.sin())(torchlike.ones(2)).code


def test_modules():
    for t, make in BOTH:
        layer = t.nn.Linear(3, 2)
        graph = make(applied(layer))(t.ones(4, 3))
        assert sorted(targets(graph)[1:4]) == ["_param_constant0", "_param_constant1", "aten.t.default"]
        assert sorted(name for name, _ in graph.named_parameters()) == ["_param_constant0", "_param_constant1"]
        with t.no_grad():
            layer.weight.zero_()  # the graph holds the parameter itself
        assert np.allclose(graph(t.ones(1, 3)).detach(), layer.bias.detach())


def test_gradients_within():
    for t, make in BOTH:
        x = t.tensor([1.0, 2.0], requires_grad=True)
        graph = make(gradient(t))(x)
        other = t.tensor([0.5, 3.0], requires_grad=True)
        found = graph(other).detach()
        assert np.allclose(found, (other.exp() * (other + 1)).detach())


def test_writes():
    def write(x):
        x.mul_(2)
        y = x + 1
        y[0].add_(5)
        return y

    for t, make in BOTH:
        graph, x = make(write)(t.ones(2, 2)), t.full((2, 2), 3.0)
        assert targets(graph) == [
            *("x_1", "aten.mul_.Tensor", "aten.add.Tensor", "aten.select.int", "aten.add_.Tensor", "output")
        ]
        assert graph(x).tolist() == [[12.0, 12.0], [7.0, 7.0]] and x.tolist() == [[6.0, 6.0], [6.0, 6.0]]


@pytest.mark.parametrize("case", ["x + t.rand(2, 3)", "t.nn.functional.dropout(x) + y", "x + t.randn(2, 3)"])
def test_random_operators_sample_again(case):
    results = []
    for t, make in BOTH:
        graph = make(function(t, case))(t.ones(2, 3), t.ones(2, 3))
        t.manual_seed(3)
        results.append([graph(t.zeros(2, 3) + 1, t.ones(2, 3)).numpy() for _ in range(2)])
        assert (results[-1][0] != results[-1][1]).any()
    np.testing.assert_allclose(results[1], results[0], rtol=1e-6)


def test_decomposition_table():
    for t, make in BOTH:
        aten = t.ops.aten
        table = {
            aten.addmm.default: replacement(aten),
            aten.tanh.default: lambda x: x.sinh() / x.cosh(),
        }
        layer = t.nn.Linear(3, 2)
        graph = make(applied(t.nn.Sequential(layer, t.nn.Tanh())), decomposition_table=table)(t.ones(4, 3))
        names = [name for name in targets(graph) if name.startswith("aten") and "detach" not in name]
        calls = ["t.default", "mm.default", "add.Tensor", "sinh.default", "cosh.default", "div.Tensor"]
        assert names == [f"aten.{name}" for name in calls]
        assert np.allclose(graph(t.ones(1, 3)).detach(), layer(t.ones(1, 3)).tanh().detach(), atol=1e-6)


def test_refused():
    x = torchlike.ones(2)
    for mode in ("fake", "symbolic"):
        with pytest.raises(NotImplementedError, match=mode):
            make_fx(torchlike.sin, tracing_mode=mode)(x)
    for name in ("pre_dispatch", "record_module_stack"):
        with pytest.raises(NotImplementedError, match=name):
            make_fx(torchlike.sin, **{name: True})
    with pytest.raises(AssertionError, match="tracing_mode"):
        make_fx(torchlike.sin, tracing_mode="other")
    assert get_proxy_mode() is None
