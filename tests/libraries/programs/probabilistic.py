"""pyro: stochastic variational inference, an autoguide, a predictive, Hamiltonian Monte Carlo."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.optim import Adam

pyro.set_rng_seed(0)
x = torch.linspace(-1, 1, 20)
y = 2 * x + 0.5 + 0.1 * torch.randn(20)


def model(x, y=None):
    slope = pyro.sample("slope", dist.Normal(0.0, 2.0))
    offset = pyro.sample("offset", dist.Normal(0.0, 2.0))
    scale = pyro.sample("scale", dist.LogNormal(-1.0, 0.5))
    with pyro.plate("data", len(x)):
        return pyro.sample("y", dist.Normal(slope * x + offset, scale), obs=y)


guide = AutoDiagonalNormal(model)
svi = SVI(model, guide, Adam({"lr": 0.05}), Trace_ELBO())
print([f"{svi.step(x, y):.3f}" for _ in range(8)])
print({name: f"{value.item():.3f}" for name, value in guide.median().items()})
found = Predictive(model, guide=guide, num_samples=5)(x[:2])
print({name: tuple(value.shape) for name, value in sorted(found.items())}, f"{found['y'].mean().item():.3f}")
pyro.set_rng_seed(1)
chain = MCMC(NUTS(model, max_tree_depth=3), num_samples=5, warmup_steps=5, disable_progbar=True)
chain.run(x, y)
print({name: tuple(value.shape) for name, value in sorted(chain.get_samples().items())})
