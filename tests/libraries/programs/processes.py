"""gpytorch and botorch: an exact Gaussian process fitted, its predictions, an acquisition function optimised."""

import warnings

import gpytorch
import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)
x = torch.linspace(0, 1, 20, dtype=torch.float64)
y = torch.sin(6 * x) + 0.1 * torch.randn(20, dtype=torch.float64)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
model = Exact(x, y, likelihood).double()
model.train()
likelihood.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for step in range(6):
    optimizer.zero_grad()
    loss = -evidence(model(x), y)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.5f}")
model.eval()
likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    found = likelihood(model(torch.linspace(0.05, 0.95, 4, dtype=torch.float64)))
    print([f"{v:.4f}" for v in found.mean.tolist()], [f"{v:.4f}" for v in found.variance.tolist()])
