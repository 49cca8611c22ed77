"""Transforms, constraints, and the registries that map constraints to transforms."""

import copy
import pickle

import pytest
import torch

import torchlike
from tests.distributions.cases import made
from tests.oracle import both, outcome

# Maps each transform to an input in its domain.
TRANSFORMS = {
    "D.AbsTransform()": "t([-1.0, 2.0])",
    "D.AffineTransform(1.0, 2.0)": "t([-1.0, 2.0])",
    "D.AffineTransform(1, -2)": "t([-1.0, 2.0])",
    "D.AffineTransform(t([1.0, 0.0]), t([-2.0, 3.0]), event_dim=1)": "t([[-1.0, 2.0], [0.0, 1.0]])",
    "D.ComposeTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)])": "t([-1.0, 2.0])",
    "D.ComposeTransform([D.StickBreakingTransform(), D.AffineTransform(1.0, 2.0)])": "t([[-1.0, 2.0]])",
    "D.ComposeTransform([D.ExpTransform(), D.SoftmaxTransform()])": "t([[-1.0, 2.0]])",
    "D.ComposeTransform([])": "t([-1.0, 2.0])",
    "D.CumulativeDistributionTransform(D.Normal(t(0.5), 2.0))": "t([-1.0, 2.0])",
    "D.ExpTransform()": "t([-1.0, 2.0])",
    "D.ExpTransform().inv": "t([1.0, 2.0])",
    "D.IndependentTransform(D.ExpTransform(), 1)": "t([[-1.0, 2.0]])",
    "D.IndependentTransform(D.ExpTransform(), 1).inv": "t([[1.0, 2.0]])",
    "D.PowerTransform(t(2.0))": "t([1.0, 2.0])",
    "D.PowerTransform(t(-0.5))": "t([1.0, 2.0])",
    "D.ReshapeTransform((2, 3), (6,))": "L.arange(12.0).view(2, 2, 3)",
    "D.SigmoidTransform()": "t([-100.0, -1.0, 2.0, 100.0])",
    "D.SoftplusTransform()": "t([-1.0, 2.0, 30.0])",
    "D.TanhTransform()": "t([-1.0, 2.0])",
    "D.SoftmaxTransform()": "t([[-1.0, 2.0]])",
    "D.StickBreakingTransform()": "t([[-1.0, 2.0, 0.5]])",
    "D.CorrCholeskyTransform()": "t([[-1.0, 2.0, 0.5], [0.1, 0.0, 3.0]])",
    "D.LowerCholeskyTransform()": "t([[1.0, 2.0], [0.5, -1.0]])",
    "D.PositiveDefiniteTransform()": "t([[1.0, 2.0], [0.5, -1.0]])",
    "D.CatTransform([D.ExpTransform(), D.AffineTransform(0.0, 3.0)])": "t([1.0, 2.0])",
    "D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=-1, lengths=[2, 1])": "t([[1.0, 2.0, 0.5]])",
    "D.StackTransform([D.ExpTransform(), D.TanhTransform()], dim=1)": "t([[1.0, 2.0], [0.5, 0.1]])",
    "D.biject_to(D.constraints.interval(-1.0, 2.0))": "t([-1.0, 2.0])",
    "D.biject_to(D.constraints.less_than(3.0))": "t([-1.0, 2.0])",
    "D.transform_to(D.constraints.independent(D.constraints.positive, 1))": "t([-1.0, 2.0])",
    "D.transform_to(D.constraints.cat([D.constraints.positive, D.constraints.real]))": "t([-1.0, 2.0])",
    "D.transform_to(D.constraints.stack([D.constraints.positive, D.constraints.real]))": "t([-1.0, 2.0])",
}
QUANTITIES = """
repr(f)
repr(f.inv)
repr(f.domain)
repr(f.codomain)
f.bijective
f.sign
f.event_dim
f.inv.inv is f
f == f
f.with_cache() == f
f.with_cache()._cache_size
f(x)
f.inv(f(x))
f.log_abs_det_jacobian(x, f(x))
f.inv.log_abs_det_jacobian(f(x), x)
f.codomain.check(f(x))
f.domain.check(x)
""".strip().splitlines()
SHAPES = [(), (2,), (6,), (3, 3), (2, 3)]


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_transforms(expression):
    for quantity in QUANTITIES:

        def program(L, quantity=quantity):
            given = {"f": made(L, expression), "x": made(L, TRANSFORMS[expression])}
            return made(L, quantity, **given)

        both(program, rtol=1e-5, atol=1e-5, stride=False)
    for shape in SHAPES:
        both(lambda L, shape=shape: tuple(made(L, expression).forward_shape(shape)))
        both(lambda L, shape=shape: tuple(made(L, expression).inverse_shape(shape)))


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_gradients_of_transforms(expression):
    def program(L):
        x = made(L, TRANSFORMS[expression]).requires_grad_()
        f = made(L, expression)
        y = f(x)
        total = (y * L.linspace(0.5, 1.5, y.numel()).view(y.shape)).sum()
        if f.bijective:
            total = total + f.log_abs_det_jacobian(x, y).sum()
        total.backward()
        return x.grad

    both(program, rtol=1e-5, atol=1e-5, stride=False)


