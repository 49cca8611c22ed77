"""Implicit gradients of gamma and beta samples, compared with finite differences of quantiles in float64."""

import numpy as np
import pytest
import torch
from scipy import special

import torchlike
from tests.oracle import outcome

SHAPES = np.array([0.05, 0.3, 1.0, 2.5, 20.0, 300.0, 5000.0])


def _difference(quantile, a):
    step = 1e-4 * a
    return (
        (8 * (quantile(a + step) - quantile(a - step)) - (quantile(a + 2 * step) - quantile(a - 2 * step))) / 12 / step
    )


def test_gamma_numbers():
    a = np.repeat(SHAPES, 20)
    leaf = torchlike.tensor(a, requires_grad=True)
    drawn = torchlike._standard_gamma(leaf)
    drawn.sum().backward()
    x = drawn.detach().numpy()
    lower = special.gammainc(a, x)
    inside = (lower > 1e-8) & (lower < 1 - 1e-8)
    expected = _difference(lambda a: special.gammaincinv(a, lower), a)
    np.testing.assert_allclose(leaf.grad.numpy()[inside], expected[inside], rtol=1e-5)
    assert np.isfinite(leaf.grad.numpy()).all()


@pytest.mark.parametrize("b", SHAPES[:-1])
def test_beta_numbers(b):
    a = np.repeat(SHAPES[:-1], 20)
    first = torchlike.tensor(a, requires_grad=True)
    second = torchlike.full_like(first.detach(), b).requires_grad_()
    drawn = torchlike.distributions.Beta(first, second).rsample()
    drawn.sum().backward()
    x = drawn.detach().numpy()
    lower = special.betainc(a, b, x)
    inside = (lower > 1e-6) & (lower < 1 - 1e-6) & (x < 1 - 1e-8)
    expected = _difference(lambda a: special.betaincinv(a, b, lower), a)
    np.testing.assert_allclose(first.grad.numpy()[inside], expected[inside], rtol=2e-5, atol=1e-12)
    upper = _difference(lambda b: special.betaincinv(a, b, lower), np.full_like(a, b))
    np.testing.assert_allclose(second.grad.numpy()[inside], upper[inside], rtol=2e-5, atol=1e-12)
    assert np.isfinite(first.grad.numpy()).all() and np.isfinite(second.grad.numpy()).all()


@pytest.mark.parametrize("name", ["Gamma(leaf, leaf * 2)", "StudentT(leaf)", "Beta(leaf, leaf * 2)", "Dirichlet(leaf)"])
@pytest.mark.parametrize("loss", ["drawn * drawn.detach()", "drawn.pow(2)"])
@pytest.mark.parametrize(
    "way", ["grad(slope.sum(), leaf)", "grad(slope.sum(), leaf, allow_unused=True)", "backward(slope.sum())"]
)
def test_a_second_derivative_is_refused_where_pytorch_refuses_it(name, way, loss):
    def program(L):
        L.manual_seed(0)
        leaf = L.tensor([1.5, 2.5], requires_grad=True, dtype=L.float64)
        drawn = eval(f"L.distributions.{name}.rsample()", {"L": L, "leaf": leaf})
        (slope,) = L.autograd.grad(eval(loss, {"drawn": drawn}).sum(), leaf, create_graph=True)
        return eval(f"L.autograd.{way}", {"L": L, "slope": slope, "leaf": leaf})

    ours, theirs = (outcome(program, library) for library in (torchlike, torch))
    assert ours.sentence == theirs.sentence
    assert repr(ours.result) == repr(theirs.result)


def test_a_gradient_by_what_was_drawn_is_differentiable_again():
    def program(L):
        L.manual_seed(0)
        leaf = L.tensor([1.5, 2.5], requires_grad=True, dtype=L.float64)
        factor = L.tensor([3.0, 4.0], requires_grad=True, dtype=L.float64)
        (slope,) = L.autograd.grad((L._standard_gamma(leaf) * factor).sum(), leaf, create_graph=True)
        return L.autograd.grad(slope.sum(), factor)[0].numpy()

    np.testing.assert_allclose(program(torchlike), program(torch), rtol=1e-4)


def test_the_shape_of_an_incomplete_gamma_function():
    a = torchlike.tensor([0.5, 2.0, 9.0], dtype=torchlike.float64, requires_grad=True)
    x = np.array([0.3, 2.5, 7.0])
    torchlike.special.gammainc(a, torchlike.tensor(x)).sum().backward()
    expected = _difference(lambda a: special.gammainc(a, x), a.detach().numpy())
    np.testing.assert_allclose(a.grad.numpy(), expected, rtol=1e-6)
