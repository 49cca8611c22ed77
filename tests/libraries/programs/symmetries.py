"""e3nn: equivariant layers, whose code torch.fx makes, their gradients and symmetry."""

import torch
from e3nn import nn, o3

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
ir = o3.Irreps("4x0e+2x1o+1x2e")
x = ir.randn(5, -1)
print(ir.dim, round(x.sum().item(), 5))
l = o3.Linear(ir, ir)
print(round(l(x).sum().item(), 5))
tp = o3.FullyConnectedTensorProduct(ir, "1x0e+1x1o", ir)
sh = o3.spherical_harmonics([0, 1], torch.randn(5, 3), True)
y = tp(x, sh)
print(round(y.sum().item(), 5))
y.pow(2).sum().backward()
print(round(sum(p.grad.sum().item() for p in tp.parameters()), 4))
R = o3.rand_matrix()
D = ir.D_from_matrix(R)
print(torch.allclose(tp(x @ D.T, sh @ o3.Irreps("0e+1o").D_from_matrix(R).T), y @ D.T, atol=1e-6))
g = nn.Gate("4x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o")
print(round(g(g.irreps_in.randn(3, -1)).sum().item(), 5))
bn = nn.BatchNorm(ir)
print(round(bn(x).sum().item(), 5))
print(o3.wigner_3j(1, 1, 2).sum().item().__round__(5))
