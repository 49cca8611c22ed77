"""higher: gradients through three steps of two optimizers."""

import higher
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
inner = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
outer = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(10, 3), torch.randn(10, 1)
for _ in range(3):
    outer.zero_grad()
    with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (f, d):
        for _ in range(3):
            d.step(((f(x) - y) ** 2).mean())
        l = ((f(x) - y) ** 2).mean()
        l.backward()
    outer.step()
    print(round(l.item(), 6), round(sum(p.grad.sum().item() for p in net.parameters()), 6))
net2 = torch.nn.Linear(3, 1)
a = torch.optim.Adam(net2.parameters(), 0.1)
with higher.innerloop_ctx(net2, a) as (f, d):
    for _ in range(2):
        d.step(((f(x) - y) ** 2).mean())
    g = torch.autograd.grad(((f(x) - y) ** 2).mean(), f.parameters(time=0))
    print([round(v.sum().item(), 6) for v in g])
