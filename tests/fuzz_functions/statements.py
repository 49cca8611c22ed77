"""Templates of the statements of a function.

In a template, A and B are tensors of floats, D is a dim of A, and N is the name of the result.
"""

from __future__ import annotations

from tests.fuzz_functions.layers import MATRICES, NETWORKS
from tests.fuzz_steps.program import listed

ELEMENTWISE = listed("""
N = A.sin()

N = A.tanh() + A.cos()

N = A.clamp(-3, 3).exp()

N = A.sigmoid()

N = torch.relu(A)

N = A.abs()

N = A.square()

N = (A.abs() + 0.5).sqrt()

N = (A.abs() + 0.5).log()

N = (A.abs() + 0.5).rsqrt()

N = A.erf()

N = A.expm1().clamp(max=5)

N = A.abs().log1p()

N = A.atan()

N = A.asinh()

N = torch.sinc(A)

N = torch.lgamma(A.abs() + 1)

N = torch.special.i0(A.clamp(-3, 3))

N = torch.special.xlogy(A, B.abs() + 0.5)

N = (A.abs() + 0.3).reciprocal()

N = F.softplus(A)

N = F.gelu(A)

N = F.gelu(A, approximate='tanh')

N = F.silu(A)

N = F.elu(A, 0.5)

N = F.leaky_relu(A, 0.1)

N = F.hardtanh(A)

N = F.logsigmoid(A)

N = F.mish(A)

N = F.softsign(A)

N = F.tanhshrink(A)

N = F.threshold(A, 0.1, 0.5)

N = A.clamp(-1, 1)

N = A.clamp(B - 1, B + 1)

N = A.round() * A

N = torch.nan_to_num(A / (A > 0.5))

N = A.detach() * A

N = A * 2 - 1

N = 1 / (A.square() + 1)

N = 2 ** A.clamp(-3, 3)

N = A ** 2

N = A ** 3
""")

BINARY = listed("""
N = A + B

N = A * B

N = A - B

N = A / (B.abs() + 0.5)

N = torch.maximum(A, B)

N = torch.minimum(A, B)

N = torch.atan2(A, B.abs() + 0.5)

N = torch.hypot(A, B + 3)

N = (A.abs() + 0.5).pow(B.clamp(-2, 2))

N = torch.where(A > B, A, B * 2)

N = torch.where(A > 0, A.abs().sqrt(), 0.0)

N = torch.lerp(A, B, 0.3)

N = torch.addcmul(A, B, B, value=0.5)

N = torch.addcdiv(A, B, B.abs() + 1)

N = torch.logaddexp(A, B)

N = torch.copysign(A, B)

N = torch.fmod(A, B.abs() + 0.7)

N = torch.xlogy(A, B.abs() + 1)

N = F.mse_loss(A, B)

N = F.smooth_l1_loss(A, B)

N = F.cosine_similarity(A, B, dim=-1)

N = torch.dist(A, B)

N = torch.outer(A.flatten(), B.flatten())

N = torch.kron(A, B)

N = A @ B

N = A @ B.mT

N = torch.tensordot(A, B, 1)

N = torch.cdist(A, B)

N = torch.einsum('ij,ij->i', A, B)

N = torch.einsum('ij,kj->ik', A, B)

N = torch.einsum('...i,i->...', A, B)

N = torch.inner(A, B)

N = torch.cat([A, B], D)

N = torch.stack([A, B], D)

N = torch.cat([A.flatten(), B.flatten()])

N = F.linear(A, B)

N = F.bilinear(A, A, B[None] if B.ndim == 2 else B)

N = torch.cross(A[..., :3], B[..., :3], dim=-1)

N = A.expand_as(B) * B

N = torch.vdot(A.flatten(), A.flatten()) * B

N = torch.searchsorted(B.flatten().sort().values, A.contiguous()) * A

N = torch.bucketize(A.contiguous(), torch.tensor([-1.0, 0.0, 1.0])) * B
""")

REDUCTIONS = listed("""
N = A.sum(D)

N = A.mean(D, keepdim=True)

N = A.sum()

N = A.prod(D)

N = A.prod()

N = A.amax(D)

N = A.amin()

N = A.max(D).values

N = A.min(D, keepdim=True)[0]

N = A.median(D).values

N = A.max()

N = A.logsumexp(D)

N = A.var(D)

N = A.std()

N = A.var(D, correction=0, keepdim=True)

N = torch.std_mean(A, D)[0]

N = A.norm()

N = A.norm(dim=D)

N = A.norm(p=1, dim=D)

N = torch.linalg.vector_norm(A, 3, D)

N = A.cumsum(D)

N = A.cumprod(D)

N = A.logcumsumexp(D)

N = A.cummax(D).values

N = A.softmax(D)

N = A.log_softmax(D)

N = A.sort(D, descending=True).values

N = A.topk(2, D).values

N = A.kthvalue(1, D).values

N = A.argmax(D) * 1.0

N = (A > 0).sum(D) * A.sum(D)

N = torch.quantile(A, 0.4, D)

N = torch.nanmean(A, D)

N = A.diff(dim=D)

N = torch.trapezoid(A, dim=D)

N = A.renorm(2, D, 1.0)

N = F.normalize(A, dim=D)

N = F.softmin(A, D)

N = torch.aminmax(A, dim=D).max

N = A.all(D) * A.any(D) * A.sum(D)

N = torch.histc(A.detach(), 4) * 1.0
""")

