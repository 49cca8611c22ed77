"""Templates of in-place writes."""

IN_PLACE = """
A.mul_(2)
A.add_(1)
A.add_(B)
A.mul_(B)
A.sub_(B, alpha=2)
A.div_(2)
A += B
A *= B
A.exp_()
A.sin_()
A.relu_()
A.sigmoid_()
A.tanh_()
A.neg_()
A.zero_()
A.fill_(0.5)
A.copy_(B)
A.copy_(E)
A[0] = 1.5
A[0] = B
A[..., 0] = 2.0
A[..., :1] = A[..., 1:2]
A[A > 0] = 0.5
A[[0, -1]] = 0.25
A.index_put_((torch.tensor([0]),), torch.tensor(2.0, dtype=A.dtype))
A.index_put_((torch.tensor([0, 0]),), torch.tensor(2.0, dtype=A.dtype), accumulate=True)
A.masked_fill_(A > 0, 0.5)
A.masked_scatter_(A > 0, E * 1)
A.scatter_(D, torch.zeros_like(A, dtype=torch.long), 2.0)
A.scatter_add_(D, torch.zeros_like(A, dtype=torch.long), E)
A.index_fill_(D, torch.tensor([0]), 0.5)
A.index_add_(D, torch.tensor([0]), A.narrow(D, 0, 1) * 2)
A.index_copy_(D, torch.tensor([0]), A.narrow(D, 0, 1) * 2)
A.clamp_(-0.5, 1.0)
A.clamp_(min=0)
A.pow_(2)
A.square_()
A.sqrt_()
A.abs_()
A.addcmul_(E, E)
A.lerp_(E, 0.5)
A.cumsum_(D)
A.detach_()
A.requires_grad_()
A.requires_grad_(False)
A.t_()
A.unsqueeze_(0)
A.squeeze_()
A.tril_()
A.where_(A > 0, E) if hasattr(A, "where_") else None
nn.functional.relu(A, inplace=True)
nn.functional.elu_(A, 0.5)
nn.functional.elu_(A, -0.5)
nn.functional.celu_(A, 0.5)
nn.functional.celu_(A, -0.5)
nn.functional.leaky_relu_(A, 0.1)
nn.functional.leaky_relu_(A, -0.1)
nn.functional.rrelu_(A, 0.25, 0.25)
nn.functional.rrelu_(A, -0.25, -0.25)
nn.functional.threshold_(A, 0.1, 2.0)
nn.functional.hardtanh_(A)
nn.functional.silu(A, inplace=True)
A.data.mul_(2)
A.data = E.detach().clone()
A.data = A.detach().double()
A.data = I
A.set_data(E.detach()) if hasattr(A, "set_data") else None
A.detach().add_(1)
torch.mul(A, B, out=E)
torch.exp(A, out=E)
"""
