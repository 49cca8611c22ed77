"""neuraloperator: Fourier operators, plain and factorised, trained for three steps."""

import torch
from neuralop.losses import H1Loss, LpLoss
from neuralop.models import FNO, TFNO

torch.manual_seed(0)
for m in (
    FNO(n_modes=(4, 4), hidden_channels=8, in_channels=1, out_channels=1, n_layers=2),
    TFNO(
        n_modes=(4, 4),
        hidden_channels=8,
        in_channels=1,
        out_channels=1,
        n_layers=2,
        factorization="tucker",
        implementation="factorized",
        rank=0.3,
    ),
):
    x = torch.rand(2, 1, 16, 16)
    opt = torch.optim.Adam(m.parameters(), 1e-3)
    L = LpLoss(d=2)
    for _ in range(3):
        l = L(m(x), x.flip(-1))
        opt.zero_grad()
        l.backward()
        opt.step()
        print(round(l.item(), 4))
    print(round(H1Loss(d=2)(m(x), x).item(), 3))