def test_equality():
    both(lambda L: [made(L, a) == made(L, b) for a in TRANSFORMS for b in TRANSFORMS])


def test_a_cache_gives_back_the_argument():
    f = torchlike.distributions.ExpTransform(cache_size=1)
    x = torchlike.ones(2)
    assert f.inv(f(x)) is x
    assert f(x) is f(x)


def test_copies():
    f = torchlike.distributions.ExpTransform()
    inverse = f.inv
    assert copy.deepcopy(f) == f
    assert pickle.loads(pickle.dumps(f)) == f
    assert inverse.inv is f


def test_pickled_distributions():
    d = torchlike.distributions.Gumbel(torchlike.zeros(2), 1.0)
    again = pickle.loads(pickle.dumps(d))
    assert repr(again) == repr(d)
    assert again.log_prob(torchlike.ones(2)).tolist() == d.log_prob(torchlike.ones(2)).tolist()


CONSTRAINTS = """
boolean
one_hot
nonnegative_integer
positive_integer
integer_interval(0, 2)
real
real_vector
positive
nonnegative
greater_than(1.0)
greater_than_eq(1)
less_than(2.0)
multinomial(3)
unit_interval
interval(0, 1.5)
half_open_interval(0.0, 1.0)
simplex
lower_triangular
lower_cholesky
corr_cholesky
square
symmetric
positive_semidefinite
positive_definite
independent(D.constraints.positive, 1)
cat([D.constraints.positive, D.constraints.unit_interval])
stack([D.constraints.positive, D.constraints.unit_interval])
MixtureSameFamilyConstraint(D.constraints.positive)
MixtureSameFamilyConstraint(D.constraints.simplex)
dependent(is_discrete=True, event_dim=1)
""".strip().splitlines()
VALUES = """
t(1.5)
t([0.0, 1.0])
t([-1.0, 2.0])
t([0.5, 0.5])
t([nan, 1.0])
t([1.0, 1.0])
t([0, 1, 2])
t([[1.0, 0.0], [0.0, 1.0]])
t([[2.0, 1.0], [1.0, 2.0]])
t([[1.0, 2.0], [2.0, 1.0]])
t([[1.0, 0.0], [0.5, 2.0]])
t([[0.6, 0.0], [0.8, 1.0]])
t([[1.0, 0.0], [0.6, 0.8]])
t([[0.2, 0.3, 0.5], [0.2, 0.3, 0.6]])
""".strip().splitlines()


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints(name):
    expression = f"D.constraints.{name}"
    for quantity in ("repr(c)", "c.is_discrete", "c.event_dim", "repr(D.biject_to(c))", "repr(D.transform_to(c))"):
        both(lambda L, quantity=quantity: made(L, quantity, c=made(L, expression)))
    for value in VALUES:
        both(lambda L, value=value: made(L, f"c.check({value})", c=made(L, expression)), stride=False)


REFUSALS = """
D.CatTransform([1])
D.StackTransform([1])
D.CatTransform([D.ExpTransform()], lengths=[1, 2])
D.CatTransform([D.ExpTransform()])(t(1.0))
D.CatTransform([D.ExpTransform()]).log_abs_det_jacobian(t([1.0]), t([1.0, 2.0]))
D.StackTransform([D.ExpTransform()]).inv(t(1.0))
D.StackTransform([D.ExpTransform()])(t([1.0, 2.0]))
D.IndependentTransform(D.ExpTransform(), 1)(t(1.0))
D.ReshapeTransform((2,), (3,))
D.ExpTransform(cache_size=2)
D.Transform()(1)
D.SoftmaxTransform().log_abs_det_jacobian(1, 1)
D.constraints.cat([1])
D.constraints.stack([1])
D.constraints.cat([D.constraints.real], lengths=[1, 2])
D.constraints.independent(3, 1)
D.constraints.independent(D.constraints.real, -1)
D.constraints.independent(D.constraints.real, 1.5)
D.constraints.independent(D.constraints.real, 2).check(t([1.0]))
D.constraints.MixtureSameFamilyConstraint(3)
""".strip().splitlines()


@pytest.mark.parametrize("program", REFUSALS)
def test_refusals(program):
    ours, theirs = (outcome(lambda L: made(L, program), L).sentence for L in (torchlike, torch))
    assert ours is not None
    assert str(ours).replace("torchlike.", "torch.") == str(theirs)


def test_every_constraint_has_a_name():
    assert torch.distributions.constraints.__all__ == [
        name for name in torch.distributions.constraints.__all__ if hasattr(torchlike.distributions.constraints, name)
    ]
