"""Kullback-Leibler divergences of every pair that PyTorch registers."""

import functools
import warnings

import pytest
import torch
import torch.distributions.kl

import torchlike
import torchlike.distributions.kl
from tests.distributions.cases import CASES, made
from tests.oracle import both

PAIRS = sorted((p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY)
OTHERS = {  # parameters with which the support of one distribution may contain that of another
    "Uniform": ["D.Uniform(t([0.1, -0.2, 0.0]), t([0.9, 0.5, 1.0]))", "D.Uniform(t([2.0]), t([3.0]))"],
    "Pareto": ["D.Pareto(t([1.5, 0.2]).view(2, 1), t([2.5, 0.7, 1.5]))", "D.Pareto(t([0.05]), t([1.0]))"],
    "Binomial": ["D.Binomial(5, t([0.2, 0.0]))", "D.Binomial(5, t([1.0, 0.7]))", "D.Binomial(3, 0.5)"],
    "Categorical": ["D.Categorical(t([0.2, 0.0, 0.8]))", "D.Categorical(t([0.2, 0.3, 0.0]))"],
    "OneHotCategorical": ["D.OneHotCategorical(t([0.2, 0.0, 0.8]))", "D.OneHotCategorical(t([0.2, 0.3, 0.0]))"],
    "Bernoulli": ["D.Bernoulli(t([0.0, 0.3, 1.0]))", "D.Bernoulli(t([0.4]))", "D.Bernoulli(0.0)"],
    "Poisson": ["D.Poisson(t([0.5, 4.0, 2.0]))", "D.Poisson(2.0)"],
    "MultivariateNormal": [
        "D.MultivariateNormal(t([1.0, -1.0]), t([[1.0, 0.5], [0.5, 4.25]]))",
        "D.MultivariateNormal(L.zeros(3, 2), scale_tril=t([[0.5, 0.0], [0.5, 2.0]]))",
        "D.MultivariateNormal(L.zeros(3), L.eye(3))",
    ],
    "LowRankMultivariateNormal": [
        "D.LowRankMultivariateNormal(L.zeros(3, 2), t([[1.0], [0.5]]), t([0.5, 1.0]))",
        "D.LowRankMultivariateNormal(t([1.0, -1.0]), t([[1.0], [2.0]]), t([0.5, 2.0]))",
        "D.LowRankMultivariateNormal(L.zeros(3), L.ones(3, 1), t([0.5, 1.0, 2.0]))",
    ],
    "TransformedDistribution": ["D.LogNormal(t([0.0, 1.0]), 1.0)", "D.LogNormal(0.5, 2.0)", "D.HalfCauchy(1.0)"],
    "Independent": [
        "D.Independent(D.Normal(L.zeros(2, 3), 1.0), 1)",
        "D.Independent(D.Normal(L.ones(2, 3), 2.0), 1)",
        "D.Independent(D.Normal(L.ones(2, 3), 2.0), 2)",
        "D.Independent(D.Beta(L.ones(2, 3), 2.0), 1)",
    ],
    "ExponentialFamily": ["D.Chi2(t([1.0, 2.0]))", "D.Chi2(3.0)", "D.Exponential(2.0)", "D.Bernoulli(0.2)"],
}


def parameters(name):
    return OTHERS.get(name) or CASES[name]


def test_the_registered_pairs():
    ours = sorted((p.__name__, q.__name__) for p, q in torchlike.distributions.kl._KL_REGISTRY)
    assert ours == PAIRS


@pytest.mark.parametrize("default_dtype", ["float64"], indirect=True)
@pytest.mark.parametrize(("p", "q"), PAIRS, ids=[f"{p}-{q}" for p, q in PAIRS])
def test_divergences(p, q, default_dtype):
    for first in parameters(p):
        for second in parameters(q):
            if not _refuses_to_broadcast(first, second):
                program = functools.partial(_divergence, first, second)
                both(program, rtol=1e-9, atol=1e-11, stride=False)


def _divergence(first, second, library):
    return library.distributions.kl_divergence(made(library, first), made(library, second))


def _refuses_to_broadcast(first, second):
    """Return whether PyTorch refuses to broadcast a pair.

    PyTorch sets infinite elements by a mask, which must have the result's shape. torchlike broadcasts it.
    """
    try:
        _divergence(first, second, torch)
    except (IndexError, RuntimeError) as error:
        return "shape" in str(error) or "size" in str(error)
    except (NotImplementedError, ValueError):
        pass
    return False


def _bregman(library, expression_p, expression_q):
    d = library.distributions
    formula = d.kl._KL_REGISTRY[d.ExponentialFamily, d.ExponentialFamily]
    return formula(made(library, expression_p), made(library, expression_q))


@pytest.mark.parametrize("name", ["Bernoulli", "Beta", "Dirichlet", "Exponential", "Gamma", "Normal", "Poisson"])
def test_bregman_divergences(name):
    """Check the general Bregman formula. Most pairs of families use a specialized formula instead."""
    both(lambda L: _bregman(L, CASES[name][-1], CASES[name][-1]), rtol=1e-4, atol=1e-5, stride=False)


def _registered(library):
    d = library.distributions

    class Left(d.Normal):
        pass

    class Right(d.Normal):
        pass

    d.register_kl(Left, d.Normal)(lambda p, q: "left")
    d.register_kl(d.Normal, Right)(lambda p, q: "right")
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            results = [
                d.kl_divergence(p(0.0, 1.0), q(0.0, 1.0))
                for p in (Left, d.Normal)
                for q in (d.Normal, Right)
                if (p, q) != (d.Normal, d.Normal)
            ]
    finally:
        del d.kl._KL_REGISTRY[Left, d.Normal], d.kl._KL_REGISTRY[d.Normal, Right]
        d.kl._KL_MEMOIZE.clear()
    return results, [(w.category.__name__, str(w.message)) for w in seen]


def test_a_formula_of_ones_own():
    both(_registered)


def test_pairs_without_a_formula():
    both(functools.partial(_divergence, "D.Categorical(L.ones(2))", "D.Normal(0.0, 1.0)"))
