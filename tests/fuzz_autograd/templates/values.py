"""Templates that make tensors: leaves, results of operators, and views."""

LEAVES = """
N = torch.tensor([1.5, -2.0, 0.5], requires_grad=True)
N = torch.tensor([1.5, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
N = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], dtype=torch.float64, requires_grad=True)
N = torch.tensor([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]], requires_grad=True)
N = nn.Parameter(torch.tensor([[0.5, -1.0], [2.0, 0.25]]))
N = torch.tensor([[0.5, -1.0], [2.0, 0.25], [1.0, 3.0]]).t().requires_grad_()
N = torch.linspace(-1, 2, 6).reshape(2, 3)[:, ::2].requires_grad_()
N = torch.tensor(0.75, requires_grad=True)
N = torch.tensor(-1.25, dtype=torch.float64, requires_grad=True)
N = torch.ones(0, 3, requires_grad=True)
N = torch.tensor([1 + 2j, -0.5j, 2.0], dtype=torch.complex64, requires_grad=True)
N = torch.tensor([0.5, -1.5, 2.0], dtype=torch.bfloat16, requires_grad=True)
N = torch.arange(3, requires_grad=True)
N = torch.arange(4)
N = torch.tensor([2.0, -1.0, 0.5])
N = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
N = torch.tensor([[2.0, -1.0, 0.5], [1.0, 3.0, 0.25]])
N = torch.ones_like(A)
N = torch.zeros_like(A, requires_grad=True)
N = A.detach().clone().requires_grad_()
N = torch.empty_like(A).fill_(0.5)
N = torch.tensor(A.tolist(), dtype=A.dtype, requires_grad=True)
N = A.new_ones(3)
"""

COMPUTE = """
N = A * B
N = A + B
N = A - B
N = A / B
N = A * A
N = A * 2
N = 1 / A
N = A.sin()
N = A.exp()
N = A.sigmoid()
N = A.tanh()
N = A.relu()
N = A.square()
N = A.pow(2)
N = A.pow(3)
N = A.abs()
N = A.sqrt()
N = -A
N = A.sum()
N = A.sum(D)
N = A.sum(D, keepdim=True)
N = A.mean()
N = A.prod()
N = A.prod(D)
N = A.cumsum(D)
N = A.norm()
N = A.amax(D)
N = A.max(D).values
N, M = A.sort(D)
N = A.softmax(D)
N = A.log_softmax(D)
N = torch.where(A > 0, A, B)
N = torch.where(A > 0, A.log(), A * 0)
N = torch.where(A > 0, A.sqrt(), 0.0)
N = A @ B
N = A.outer(B)
N = torch.cat([A, A * 2])
N = torch.stack([A, E], D)
N = A.clone()
N = A.double()
N = A.float()
N = A.to(torch.complex64)
N = A.to(torch.bfloat16)
N = A.long()
N = A > 0
N = A.index_select(D, torch.tensor([0, 0]))
N = A[[0, -1]]
N = A[A > 0]
N = A.gather(D, torch.zeros_like(A, dtype=torch.long))
N = A.clamp(-0.5, 1.0)
N = A.clamp(min=E)
N = torch.maximum(A, B)
N = nn.functional.elu(A)
N = nn.functional.leaky_relu(A)
N = nn.functional.threshold(A, 0.1, 2.0)
N = nn.functional.mse_loss(A, E)
N = torch.addmm(A, B, B)
N = A.lerp(E, 0.25)
N = A.var()
N = A.std(D)
N = A.logsumexp(D)
N = A.cumprod(D)
N = torch.atan2(A, B)
N = A ** B
N = A.contiguous()
N = A.flip(D)
N = A.tril()
N = A.repeat(2, 1)
N = A.masked_fill(A > 0, 2.0)
N = A.index_add(D, torch.zeros(A.shape[D], dtype=torch.long), E)
N = A.scatter(D, torch.zeros_like(A, dtype=torch.long), 2.0)
N = A.scatter_add(D, torch.zeros_like(A, dtype=torch.long), E)
N = torch.polygamma(1, A)
N = A.abs().sum()
N = (A * A).sum()
N = A.angle()
N = A.dist(E)
N = A.median()
"""

VIEWS = """
N = A.view(-1)
N = A[0]
N = A[..., :1]
N = A[..., None]
N = A.t()
N = A.mT
N = A.unsqueeze(0)
N = A.squeeze()
N = A.expand(2, *A.shape)
N = A.diagonal()
N = A.narrow(D, 0, 1)
N = A.select(D, 0)
N = A.detach()
N = A.data
N = A.view_as(A)
N = A.reshape(-1)
N = A[:]
N = A.real
N = torch.view_as_real(A)
N = A.conj()
N, *M = A.unbind(D)
N, *M = A.split(1, D)
N, M = A.split([1, A.shape[D] - 1], D)
N = A.unbind(D)[0]
N = A.chunk(2, D)[0]
N = A.as_strided(A.shape, A.stride())
N = A.movedim(0, D)
N = A.unfold(D, 1, 1)
N = torch.broadcast_to(A, (2, *A.shape))
N = A.flatten()
N = A.ravel()
N = A.alias() if hasattr(A, "alias") else A.view(A.shape)
"""
