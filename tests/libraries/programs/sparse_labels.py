"""entmax, torchcrf and torch_dct: sparse softmaxes, a conditional random field, cosine transforms."""

import torch
import torch_dct
from entmax import Entmax15Loss, SparsemaxLoss, entmax15, entmax_bisect, sparsemax
from torchcrf import CRF

torch.manual_seed(0)
x, y = torch.randn(4, 6, requires_grad=True), torch.tensor([1, 2, 3, 0])
for chances in (entmax15(x, dim=-1), sparsemax(x, dim=-1), entmax_bisect(x, alpha=1.3, dim=-1)):
    (grad,) = torch.autograd.grad((chances**2).sum(), x)
    print(round(chances.max().item(), 5), round(grad.abs().sum().item(), 5))
print(round(Entmax15Loss()(x, y).item(), 5), round(SparsemaxLoss()(x, y).item(), 5))

field = CRF(5)
scores, tags = torch.randn(7, 2, 5, requires_grad=True), torch.randint(0, 5, (7, 2))
there = torch.ones(7, 2, dtype=torch.bool)
there[5:, 1] = False
likelihood = field(scores, tags, mask=there)
likelihood.backward()
print(round(likelihood.item(), 4), field.decode(scores, there), round(scores.grad.abs().sum().item(), 4))

x = torch.randn(3, 8)
print(round(torch_dct.dct(x).abs().sum().item(), 3), torch.allclose(torch_dct.idct(torch_dct.dct(x)), x, atol=1e-5))
print(round(torch_dct.dct_2d(torch.rand(4, 4)).sum().item(), 4), round(torch_dct.dct1(x).sum().item(), 3))
