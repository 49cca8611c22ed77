"""pypose: rotations and rigid motions with their gradients, a pose found by Levenberg-Marquardt."""

import pypose as pp
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = pp.randn_so3(3, requires_grad=True)
rotation = x.Exp()
print(rotation.shape, round(rotation.matrix().sum().item(), 5))
(rotation @ torch.randn(3, 3)).sum().backward()
print(round(x.grad.sum().item(), 5))
motion = pp.randn_SE3(2)
print(type(motion).__name__, round((motion @ motion.Inv()).Log().abs().sum().item(), 6))
print(round(motion.Adj(pp.randn_se3(2)).sum().item(), 5))


class Inverse(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pose = pp.Parameter(pp.randn_SE3(2))

    def forward(self, motion):
        return (self.pose @ motion).Log().tensor()


optimizer, motion = pp.optim.LM(Inverse()), pp.randn_SE3(2)
for _ in range(4):
    print(round(optimizer.step(motion).item(), 8))
