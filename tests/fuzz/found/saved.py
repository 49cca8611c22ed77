"""Overwritten tensors saved for backward: programs that once gave results different from PyTorch's."""

FOUND = {
    "write to the rows that are added": """
        h = torch.ones((2, 2), requires_grad=True).t()
        a = h * h
        a.index_add_(0, torch.tensor([1]), a[:1])
        a.backward(torch.ones_like(a))
    """,
    "write to the rows that are copied": """
        h = torch.ones((2, 2), requires_grad=True)
        a, b = h * h, h * 2
        a.index_copy_(0, torch.tensor([1]), b[:1])
        b.add_(1)
        a.backward(torch.ones_like(a))
    """,
    "write to rows that are added without a gradient": """
        h = torch.ones((2, 2), requires_grad=True)
        a, b = h * h, torch.ones(2, 2)
        a.index_add_(0, torch.tensor([1, 0]), b)
        b.add_(1)
        a.backward(torch.ones_like(a))
    """,
    "what was saved and then made smaller": """
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.arange(6.).reshape(2, 3)
        c = b[1] * 1
        d = b * a + c * a
        b.resize_((2,)).fill_(1)
        d.sum().backward()
    """,
    "what was saved and then enlarged": """
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.arange(6.).reshape(2, 3)
        c = b[1] * 1
        d = b * a + c * a
        b.resize_((4, 4)).fill_(1)
        d.sum().backward()
    """,
    "what was saved and then enlarged through a view": """
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.arange(6.).reshape(2, 3)
        c = b[1] * 1
        d = b * a + c * a
        b[0].resize_(9)
        d.sum().backward()
    """,
    "what was saved and then given other memory": """
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.arange(6.).reshape(2, 3)
        c = b[1] * 1
        d = b * a + c * a
        b.set_(torch.ones(2))
        d.sum().backward()
    """,
    "what was saved and of which an alias was then given other memory": """
        a = torch.ones(2, 3, requires_grad=True)
        b = torch.arange(6.).reshape(2, 3)
        c = b[1] * 1
        d = b * a + c * a
        b.detach().set_(torch.ones(2))
        d.sum().backward()
    """,
    "order in which saved tensors are looked at": """
        a = torch.full((2, 3), 0.5, requires_grad=True) * 2
        b = a @ a.t()
        a[None, :-1] += 0.5
        b.sum().backward()
    """,
    "sentence about a saved tensor of a dtype without a Python name": """
        a = torch.tensor([0.5, 1.0], dtype=torch.bfloat16, requires_grad=True)
        b = a * 1
        c = b * b
        b.add_(1)
        c.sum().backward()
    """,
    "backward twice through what needs nothing of its inputs": """
        x = torch.ones(2, 3, requires_grad=True)
        z = torch.full((2, 3), 0.5)
        y = torch.lerp(x, x * 2, 0.5) + x.fmod(2) + torch.addcmul(x, z, z)
        y.backward(gradient=z)
        y.backward(gradient=z)
        w = x.index_add(0, torch.tensor([0]), z[:1]) * x
        w.backward(gradient=z)
        w.backward(gradient=z)
    """,
    "result written through a view and overwritten": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a * 1
        b.view(3, 2).tanh_()
        c = b[0]
        c[1:] = 2
        c.backward(gradient=c)
        d = a * 1
        e = d[0]
        e.sigmoid_()
        d.add_(1)
        d.sum().backward()
        f = a * 1
        f[0] = a[1].exp()
        f.add_(1)
        f.sum().backward()
    """,
    "saved operand that is written to by its own operator": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a.repeat(2, 1)
        b.addcmul_(b, b)
        b.sin().sum().backward()
    """,
    "multiplied by itself": """
        a = torch.arange(6.).requires_grad_()
        b = a * 1
        b.add_(b)
        b.sum().backward()
        c = a * 1
        c *= c
        c.sum().backward()
    """,
    "saved view of one of several, written to": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b, c = (a * 1).split([1, 2], 1)
        d = c.mT.sin()
        b.detach().mul_(2)
        d.sum().backward()
    """,
    "saved and copied to": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * 1
        c = b * b
        b.copy_(a)
        c.sum().backward()
    """,
    "saved result written to through an alias": """
        a = torch.ones(3, requires_grad=True)
        b = a.exp()
        b.detach().mul_(2)
        b.sum().backward()
    """,
    "saved result of a part written to through an alias": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = (a * 1)[0]
        b.exp_()
        b.detach().mul_(2)
        b.sum().backward()
    """,
    "remainder twice": """
        a = torch.tensor([-3.0, 2.5, 1.0], requires_grad=True)
        b = a * 1
        c = b.remainder(2) + b % -1.5
        b.add_(1)
        c.sum().backward(retain_graph=True)
        c.sum().backward()
    """,
    "quotient twice": """
        a = torch.tensor([-3.0, 2.5, 1.0], requires_grad=True)
        b = a.div(2)
        b.sum().backward()
        b.sum().backward()
    """,
    "saved input before saved result": """
        a = torch.tensor([[-1.0, 2.0], [1.5, 0.0]], requires_grad=True)
        b = a.prod(1)
        b[:] *= 0.5
        a.detach()[0] = 0.5
        b.sum().backward()
    """,
    "what is run for nothing": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a / 3
        b.sum().backward()
        b.sin().sum().backward(inputs=[b])
    """,
    "backward twice through what has no elements": """
        a = torch.zeros((0, 3), requires_grad=True)
        b = a[[]]
        b.sum().backward()
        (b * b).sum().backward()
        c = a.index_select(1, torch.tensor([0, 2]))
        c.sum().backward()
        c.sum().backward()
        d = a * 2 + a.sin() - a.cumprod(0)
        d.sum().backward()
        d.sum().backward()
    """,
    "saved without elements and written to": """
        a = torch.zeros((0,), requires_grad=True)
        b = a.prod(0)
        with torch.no_grad():
            a *= 3
        b.backward()
    """,
    "backward twice through a part that was filled": """
        a = torch.tensor([-0.25, 3.0, 1.0, -2.0], requires_grad=True)
        b = a - a
        b[:3] = 0.5
        b.sum().backward()
        b.sum().backward()
        c = torch.ones(2, 3, requires_grad=True)
        with torch.no_grad():
            c.t_()
        d = c[0]
        d.sum().backward()
        d.sum().backward()
    """,
    "saved as results alone": """
        a = torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
        b = a * 1
        c = torch.linalg.inv(b) + torch.linalg.cholesky(b)
        d = torch.linalg.solve(b, a * 1)
        e = torch.copysign(a, b)
        f = torch.kron(b, b)
        with torch.no_grad():
            b.add_(0)
        c.sum().backward()
        e.sum().backward()
        f.sum().backward()
        d.sum().backward()
        g = torch.linalg.inv(a)
        g.add_(1)
        g.sum().backward()
    """,
    "a saved tensor that was detached in place": """
        a = torch.tensor(-0.5, dtype=torch.float32, requires_grad=True)
        b = a.mean()
        c = b * b
        e = b + 1
        b.detach_()
        e.sum().backward()
        (c * c).sum().backward()
        d = a.exp()
        f = d * 2
        d.detach_()
        f.backward()
    """,
    "gradient saved and overwritten": """
        a = torch.tensor([0.5, -1.0], requires_grad=True)
        b = torch.tensor([2.0, 3.0], requires_grad=True)
        a.backward(gradient=a, retain_graph=True)
        c = a @ a
        d = a.grad * b
        a.detach().add_(1)
        d.sum().backward()
        c.backward()
        e = b.grad * a
        b.sin().sum().backward()
        e.sum().backward()
    """,
    "copied, then one of both written to": """
        a = torch.tensor([0.5, -1.0], requires_grad=True)
        b = torch.tensor([2.0, 3.0], requires_grad=True)
        c = torch.ones(2)
        d = torch.ones(2)
        e = torch.ones(3)
        with torch.no_grad():
            c.copy_(a)
            d.copy_(c)
            e[:2] = c
        f = (b * a).sum() + (b * d).sum()
        g = b * c
        e.mul_(2)
        c.add_(1)
        f.backward()
        g.sum().backward()
    """,
    "saved, written to at an index, and let go": """
        a = torch.full((2, 2), 1.25, requires_grad=True)
        e = a @ a
        c = e * e
        e[torch.tensor([[0], [1]]), torch.tensor([0])] = 1
        e = a.sum()
        (c * a).sum().backward()
    """,
    "saved, written to more than once, and let go": """
        a = torch.full((2, 2), 1.25, requires_grad=True)
        e = a @ a
        c = e * e
        e.mul_(2)
        e.sin_()
        del e
        c.sum().backward()
    """,
    "saved, written to through a view, and let go": """
        a = torch.full((2, 2), 1.25, requires_grad=True)
        e = a @ a
        c = e * e
        e.mul_(2)
        e[0] = 1
        del e
        c.sum().backward()
    """,
    "saved, changed in its shape and written to, and let go": """
        a = torch.full((2, 2), 1.25, requires_grad=True)
        e = a @ a
        c = e * e
        e.unsqueeze_(0)
        e[0].mul_(2)
        del e
        c.sum().backward()
    """,
    "result written to more than once, and let go": """
        a = torch.full((2, 2), 1.25, requires_grad=True)
        e = a.exp()
        c = e * 1
        e.mul_(2)
        e[0] = 1
        del e
        c.sum().backward()
    """,
    "saved of a tensor that counts its own writes": """
        a = torch.ones(1, 3, requires_grad=True)
        a.data = a.data
        b = a[-2:]
        c = a * 3
        c.mul_(b)
        with torch.no_grad():
            a[0][:] = 1
        c.sum().backward()
    """,
    "saved of a tensor that was given other data and written to twice": """
        z = torch.ones(1, 3)
        z.mul_(2)
        a = torch.ones(1, 3, requires_grad=True)
        a.data = z
        c = a * a
        with torch.no_grad():
            a.mul_(2)
            a.mul_(2)
        c.sum().backward()
    """,
    "product of a matrix and a vector, both written to": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a * 1
        c = b.diagonal()
        d = b @ c
        e = c @ c
        f = c @ b
        c.detach().mul_(1)
        d.sum().backward(retain_graph=True)
        e.sum().backward(retain_graph=True)
        f.sum().backward(retain_graph=True)
        g = torch.ones(2, requires_grad=True) * 1
        h = g @ b.clone()
        g.detach().mul_(1)
        h.sum().backward()
    """,
    "leaf that stopped requiring grad and got a history": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        b = a @ a
        a.requires_grad_(False)
        a.addcmul_(b, b)
        b.backward(retain_graph=True)
        del a
        b.backward()
    """,
    "leaf that was detached in place and changed in its shape": """
        a = torch.tensor([-1.0], requires_grad=True)
        b = a @ a
        a.detach_()
        a.squeeze_()
        b.backward(retain_graph=True)
        del a
        b.backward()
    """,
    "result written to before its gradient was differentiated": """
        a = torch.tensor([0.25, 3.0, 1.0], requires_grad=True)
        b = a.prod(0)
        c, = (g.clone() for g in torch.autograd.grad(b.sum(), [a], create_graph=True))
        b.squeeze_()
        (c * c).sum().backward(retain_graph=True)
        d = a.exp()
        e, = (g.clone() for g in torch.autograd.grad(d.sum(), [a], create_graph=True))
        f = a.amax(0)
        g, = (g.clone() for g in torch.autograd.grad((f * f).sum(), [a], create_graph=True))
        d.mul_(2)
        f.detach().mul_(2)
        e.sum().backward()
        g.sum().backward()
    """,
    "saved of a tensor that was given other memory": """
        a = torch.tensor([0.5], requires_grad=True)
        b = a @ a
        a.detach_()
        a.set_(a)
        b.sum().backward(retain_graph=True)
        c = torch.ones(3)
        d = c.view(3)
        e = torch.ones(3, requires_grad=True)
        f = (c * e).sum()
        g = (d * e).sum()
        c.set_(torch.zeros(2, 2))
        f.backward()
        g.backward()
    """,
    "saved of a tensor that was resized": """
        a = torch.ones(3, requires_grad=True)
        b = torch.ones(3)
        c = torch.ones(3)
        d = (a * b).sum()
        e = (a * c).sum()
        b.resize_(5).fill_(1)
        c.resize_(2)
        d.backward()
        e.backward()
    """,
    "power that was written to": """
        a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        b = a ** a
        c = 2.5 ** a
        d = a ** 2.5
        b.detach().mul_(1)
        c.detach().mul_(1)
        d.detach().mul_(1)
        b.sum().backward()
        c.sum().backward()
        d.sum().backward()
    """,
    "norm written to before its gradient was differentiated": """
        a = torch.tensor([[0.25, 3.0], [1.0, 2.0]], requires_grad=True)
        b = a.norm(2, 0)
        c, = (g.clone() for g in torch.autograd.grad(b.sum(), [a], create_graph=True))
        d = torch.linalg.vector_norm(a, inf, 0)
        e, = (g.clone() for g in torch.autograd.grad((d * d).sum(), [a], create_graph=True))
        b.mul_(2)
        d.detach().mul_(2)
        c.sum().backward()
        e.sum().backward()
    """,
}
