"""zuko, nflows and sbi: nine normalising flows trained and sampled, a posterior from simulations."""

import torch
import zuko
from nflows import distributions, flows, transforms
from sbi.inference import NPE
from sbi.utils import BoxUniform

torch.manual_seed(0)
x = torch.randn(32, 3)
c = torch.randn(32, 2)
for F in (
    zuko.flows.NSF(3, 2, transforms=2, hidden_features=[16]),
    zuko.flows.MAF(3, 2, transforms=2, hidden_features=[16]),
    zuko.flows.NICE(3, 2, transforms=2, hidden_features=[16]),
    zuko.flows.GF(3, 2, transforms=2, hidden_features=[16]),
    zuko.flows.SOSPF(3, 2, transforms=2, hidden_features=[16]),
    zuko.flows.NAF(3, 2, transforms=1, hidden_features=[16]),
    zuko.flows.UNAF(3, 2, transforms=1, hidden_features=[16]),
    zuko.flows.CNF(3, 2, hidden_features=[16]),
    zuko.flows.BPF(3, 2, transforms=2, hidden_features=[16]),
):
    opt = torch.optim.Adam(F.parameters(), 1e-3)
    ls = []
    for _ in range(3):
        l = -F(c).log_prob(x).mean()
        opt.zero_grad()
        l.backward()
        opt.step()
        ls.append(round(l.item(), 3))
    with torch.no_grad():
        s = F(c[0]).sample((4,))
    print(type(F).__name__, ls, round(s.sum().item(), 2))


torch.manual_seed(0)
t = transforms.CompositeTransform(
    [
        transforms.ReversePermutation(2),
        transforms.MaskedAffineAutoregressiveTransform(2, 8),
        transforms.MaskedPiecewiseRationalQuadraticAutoregressiveTransform(2, 8, tails="linear", tail_bound=3),
        transforms.LULinear(2),
        transforms.BatchNorm(2),
    ]
)
f = flows.Flow(t, distributions.StandardNormal([2]))
opt = torch.optim.Adam(f.parameters(), 1e-2)
x = torch.randn(64, 2) * 0.5 + 1
for _ in range(4):
    l = -f.log_prob(x).mean()
    opt.zero_grad()
    l.backward()
    opt.step()
    print(round(l.item(), 4))


torch.manual_seed(0)
prior = BoxUniform(-2 * torch.ones(2), 2 * torch.ones(2))
th = prior.sample((200,))
x = th + 0.1 * torch.randn_like(th)
inf = NPE(prior=prior, show_progress_bars=False)
e = inf.append_simulations(th, x).train(max_num_epochs=3)
post = inf.build_posterior(e)
s = post.sample((20,), x=torch.zeros(2), show_progress_bars=False)
print(tuple(s.shape), round(s.mean().item(), 3))
print(round(post.log_prob(s, x=torch.zeros(2)).mean().item(), 3))
