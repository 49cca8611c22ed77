"""Errors and warnings of distributions: their types and messages, and the `repr` of results."""

import re
import warnings

import pytest
import torch

import torchlike
from tests.distributions.cases import made

PROGRAMS = """
D.utils.broadcast_all("a")
D.utils.broadcast_all(None, 1)
D.utils.broadcast_all(True, 1)
D.utils.broadcast_all(t(1), 1.5)
D.utils.tril_matrix_to_vec(L.ones(3, 3), 5)
D.utils.vec_to_tril_matrix(L.ones(2))
D.utils.vec_to_tril_matrix(L.arange(6.0), -1)
D.utils.tril_matrix_to_vec(L.arange(9.0).view(3, 3), 1)
D.Normal(0, -1)
D.Normal(nan, 1)
D.Normal(L.zeros(2), -L.ones(2))
D.Normal(L.zeros(2), L.ones(3))
D.Normal("a", 1)
D.Normal(0, -1, validate_args=False)
D.Bernoulli()
D.Bernoulli(0.5, 0.2)
D.Bernoulli(1.5)
D.Categorical()
D.Categorical(t(1.0))
D.Categorical(logits=t(1.0))
D.Categorical(t([-1.0, 3.0]))
D.Binomial()
D.Binomial(-3, t(0.5))
D.Binomial(3, t(1.5))
D.Binomial(t([2, 3]), t(0.5)).enumerate_support()
D.Binomial(t([2, 3]), t(0.5)).entropy()
D.Binomial(3, L.ones(2)).support
D.NegativeBinomial(3)
D.NegativeBinomial(3, 1.0)
D.NegativeBinomial(-1, 0.5)
D.Geometric()
D.Geometric(0.0)
D.Geometric(1.5)
D.Geometric(t([0.5, 0.0]))
D.ContinuousBernoulli()
D.ContinuousBernoulli(1.5)
D.ContinuousBernoulli(1.5, validate_args=True)
D.Multinomial()
D.Multinomial(t([1, 2]), L.ones(2))
D.Multinomial(-1, L.ones(2))
D.Multinomial(3, L.ones(2)).support
D.Multinomial(3, L.ones(2)).log_prob(t([1.0, 4.0]))
D.OneHotCategorical()
D.OneHotCategorical(L.ones(3)).log_prob(t([0.0, 1.0, 1.0]))
D.RelaxedBernoulli(t(1.0))
D.RelaxedOneHotCategorical(t(1.0), L.ones(2)).log_prob(t([0.5, 0.2]))
D.relaxed_bernoulli.LogitRelaxedBernoulli(t(1.0))
D.Normal(0, 1).log_prob(1)
D.Normal(0, 1).log_prob(t(nan))
D.Normal(L.zeros(3), 1).log_prob(L.ones(2))
D.Normal(L.zeros(3), 1).cdf(L.ones(2))
D.Dirichlet(L.ones(3)).log_prob(L.ones(2))
D.Dirichlet(L.ones(3)).log_prob(L.ones(3))
D.Dirichlet(t(1.0))
D.Categorical(L.ones(3)).log_prob(t(3))
D.Categorical(L.ones(3)).log_prob(t(0.5))
D.Beta(-1, 1)
D.Beta(0.5, 0.5).log_prob(t(1.5))
D.Chi2(-3)
D.StudentT(-1)
D.FisherSnedecor(1, -1)
D.HalfCauchy(-1)
D.HalfNormal(1.0).log_prob(t(-1.0))
D.InverseGamma(1, -1)
D.Pareto(1, 1).support
D.Pareto(1, 1).log_prob(t(0.5))
D.Poisson(-1)
D.Poisson(1).log_prob(t(0.5))
D.Uniform(1, 0)
D.Uniform(L.ones(2), L.zeros(2))
D.Uniform(0, 1).log_prob(t(2.0))
D.Uniform(0, 1, validate_args=False).log_prob(t(2.0))
D.Uniform(0, 1, validate_args=False).cdf(t([-1.0, 0.5, 2.0]))
D.GeneralizedPareto(0, 1, 0.5).support
D.GeneralizedPareto(0, 1, -0.5).log_prob(t(3.0))
D.VonMises(0, 1)
D.Weibull(1.0, -2.0)
D.LKJCholesky(1)
D.LKJCholesky(3, -1.0)
D.LKJCholesky(3).mean
D.LKJCholesky(2).log_prob(L.ones(2, 2))
D.MultivariateNormal(t(1.0), L.eye(3))
D.MultivariateNormal(L.ones(3))
D.MultivariateNormal(L.ones(3), L.eye(3), L.eye(3))
D.MultivariateNormal(L.ones(3), L.ones(3))
D.MultivariateNormal(L.ones(3), precision_matrix=L.ones(3))
D.MultivariateNormal(L.ones(3), scale_tril=L.ones(3))
D.MultivariateNormal(L.ones(3), -L.eye(3))
D.MultivariateNormal(L.ones(2), t([[1.0, 0.5], [0.2, 1.0]]))
D.MultivariateNormal(L.ones(2), scale_tril=L.ones(2, 2))
D.MultivariateNormal(L.ones(2), L.ones(2, 3))
D.LowRankMultivariateNormal(t(1.0), L.ones(1), L.ones(1))
D.LowRankMultivariateNormal(L.ones(2), L.ones(2), L.ones(2))
D.LowRankMultivariateNormal(L.ones(2), L.ones(3, 1), L.ones(2))
D.LowRankMultivariateNormal(L.ones(2), L.ones(2, 1), L.ones(3))
D.LowRankMultivariateNormal(L.ones(2), L.ones(3, 2, 1), L.ones(4, 2))
D.LowRankMultivariateNormal(L.ones(2), L.ones(2, 1), -L.ones(2))
D.Wishart(t(1.0), L.eye(3))
D.Wishart(t(2.5), L.eye(3))
D.Wishart(4, L.ones(3))
D.Wishart(4)
D.Wishart(4, -L.eye(2))
D.Independent(D.Normal(0, 1), 1)
D.Independent(D.Normal(L.ones(2), 1), 1).support
D.Independent(D.Bernoulli(L.ones(2)), 1).enumerate_support()
D.Independent(D.Normal(L.ones(2), 1), 1).log_prob(L.ones(3))
D.TransformedDistribution(D.Normal(0, 1), 3)
D.TransformedDistribution(D.Normal(0, 1), [3])
D.TransformedDistribution(D.Normal(0, 1), D.StickBreakingTransform())
D.TransformedDistribution(D.Normal(L.zeros(2, 3), 1), [D.StickBreakingTransform()]).support
D.TransformedDistribution(D.Normal(L.zeros(2, 3), 1), []).support
D.TransformedDistribution(D.Normal(0, 1), [D.AbsTransform()]).log_prob(t(1.0))
D.TransformedDistribution(D.Normal(0, 1), [D.AbsTransform()]).cdf(t(1.0))
D.MixtureSameFamily(D.Normal(0, 1), D.Normal(0, 1))
D.MixtureSameFamily(D.Categorical(L.ones(2)), 3)
D.MixtureSameFamily(D.Categorical(L.ones(2)), D.Normal(L.zeros(3), 1))
D.MixtureSameFamily(D.Categorical(L.ones(4, 2)), D.Normal(L.zeros(3, 2), 1))
D.MixtureSameFamily(D.Categorical(L.ones(2)), D.Normal(L.zeros(2), 1)).rsample()
D.MixtureSameFamily(D.Categorical(L.ones(2)), D.Normal(L.zeros(2), 1)).entropy()
D.MixtureSameFamily(D.Categorical(L.ones(2)), D.Exponential(L.ones(2))).log_prob(t(-1.0))
D.Normal(0, 1).sample_n(2)
D.Normal(0, 1).enumerate_support()
D.Bernoulli(0.5).rsample()
D.Gamma(t(2.0), 1.0).icdf(t(0.5))
D.Gamma(2.0, 1.0).log_prob(0.5)
D.HalfCauchy(1.0).log_prob(0.5)
D.HalfCauchy(1.0, validate_args=False).log_prob(0.5)
D.Bernoulli(t([0.3, 0.7])).log_prob(t([0.3, 0.0]))
D.Normal(t([0, 1]), t([1, 2])).log_prob(t([0, 1]))
D.Normal(0, 1).sample([2])
D.Normal(0, 1).sample(3)
D.Normal(L.zeros(0), 1.0).log_prob(L.zeros(0))
D.Categorical(L.ones(0, 3)).sample()
D.Categorical(L.ones(0, 3)).sample((2,))
D.Categorical(L.ones(3)).sample((0,))
D.Categorical(L.ones(2, 3)).log_prob(L.zeros(5, 1))
D.Dirichlet([1.0, 2.0])
D.Categorical([0.5, 0.5])
D.Multinomial(2.5, L.ones(2))
D.Beta(L.ones(2), L.ones(3))
D.Normal(1)
D.ExponentialFamily.entropy(D.Wishart(4.0, L.eye(2)))
D.ExponentialFamily.entropy(D.ContinuousBernoulli(0.3))
D.ExponentialFamily.entropy(D.Poisson(0.3))
[round(D.ExponentialFamily.entropy(d).item(), 4) for d in (D.Normal(0.0, 2.0), D.Gamma(2.0, 0.5), D.Bernoulli(0.3))]
D.GeneralizedPareto(L.zeros(2), 1.0, t([0.1, -0.2])).log_survival_function(t([1.0, 2.0]))
D.GeneralizedPareto(L.zeros(2), 1.0, t([0.1, -0.2])).log_cdf(t([1.0, 2.0]))
D.TransformedDistribution(D.Normal(L.zeros(1), 1.0), [D.AffineTransform(L.zeros(3), 1.0)]).sample().shape
D.Chi2(t([3.0])).expand((2,)).df
D.LowRankMultivariateNormal(L.zeros(2), L.ones(2, 1), L.ones(2)).covariance_matrix
D.LowRankMultivariateNormal(L.zeros(2), L.ones(2, 1), L.ones(2)).precision_matrix
D.LowRankMultivariateNormal(L.zeros(2), L.ones(2, 1), L.ones(2)).scale_tril
D.Wishart(4, 2 * L.eye(2)).scale_tril
D.Normal.support
D.Uniform.support.event_dim
D.Categorical.support.is_discrete
D.Independent.support.event_dim
D.Bernoulli(0.5).cdf(t(0.5))
D.Distribution.set_default_validate_args(3)
[repr(d) for d in [D.Bernoulli(0.5)] if d.logits is not None]
D.Normal(L.ones(1), L.ones(1))
D.Normal(0, 1).perplexity()
D.biject_to(D.constraints.dependent)
D.biject_to(D.constraints.positive_definite)
D.transform_to(D.constraints.boolean)
D.biject_to(3)
D.biject_to.register(3)(1)
D.biject_to.register(int, 1)
D.constraints.dependent.is_discrete
D.constraints.dependent.event_dim
D.constraints.dependent.check(1)
D.constraints.Constraint().check(1)
D.constraints.independent(D.constraints.real, 1.5)
D.constraints.independent(D.constraints.real, 2).check(L.ones(2))
D.constraints.is_dependent(D.constraints.dependent)
D.Bare()
D.Bare(validate_args=False).arg_constraints
D.Declared()
D.Declared()._validate_sample(t(1.0))
D.Declared().mean
D.Declared().variance
D.Declared().expand([2])
D.Declared().log_prob(t(1.0))
D.Declared().sample()
D.Declared((2,), (3,)).batch_shape
D.Fixed().expand([2])
D.Fixed().sample()
""".strip().splitlines()


