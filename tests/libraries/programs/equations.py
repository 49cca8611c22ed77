"""torchdiffeq: a neural differential equation, fixed and adaptive steps, the adjoint."""

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


start, times = torch.tensor([[2.0, 0.0]], dtype=torch.float64), torch.linspace(0, 1, 5, dtype=torch.float64)
field = Field().double()
for solve in (odeint, odeint_adjoint):
    for method in ("euler", "rk4", "dopri5", "bosh3", "implicit_adams"):
        optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
        loss = solve(field, start, times, method=method).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(solve.__name__, method, f"{loss.item():.6f}")