SHAPES = listed("""
N = A.reshape(-1)

N = A.t()

N = A.transpose(0, -1)

N = A.mT

N = A.movedim(0, -1)

N = A.unsqueeze(D)

N = A.squeeze()

N = A.flip(D)

N = A.roll(1, D)

N = A.expand(2, *A.shape)

N = A.repeat(2, *[1] * (A.ndim - 1))

N = A.repeat_interleave(2, D)

N = A.tile(2)

N = F.pad(A, (1, 1))

N = F.pad(A, (1, -1), value=0.5)

N = F.pad(A[None], (1, 1), mode='reflect')[0]

N = A.chunk(2, D)[-1]

N = A.split(2, D)[0]

N = A.unbind(D)[-1]

N = A.narrow(D, 0, 1)

N = A.select(D, 0)

N = A.diagonal()

N = torch.diag_embed(A)

N = torch.diag(A)

N = A.tril()

N = A.triu(1)

N = A.unfold(D, 2, 1)

N = A.rot90()

N = A.flatten()

N = A.contiguous()

N = A.clone()

N = A.view(A.shape[0], -1)

N = torch.atleast_2d(A)

N = torch.broadcast_to(A, (2, *A.shape))

N = torch.meshgrid(A.flatten()[:2], A.flatten()[:3], indexing='ij')[1]

N = A.unflatten(D, (-1, 2))

N = torch.block_diag(A, A)

N = A.swapaxes(0, -1) + 0

N = torch.vander(A.flatten()[:3])

N = torch.combinations(A.flatten()[:3])

N = torch.cartesian_prod(A.flatten()[:2], A.flatten()[:2])
""")

INDICES = listed("""
N = A[0]

N = A[..., 0]

N = A[..., None]

N = A[:, ::2]

N = A[1:]

N = A[ids]

N = A[:, ids]

N = A[[0, -1]]

N = A[ids, ids]

N = A[..., ids[:2]]

N = A[ids[:, None], ids[None, :]]

N = A.index_select(D, ids)

N = A.gather(D, torch.zeros_like(A[:1], dtype=torch.int64))

N = A.gather(D, A.argsort(D))

N = torch.take_along_dim(A, A.argmax(D, keepdim=True), D)

N = A.take(ids)

N = A.scatter(D, torch.zeros_like(A, dtype=torch.int64)[:1], 0.5)

N = A.scatter(0, ids[:1].expand_as(A[:1]), A[:1] * 2)

N = A.scatter_add(0, ids[:1].expand_as(A[:1]), A[:1])

N = A.scatter_reduce(0, ids[:1].expand_as(A[:1]), A[:1], 'amax')

N = A.index_add(0, ids, A[:3])

N = A.index_copy(0, ids[:1], A[:1] * 2)

N = A.index_fill(D, ids[:1], 0.5)

N = A.index_put((ids[:2],), A[:2] * 3)

N = A.index_put((ids[:2],), A[0], accumulate=True)

N = A.masked_fill(A > 0.5, 0.1)

N = A.masked_fill(A < 0, A.sum())

N = torch.select_scatter(A, A.sum(D), D, 0)

N = torch.slice_scatter(A, A[:1] * 2, 0, 0, 1)

N = torch.diagonal_scatter(A, A.diagonal() * 2)

N = F.embedding(ids, A)

N = F.one_hot(ids, 4) * A.sum()

N = F.cross_entropy(A, ids)

N = F.nll_loss(A, ids)

N = F.cross_entropy(A, ids, reduction='none', label_smoothing=0.1)
""")

WRITES = listed("""
N = A.clone()
N.add_(B)

N = A.clone()
N[0] = B.sum()

N = A.clone()
N[..., 0] += B.mean()

N = A.clone()
N.view(-1)[0] = 2.0

N = A.clone()
N.t().mul_(2)

N = A.clone()
N.mul_(N)

N = A + 0
N[1:] = N[:-1].clone()

N = A + 0
N[ids[:1]] = B.sum()

N = A + 0
N[N > 0.3] = 0.5

N = A + 0
N.masked_fill_(N < 0, 0.5)

N = torch.empty_like(A)
N.copy_(A)
N.sin_()

N = torch.zeros_like(A)
N += A
N[0] *= 2

N = torch.zeros_like(A)
N[..., 0] = A[..., 0]

N = A.new_zeros(A.shape)
for k in range(A.shape[0]):
    N[k] = A[k] * k

N = A * 1
M = N[0]
M.mul_(3)

N = A * 1
M = N.select(-1, 0)
M.copy_(B.mean())
N = N + M.sum()

N = A * 1
N.diagonal().fill_(1.5)

N = A * 1
N.fill_diagonal_(0.5)

N = A * 1
N.index_add_(0, ids, A[:3])

N = A * 1
N.scatter_(0, ids[:1].expand_as(A[:1]), 0.5)

N = A * 1
N.clamp_(min=0).add_(A)

N = A * 1
N.sub_(N.mean(D, keepdim=True)).div_(N.std(D, keepdim=True) + 1)

N = A * 1
N.unsqueeze_(0).squeeze_(0)

N = A * 1
N.t_().add_(1)

N = A * 1
N.zero_().add_(B)

N = A * 1
N.lerp_(A * 2, 0.5)

N = A * 1
N.addcmul_(A, A, value=0.1)

N = A * 1
P, Q = N.chunk(2, -1)
N = P * 2 + Q.sum()

N = A * 1
N.detach()[0] = 0.0

N = A * 1
N.tanh_()

N = A.cumsum(D)
N.relu_()

N = torch.ones(A.shape)
N.mul_(2)
N = N * A

N = A
for k in range(3):
    N = N.tanh() + k * B.mean()

N = sum(t.sum() * k for k, t in enumerate(A.unbind(0)))

N = torch.stack([t * 2 for t in A])
""")
KINDS = (
    (6, ELEMENTWISE),
    (5, BINARY),
    (4, REDUCTIONS),
    (4, SHAPES),
    (4, INDICES),
    (2, MATRICES),
    (3, NETWORKS),
    (5, WRITES),
)
