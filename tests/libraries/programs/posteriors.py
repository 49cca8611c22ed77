"""laplace: posteriors over weights of four kinds, their predictions and marginal likelihoods."""

import torch
from laplace import Laplace
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.randn(40, 2)
y = (x[:, 0] > 0).long()
m = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
o = torch.optim.Adam(m.parameters(), 0.05)
for _ in range(20):
    o.zero_grad()
    torch.nn.functional.cross_entropy(m(x), y).backward()
    o.step()
for sub, h in (("all", "kron"), ("all", "diag"), ("all", "full"), ("last_layer", "kron")):
    la = Laplace(m, "classification", subset_of_weights=sub, hessian_structure=h)
    la.fit(DataLoader(TensorDataset(x, y), 20))
    la.optimize_prior_precision(method="marglik", n_steps=5)
    p = la(x[:4], link_approx="probit")
    print(sub, h, [round(v, 5) for v in p[:, 0].tolist()], round(la.log_marginal_likelihood().item(), 4))
