"""botorch: a Gaussian process fitted by L-BFGS, expected improvement maximised."""

import warnings

import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.filterwarnings("ignore")
torch.manual_seed(0)
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
x = draw_sobol_samples(bounds, n=8, q=1, seed=0).squeeze(1).double()
y = -(x - 0.4).square().sum(1, keepdim=True)
model = SingleTaskGP(x, y, input_transform=Normalize(d=2), outcome_transform=Standardize(m=1))
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
with torch.no_grad():
    found = model.posterior(torch.tensor([[0.4, 0.4], [0.1, 0.9]], dtype=torch.float64))
    print([f"{v:.3f}" for v in found.mean.flatten().tolist()])
for acquisition in (LogExpectedImprovement(model, y.max()), qLogExpectedImprovement(model, y.max())):
    torch.manual_seed(1)
    candidate, value = optimize_acqf(acquisition, bounds=bounds, q=1, num_restarts=3, raw_samples=16)
    print(type(acquisition).__name__, [f"{v:.2f}" for v in candidate.flatten().tolist()])
