"""More than 150 common interactive expressions over new shapes, and the names that they use."""

# Expressions that may take longer. The first decomposition of a process loads SciPy's LAPACK, some expressions take
# long to trace, and programs with dtypes that NumPy lacks are compiled at their first run.
SLOWER = """
torch.linalg.qr(a)
torch.linalg.svd(batch)
torch.linalg.eigh(square @ square.T)
torch.linalg.cholesky(square @ square.T + torch.eye(9))
torch.linalg.matrix_exp(square)
a.bfloat16() + 1
"""

EXPRESSIONS = """
a + c
a - c
a * c
a / c
a * 2 + 1
1 / a
a ** 2
-a
a + row
a * column
a.add(c, alpha=2)
a.clone().add_(1)
a.clone().mul_(c)
torch.exp(a)
torch.log(a.abs() + 1)
torch.sqrt(a.abs())
torch.rsqrt(a.abs() + 1)
torch.sin(a)
torch.cos(a) * 2
torch.tanh(a)
torch.sigmoid(a)
torch.erf(a)
torch.abs(a)
torch.sign(a)
torch.floor(a)
torch.round(a)
torch.clamp(a, -1, 1)
torch.minimum(a, c)
torch.maximum(a, c)
torch.where(a > 0, a, c)
torch.lerp(a, c, 0.3)
torch.addcmul(a, a, c, value=0.5)
torch.atan2(a, c)
torch.fmod(a, 2)
torch.isnan(a).sum()
torch.isfinite(a).all()
(a == c).any()
(a > 0) & (c > 0)
a.int() + 1
a.to(torch.float64).sum()
a.half().float()
a.bool().sum()
a.sum()
a.sum(0)
a.sum(-1, keepdim=True)
a.mean()
a.mean(0)
a.std(1)
a.var(0)
a.prod(1)
a.max()
a.max(1)
a.min(0)
a.amax(0)
a.argmax(-1)
a.argmin()
a.norm()
torch.linalg.norm(a, dim=1)
torch.logsumexp(a, 1)
torch.median(a)
a.quantile(0.5)
a.cumsum(1)
a.cumprod(0)
a.all()
torch.count_nonzero(a)
torch.softmax(a, -1)
torch.log_softmax(a, 0)
F.softmax(batch, dim=-1)
a @ b
batch @ b
a.mm(b)
torch.matmul(batch, b)
torch.bmm(batch, batch.transpose(1, 2))
a.T @ a
v @ v
a @ v
torch.outer(v, v)
torch.dot(v, v)
torch.einsum("ij,jk->ik", a, b)
torch.einsum("bij,bkj->bik", batch, batch)
torch.addmm(row[:29], a, b)
torch.tensordot(a, b, dims=1)
torch.kron(v[:3], v[:4])
torch.trace(a)
torch.diag(v)
torch.tril(a)
torch.triu(a, 1)
torch.linalg.inv(square)
torch.linalg.solve(square, square[:, :3])
torch.det(square)
a[3]
a[:, 3]
a[2:9, ::2]
a[-1, -1]
a[indices]
a[indices, 2]
a[:, [0, 2, 5]]
a[a > 0]
a[None]
a[..., 0]
a.index_select(0, indices)
torch.gather(a, 1, labels[:, None])
torch.take_along_dim(a, labels[:, None], 1)
a.masked_fill(a > 0, 0.0)
torch.masked_select(a, a > 1)
torch.nonzero(a > 1)
a.clone().index_fill_(0, indices, 1.0)
torch.zeros(37, 53).scatter_(1, labels[:, None], 1.0)
torch.zeros(37, 53).index_add_(0, indices, a[:11])
torch.cat([a, c], 1)
torch.stack([a, c])
torch.split(a, 10)
torch.chunk(a, 3, 1)
a.reshape(-1, 1) / 2
a.view(53, 37) + 1
a.flatten()
a.permute(1, 0).contiguous()
a.transpose(0, 1) * 2
a.unsqueeze(0).expand(4, 37, 53).sum((0, 1))
batch.squeeze().sum()
a.repeat(2, 1)
a.repeat_interleave(2, 0)
a.flip(0)
a.roll(3, 1)
torch.rot90(a)
F.pad(a, (1, 1))
torch.meshgrid(v[:3], v[:4], indexing="ij")
torch.sort(a, 1)
torch.argsort(v)
torch.topk(a, 5)
torch.unique(labels)
torch.bincount(labels)
torch.searchsorted(torch.sort(v)[0], v)
torch.histc(a, 10)
torch.linspace(0, 1, 7) * 3
torch.arange(17).float().mean()
torch.eye(7) * 2
torch.full((5, 7), 2.0) + 1
torch.ones_like(a).sum()
torch.rand(13, 7).mean()
torch.randn(13, 7).std()
F.relu(a)
F.gelu(a)
F.silu(a)
F.softplus(a)
F.leaky_relu(a, 0.1)
F.linear(a, b.T)
F.layer_norm(a, (53,), v, v)
F.normalize(a)
F.embedding(indices, a)
F.one_hot(labels, 53)
F.cross_entropy(a, labels)
F.mse_loss(a, c)
F.binary_cross_entropy_with_logits(a, (c > 0).float())
F.nll_loss(F.log_softmax(a, 1), labels)
F.cosine_similarity(a, c)
F.scaled_dot_product_attention(batch, batch, batch)
F.conv2d(image, filters)
F.max_pool2d(image, 2)
F.avg_pool2d(image, 2)
F.adaptive_avg_pool2d(image, 1)
F.interpolate(image, scale_factor=2)
F.unfold(image, 3)
"""


def expressions():
    """Return pairs (text, whether it may take longer), in the order in which they run."""
    listed = lambda text, slow: [(line, slow) for line in text.strip().splitlines()]
    return listed(EXPRESSIONS, False) + listed(SLOWER, True)


def names(torch):
    """Return the variables of the expressions, with unusual sizes that no warm-up has used."""
    torch.manual_seed(0)
    return {
        "torch": torch,
        "F": torch.nn.functional,
        "a": torch.randn(37, 53),
        "b": torch.randn(53, 29),
        "c": torch.randn(37, 53),
        "v": torch.randn(53),
        "row": torch.randn(53),
        "column": torch.randn(37, 1),
        "batch": torch.randn(3, 17, 53),
        "square": torch.randn(9, 9),
        "image": torch.randn(2, 3, 19, 21),
        "filters": torch.randn(5, 3, 3, 3),
        "indices": torch.randint(0, 37, (11,)),
        "labels": torch.randint(0, 53, (37,)),
    }
