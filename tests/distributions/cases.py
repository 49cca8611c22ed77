"""Distributions under test, as source expressions.

In an expression, `L` is the library, `D` its `distributions` module, and `t` makes a tensor from numbers.
"""

GRID = "t([0.3, 1.0, 2.5])"
FACTOR = "t([[1.0, 0.0], [0.5, 2.0]])"
COVARIANCE = "t([[1.0, 0.5], [0.5, 4.25]])"

CASES = {
    "Bernoulli": [
        "D.Bernoulli(t([0.0, 0.3, 0.5, 1.0]))",
        "D.Bernoulli(logits=t([-2.0, 0.0, 30.0]))",
        "D.Bernoulli(0.3)",
    ],
    "Beta": [
        f"D.Beta({GRID}, t([0.5, 2.0, 1.0]))",
        "D.Beta(2.0, 3.0)",
        "D.Beta(t([[2.0], [0.5]]), t([1.0, 3.0, 0.7]))",
    ],
    "Binomial": [
        "D.Binomial(5, t([0.2, 0.7]))",
        "D.Binomial(t([5.0, 40.0]), logits=t([0.4, -1.5]))",
        "D.Binomial(3, 0.5)",
        "D.Binomial(4, t([0.0, 1.0]))",
    ],
    "Categorical": [
        "D.Categorical(t([[0.2, 0.3, 1.5], [1.0, 0.0, 1.0]]))",
        "D.Categorical(logits=t([0.2, -1.0, 3.0, 0.0]))",
    ],
    "Cauchy": [f"D.Cauchy(t([-1.0, 0.0, 2.0]), {GRID})", "D.Cauchy(0.0, 1.0)"],
    "Chi2": [f"D.Chi2({GRID})", "D.Chi2(3)"],
    "ContinuousBernoulli": [
        "D.ContinuousBernoulli(t([0.1, 0.4995, 0.5, 0.9]))",
        "D.ContinuousBernoulli(logits=t([-2.0, 0.001, 1.0]))",
        "D.ContinuousBernoulli(0.3)",
    ],
    "Dirichlet": ["D.Dirichlet(t([[0.3, 1.0, 2.5], [4.0, 5.0, 6.0], [0.5, 0.3, 0.1]]))", "D.Dirichlet(t([2.0, 3.0]))"],
    "Exponential": [f"D.Exponential({GRID})", "D.Exponential(2.0)"],
    "FisherSnedecor": ["D.FisherSnedecor(t([1.0, 3.0, 5.0]), t([2.0, 3.5, 9.0]))", "D.FisherSnedecor(4.0, 6.0)"],
    "Gamma": [f"D.Gamma({GRID}, t([1.0, 0.5, 3.0]))", "D.Gamma(2.0, 3.0)", "D.Gamma(t([0.01, 30.0]), 1.0)"],
    "GeneralizedPareto": [
        "D.GeneralizedPareto(t([0.0, 1.0, -1.0, 0.5]), t([1.0, 2.0, 0.5, 1.0]), t([0.25, 0.0, 1.5, -0.4]))",
        "D.GeneralizedPareto(0.0, 1.0, 0.1)",
    ],
    "Geometric": ["D.Geometric(t([0.2, 0.7, 1.0]))", "D.Geometric(logits=t([-1.0, 1.0]))", "D.Geometric(0.3)"],
    "Gumbel": [f"D.Gumbel(t([-1.0, 0.0, 2.0]), {GRID})", "D.Gumbel(0.0, 1.0)"],
    "HalfCauchy": [f"D.HalfCauchy({GRID})", "D.HalfCauchy(2.0)"],
    "HalfNormal": [f"D.HalfNormal({GRID})", "D.HalfNormal(2.0)"],
    "Independent": [
        "D.Independent(D.Normal(L.zeros(2, 3), t([0.5, 1.0, 2.0])), 1)",
        "D.Independent(D.Bernoulli(t([0.2, 0.7])), 1)",
        "D.Independent(D.Bernoulli(t([0.2, 0.7])), 0)",
        "D.Independent(D.Dirichlet(L.ones(2, 3)), 1)",
    ],
    "InverseGamma": [f"D.InverseGamma({GRID}, t([1.0, 0.5, 3.0]))", "D.InverseGamma(3.0, 2.0)"],
    "Kumaraswamy": [f"D.Kumaraswamy({GRID}, t([0.5, 2.0, 1.0]))", "D.Kumaraswamy(2.0, 3.0)"],
    "LKJCholesky": ["D.LKJCholesky(3, t([0.5, 2.0]))", "D.LKJCholesky(2)", "D.LKJCholesky(4, 1.5)"],
    "Laplace": [f"D.Laplace(t([-1.0, 0.0, 2.0]), {GRID})", "D.Laplace(0.0, 1.0)"],
    "LogNormal": [f"D.LogNormal(t([-1.0, 0.0, 2.0]), {GRID})", "D.LogNormal(0.0, 1.0)"],
    "LogisticNormal": ["D.LogisticNormal(L.zeros(2, 3), t([0.5, 1.0, 2.0]))", "D.LogisticNormal(0.0, 1.0)"],
    "LowRankMultivariateNormal": [
        "D.LowRankMultivariateNormal(t([1.0, -1.0, 0.0]), t([[1.0], [0.5], [2.0]]), t([0.5, 1.0, 2.0]))",
        "D.LowRankMultivariateNormal(L.zeros(4, 2), L.ones(2, 2) + L.eye(2), t([0.5, 1.0]))",
    ],
    "MixtureSameFamily": [
        "D.MixtureSameFamily(D.Categorical(t([0.3, 0.7])), D.Normal(t([-1.0, 2.0]), t([0.5, 1.0])))",
        "D.MixtureSameFamily(D.Categorical(L.ones(3, 2)), D.Independent(D.Normal(L.ones(3, 2, 2), 1.0), 1))",
        f"D.MixtureSameFamily(D.Categorical(t([0.3, 0.7])), D.MultivariateNormal(L.zeros(2, 2), {COVARIANCE}))",
    ],
    "Multinomial": [
        "D.Multinomial(5, t([[0.2, 0.3, 0.5], [1.0, 0.0, 1.0]]))",
        "D.Multinomial(3, logits=t([0.5, -1.0]))",
    ],
    "MultivariateNormal": [
        f"D.MultivariateNormal(t([1.0, -1.0]), {COVARIANCE})",
        f"D.MultivariateNormal(L.zeros(3, 2), scale_tril={FACTOR})",
        f"D.MultivariateNormal(L.zeros(2), precision_matrix={COVARIANCE} * t([1.0, 2.0]).view(2, 1, 1))",
    ],
    "NegativeBinomial": [
        "D.NegativeBinomial(t([3.0, 10.0]), t([0.2, 0.7]))",
        "D.NegativeBinomial(2, logits=t([-1.0, 1.0]))",
    ],
    "Normal": [f"D.Normal(t([-1.0, 0.0, 2.0]), {GRID})", "D.Normal(0.0, 1.0)", "D.Normal(L.zeros(2, 1), L.ones(3))"],
    "OneHotCategorical": [
        "D.OneHotCategorical(t([[0.2, 0.3, 1.5], [1.0, 0.0, 1.0]]))",
        "D.OneHotCategorical(logits=t([0.2, -1.0, 3.0]))",
    ],
    "OneHotCategoricalStraightThrough": ["D.OneHotCategoricalStraightThrough(t([[0.2, 0.3, 1.5], [1.0, 0.5, 1.0]]))"],
    "Pareto": ["D.Pareto(t([1.0, 2.0, 0.5]), t([0.5, 1.5, 3.0]))", "D.Pareto(1.0, 3.0)"],
    "Poisson": ["D.Poisson(t([0.0, 0.5, 4.0, 30.0]))", "D.Poisson(2.0)"],
    "RelaxedBernoulli": [
        "D.RelaxedBernoulli(t(0.7), t([0.2, 0.7]))",
        "D.RelaxedBernoulli(t(2.0), logits=t([-1.0, 1.0]))",
    ],
    "RelaxedOneHotCategorical": [
        "D.RelaxedOneHotCategorical(t(0.7), t([[0.2, 0.3, 1.5], [1.0, 0.5, 1.0]]))",
        "D.RelaxedOneHotCategorical(t(2.0), logits=t([0.2, -1.0, 3.0]))",
    ],
    "StudentT": ["D.StudentT(t([0.5, 1.5, 5.0]), t([0.0, 1.0, -1.0]), t([1.0, 2.0, 0.5]))", "D.StudentT(3.0)"],
    "TransformedDistribution": [
        "D.TransformedDistribution(D.Normal(t([0.0, 1.0]), 1.0), [D.ExpTransform(), D.AffineTransform(1.0, -2.0)])",
        "D.TransformedDistribution(D.Normal(L.zeros(2, 3), 1.0), D.StickBreakingTransform())",
        "D.TransformedDistribution(D.Uniform(0.0, 1.0), [D.SigmoidTransform().inv, D.AffineTransform(t([1.0]), 3.0)])",
        "D.TransformedDistribution(D.Normal(L.zeros(4), 1.0), D.ReshapeTransform((4,), (2, 2)))",
    ],
    "Uniform": ["D.Uniform(t([0.0, -1.0]), t([1.0, 3.0]))", "D.Uniform(1.0, 2.0)"],
    "VonMises": ["D.VonMises(t([0.0, 1.0, -3.0]), t([1e-6, 1.0, 50.0]))", "D.VonMises(0.0, 1.0)"],
    "Weibull": [f"D.Weibull({GRID}, t([0.5, 1.0, 3.0]))", "D.Weibull(1.0, 2.0)"],
    "Wishart": [
        f"D.Wishart(t([3.0, 5.0]), {COVARIANCE})",
        f"D.Wishart(4, scale_tril={FACTOR})",
        f"D.Wishart(t(3.5), precision_matrix={COVARIANCE})",
    ],
}


def made(library, expression, **names):
    """Evaluate an expression over `L`, `D` and `t`."""
    known = {"L": library, "D": library.distributions, "t": library.tensor, "inf": float("inf"), "nan": float("nan")}
    return eval(expression, {**known, **names})