class _Namespace:
    """A library's distributions, plus a few that a user might define."""

    def __init__(self, distributions):
        self._distributions = distributions

        class Bare(distributions.Distribution):
            pass

        class Declared(distributions.Distribution):
            arg_constraints = {}

        class Fixed(distributions.Normal):
            def __init__(self):
                super().__init__(0, 1)

        self.Bare, self.Declared, self.Fixed = Bare, Declared, Fixed

    def __getattr__(self, name):
        return getattr(self._distributions, name)


def _seen(library, program):
    library.manual_seed(0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = made(library, program, D=_Namespace(library.distributions))
            result = repr(found.detach() if isinstance(found, library.Tensor) else found)
        except Exception as error:
            result = type(error).__name__, str(error)
    text = str((result, [(w.category.__name__, str(w.message)) for w in warned]))
    return re.sub(r"torchlike\.", "torch.", text)  # the repr of a class contains its module


@pytest.mark.parametrize("program", PROGRAMS)
def test_refusals(program):
    assert _seen(torchlike, program) == _seen(torch, program)


def test_the_default_of_validation():
    for library in (torch, torchlike):
        library.distributions.Distribution.set_default_validate_args(False)
        try:
            assert library.distributions.Normal(0.0, -1.0).scale == -1
        finally:
            library.distributions.Distribution.set_default_validate_args(True)
