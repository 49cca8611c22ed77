"""vector_quantize_pytorch: codebooks of several kinds, trained and looked up."""

import torch
from vector_quantize_pytorch import (
    FSQ,
    LFQ,
    GroupedResidualVQ,
    ResidualFSQ,
    ResidualVQ,
    SimVQ,
    VectorQuantize,
)

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.randn(2, 16, 8, requires_grad=True)


def show(n, o):
    for v in o if isinstance(o, tuple) else (o,):
        if isinstance(v, torch.Tensor):
            print(n, tuple(v.shape), v.dtype, round(v.double().abs().sum().item(), 2))


for n, m in dict(
    vq=VectorQuantize(dim=8, codebook_size=32, decay=0.8, commitment_weight=1.0),
    cos=VectorQuantize(dim=8, codebook_size=32, use_cosine_sim=True, kmeans_init=True, kmeans_iters=3),
    ema=VectorQuantize(dim=8, codebook_size=32, codebook_dim=4, heads=2, separate_codebook_per_head=True),
    orth=VectorQuantize(dim=8, codebook_size=32, orthogonal_reg_weight=10, threshold_ema_dead_code=2),
    rq=ResidualVQ(
        dim=8,
        num_quantizers=3,
        codebook_size=16,
        stochastic_sample_codes=True,
        sample_codebook_temp=0.1,
        shared_codebook=True,
    ),
    grvq=GroupedResidualVQ(dim=8, num_quantizers=2, groups=2, codebook_size=16),
    lfq=LFQ(dim=8, codebook_size=256, entropy_loss_weight=0.1),
    sim=SimVQ(dim=8, codebook_size=32),
    fsq=FSQ(levels=[8, 5, 5], dim=8),
    rfsq=ResidualFSQ(dim=8, levels=[5, 5], num_quantizers=2),
).items():
    m.train()
    for _ in range(3):
        o = m(x)
    show(n, o)
    l = sum(v.sum() for v in o if isinstance(v, torch.Tensor) and v.is_floating_point())
    if l.requires_grad:
        x.grad = None
        l.backward()
        if x.grad is not None:
            show(n + " grad", x.grad)
    m.eval()
    show(n + " eval", m(x))
