"""Every distribution over a grid of parameters: what it says of itself, its moments, densities and draws."""

import inspect
import re

import pytest
import torch

import torchlike
from tests.distributions.cases import CASES, made
from tests.oracle import both

EXPRESSIONS = [expression for expressions in CASES.values() for expression in expressions]
QUANTITIES = """
repr(d)
[tuple(d.batch_shape), tuple(d.event_shape)]
repr(d.support)
[d.has_rsample, d.has_enumerate_support]
d.mean
d.variance
d.stddev
d.entropy()
d.perplexity()
d.enumerate_support()
d.enumerate_support(False)
repr(d.expand((2, *d.batch_shape)))
d.expand((2, *d.batch_shape)).sample()
d.expand((2, *d.batch_shape)).log_prob(d.expand((2, *d.batch_shape)).sample())
d.log_prob(d.sample())
d.log_prob(d.sample((2, 3)))
d.cdf(d.sample((3,)))
d.icdf(L.full(tuple(d.batch_shape + d.event_shape), 0.3))
""".strip().splitlines()
# One rounding of a transformed draw's argument is a few of the draw's, where a logarithm or a power lies between.
DRAWN = {"rtol": 3e-6, "atol": 1e-7, "stride": False}
# PyTorch's polynomial for Bessel functions has six digits; where a variance is near 0, fewer are left.
FORMULAE = {"rtol": 3e-5, "atol": 3e-6, "stride": False}

pytestmark = pytest.mark.filterwarnings("ignore:Singular sample detected", "ignore:Low df values")


def families(library):
    distributions = library.distributions
    found = {name: getattr(distributions, name) for name in torch.distributions.__all__}
    return {n: f for n, f in found.items() if isinstance(f, type) and issubclass(f, distributions.Distribution)}


def test_every_public_name_is_there():
    missing = [name for name in torch.distributions.__all__ if not hasattr(torchlike.distributions, name)]
    assert missing == []
    assert len(torch.distributions.__all__) == 67


@pytest.mark.parametrize("name", families(torch))
def test_declarations(name):
    ours, theirs = families(torchlike)[name], families(torch)[name]
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    for attribute in ("arg_constraints", "support", "has_rsample", "has_enumerate_support"):
        mine, due = getattr(ours, attribute), getattr(theirs, attribute)
        assert _declared(mine) == _declared(due), attribute
    assert [k.__name__ for k in theirs.__mro__ if k.__name__ in torch.distributions.__all__] == [
        k.__name__ for k in ours.__mro__ if k.__name__ in torch.distributions.__all__
    ]


def _declared(attribute):
    return "property" if isinstance(attribute, property) else re.sub("object at 0x.*", "", repr(attribute))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_it_says(expression):
    for quantity in QUANTITIES:
        how = DRAWN if quantity.endswith("sample()") else FORMULAE
        both(lambda library, q=quantity: made(library, q, d=made(library, expression)), **how)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_mode(expression):
    if "does not implement" not in str(_refusal(torch, expression)):
        both(lambda library: made(library, expression).mode, **FORMULAE)
    else:  # the sentence names the class, whose module is another
        ours, theirs = _refusal(torchlike, expression), _refusal(torch, expression)
        assert str(ours) == str(theirs).replace("<class 'torch.", "<class 'torchlike.")


def _refusal(library, expression):
    try:
        return made(library, expression).mode
    except NotImplementedError as error:
        return error


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_draws(expression, shape):
    """The same numbers from the same seed, and the same state of the generator afterwards."""
    both(lambda L: [made(L, expression).sample(shape), L.get_rng_state()], **DRAWN)
    both(lambda L: made(L, expression).rsample(shape), **DRAWN)


# Their parameters, as the numbers of an expression that may require a gradient.
LEAF = re.compile(r"t\(\[.*?\]+\)")


def _with_leaves(library, expression):
    """The distribution, and the tensors of its expression, which require gradients."""
    leaves = []

    def leaf(numbers):
        leaves.append(library.tensor(numbers, requires_grad=True))
        return leaves[-1]

    return made(library, expression, t=leaf), leaves


def _gradients(library, leaves, result):
    if not result.requires_grad:
        return None
    weights = library.linspace(0.5, 1.5, result.numel()).view(result.shape)
    return library.autograd.grad((result * weights).sum(), leaves, allow_unused=True)


# Where PyTorch's gradient is not that of its value, or it has none.
UNJUDGED = {
    "D.Poisson(t([0.0, 0.5, 4.0, 30.0]))": "NaN at a rate of 0, of 0 * log(0)",
    "D.VonMises(t([0.0, 1.0, -3.0]), t([1e-6, 1.0, 50.0]))": "NaN for small concentrations",
    "D.Binomial(t([5.0, 40.0]), logits=t([0.4, -1.5]))": "of the count, which it takes for a number",
}
GRADED = [e for e in EXPRESSIONS if "t(" in e and e not in UNJUDGED]


@pytest.mark.parametrize("expression", [e for e in GRADED if "Wishart(4, scale_tril" not in e])  # above the diagonal
def test_gradients_of_densities(expression):
    def gradients(library):
        d, leaves = _with_leaves(library, expression)
        return _gradients(library, leaves, d.log_prob(d.sample((3,)).detach()))

    both(gradients, rtol=1e-4, atol=1e-4, stride=False)


@pytest.mark.parametrize("expression", [e for e in GRADED if "Wishart" not in e])  # PyTorch overwrites what it needs
def test_gradients_of_draws(expression):
    """PyTorch's implicit gradients of gamma and Dirichlet numbers are approximations good to three digits."""

    def gradients(library):
        d, leaves = _with_leaves(library, expression)
        return _gradients(library, leaves, d.rsample((3,)))

    both(gradients, rtol=3e-3, atol=1e-4, stride=False)


@pytest.mark.parametrize("expression", GRADED)
def test_gradients_of_entropies(expression):
    def gradients(library):
        d, leaves = _with_leaves(library, expression)
        return _gradients(library, leaves, d.entropy())

    both(gradients, rtol=1e-4, atol=1e-4, stride=False)
