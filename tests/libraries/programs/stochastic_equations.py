"""torchsde: stochastic differential equations of both kinds, four methods, the adjoint."""

import torch
import torchsde

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)


class SDE(torch.nn.Module):
    noise_type = "general"
    sde_type = "ito"

    def __init__(s):
        super().__init__()
        s.mu = torch.nn.Linear(3, 3)
        s.sigma = torch.nn.Linear(3, 6)

    def f(s, t, y):
        return s.mu(y)

    def g(s, t, y):
        return s.sigma(y).view(4, 3, 2)


sde = SDE()
y0 = torch.full((4, 3), 0.1)
ts = torch.linspace(0, 1, 5)
bm = torchsde.BrownianInterval(0.0, 1.0, size=(4, 2), entropy=3)
with torch.no_grad():
    ys = torchsde.sdeint(sde, y0, ts, bm=bm, dt=0.1)
print(ys.shape, round(ys.sum().item(), 6))
ys = torchsde.sdeint(sde, y0, ts, bm=bm, dt=0.1, method="euler")
ys.sum().backward()
print([round(p.grad.sum().item(), 4) for p in sde.parameters()])


class D(torch.nn.Module):
    noise_type = "diagonal"
    sde_type = "stratonovich"

    def __init__(s):
        super().__init__()
        s.mu = torch.nn.Linear(3, 3)
        s.sg = torch.nn.Linear(3, 3)

    def f(s, t, y):
        return s.mu(y)

    def g(s, t, y):
        return torch.sigmoid(s.sg(y))


d = D()
for m in ("midpoint", "heun", "reversible_heun", "euler_heun"):
    bm = torchsde.BrownianInterval(0.0, 1.0, size=(4, 3), entropy=5, levy_area_approximation="space-time")
    ys = torchsde.sdeint(d, y0, ts, bm=bm, dt=0.1, method=m)
    print(m, round(ys.sum().item(), 4))
bm = torchsde.BrownianInterval(0.0, 1.0, size=(4, 3), entropy=5)
ys = torchsde.sdeint_adjoint(d, y0, ts, bm=bm, dt=0.1, method="midpoint")
ys.sum().backward()
print([round(p.grad.sum().item(), 3) for p in d.parameters()])
ys = torchsde.sdeint(d, y0, ts, dt=0.1, adaptive=True, method="milstein" if 0 else "midpoint", bm=bm)
print(round(ys.sum().item(), 4))
