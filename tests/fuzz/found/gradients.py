"""Gradients, flags and hooks: programs that once gave results different from PyTorch's."""

FOUND = {
    "gradient as its own start": """
        a = torch.zeros(0, 3, requires_grad=True)
        a.backward(gradient=a)
    """,
    "gradient in the order of its leaf": """
        a = torch.arange(6.).reshape(2, 3).t().requires_grad_()
        a.sum().backward()
    """,
    "leaf that stopped requiring grad": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a * 0.5
        a.requires_grad_(False)
        b.backward(gradient=a)
    """,
    "flag of a non-leaf": """
        a = torch.ones(2, requires_grad=True) * 2
        a.requires_grad = True
        a.requires_grad = False
        b = torch.ones(2, dtype=torch.int64)
        b.requires_grad = True
        b.requires_grad_()
    """,
    "gradient of the gradient's own start": """
        a = torch.ones(2, requires_grad=True)
        a.backward(gradient=a, create_graph=True)
        b = a.grad
        c = torch.ones(2, requires_grad=True)
        (c * c).sum().backward(create_graph=True)
        d = c.grad
    """,
    "inputs that lead nowhere": """
        a = torch.tensor(2.0, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            c = a.view(1)
        (b * c).sum().backward(retain_graph=True, inputs=[c])
        (b * c).sum().backward(inputs=[a, c])
    """,
    "gradient with a history given to what is asked for": """
        a = torch.zeros(0, requires_grad=True)
        b = a.squeeze(0)
        b.backward(gradient=a, inputs=[b])
    """,
    "retained gradient of several passes": """
        a = torch.ones(2, requires_grad=True) * 2
        a.sin().sum().backward(create_graph=True, inputs=[a])
        b = a.grad
        c, = torch.autograd.grad((a * 5).sum(), [a])
        d = a.grad
    """,
    "gradient asked for of another piece": """
        a = torch.arange(4.).reshape(2, 2).requires_grad_()
        b, c = (a * 2).split([1, 1])
        b.retain_grad()
        d, = torch.autograd.grad(b.sin().sum(), [c], allow_unused=True)
    """,
    "hook where there is no gradient": """
        a = torch.arange(4.).reshape(2, 2).requires_grad_()
        b, c = (a * 2).split([1, 1])
        c.register_hook(lambda g: log.append(torch.tensor(g is None)))
        b.sin().sum().backward()
        d, e = (a * 2).split([1, 1])
        d.register_hook(lambda g: torch.ones(1))
        e.sum().backward()
    """,
    "gradients of gradients in inference mode": """
        a = torch.ones(1, requires_grad=True)
        with torch.inference_mode():
            a.backward(gradient=a, create_graph=True)
    """,
    "input that the pass does not reach": """
        a = torch.tensor([2.0, 1.5], requires_grad=True)
        b = 1.5 / a
        c = b.unsqueeze(0)
        (a * a).sum().backward(inputs=[b])
        c.sin().sum().backward(retain_graph=True)
    """,
    "hook of a leaf that only the graph holds": """
        a = torch.ones(3, requires_grad=True)
        a.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.clone()))
        b = a / 0.5
        a = torch.ones(3)
        b.backward(gradient=a)
    """,
    "cut off outside of inference mode": """
        a = torch.ones(2, 3)
        with torch.inference_mode():
            b = a.prod(0)
        c = b.view(1, 3)
        c.detach_()
    """,
    "leaf that got a history": """
        a = torch.tensor([-1.0, 2.0], requires_grad=True)
        b = torch.tanh(a)
        a.detach_()
        a.add_(b)
        b.sum().backward()
    """,
    "hook of what a pass begins with": """
        a = torch.ones(2, requires_grad=True)
        a.register_hook(lambda g: log.append(g.detach().clone()))
        b = torch.ones(2, requires_grad=True)
        a.backward(gradient=torch.ones(2), inputs=[b])
    """,
    "largest of no complex numbers that require grad": """
        a = torch.zeros((0, 3), dtype=torch.complex64, requires_grad=True)
        b = a.amax(1)
        c = a.amin(1)
        d = a.cummax(1)
        e = a.softmax(1)
        f = a.log_softmax(1)
        g = torch.nan_to_num(a)
        a.nan_to_num_()
    """,
    "gradient given as a view that must not be used": """
        a = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
        with torch.inference_mode():
            b = a.chunk(2, 0)[-1]
        c = torch.reciprocal(b)
        b.detach().add_(0.5)
        c.backward(gradient=b)
    """,
    "derivative of a gradient that only chooses": """
        a = torch.tensor([1.5, 0.0, -0.25, 3.0], requires_grad=True)
        b, = (g.clone() for g in torch.autograd.grad(a.amax(), [a], create_graph=True))
        c, = (g.clone() for g in torch.autograd.grad(a.clamp(-1, 1).sum(), [a], create_graph=True))
        d, = (g.clone() for g in torch.autograd.grad(a.sort()[0].sum(), [a], create_graph=True))
        e, = (g.clone() for g in torch.autograd.grad(torch.maximum(a, a * 2).sum(), [a], create_graph=True))
        f = torch.tensor(2.0, requires_grad=True)
        g, h = (g.clone() for g in torch.autograd.grad((a.amax() * f).sum(), [a, f], create_graph=True))
    """,
    "derivatives of several gradients of one operator": """
        a = torch.ones(2, 2, requires_grad=True)
        b = torch.ones(2, 2, requires_grad=True)
        c = torch.addcmul(a, b, b)
        d, e = (g.clone() for g in torch.autograd.grad(c.sum(), [a, b], create_graph=True))
        f, g = (g.clone() for g in torch.autograd.grad(torch.fmod(a, b).sum(), [a, b], create_graph=True))
    """,
    "second derivative of a complex modulus at zero": """
        a = torch.tensor([[0j, 1+2j, -0.5j]], requires_grad=True)
        b, = (g.clone() for g in torch.autograd.grad(a.abs().sum(), [a], create_graph=True))
        b.backward(gradient=torch.ones_like(b) * (1 + 2j))
    """,
    "product with an infinite factor": """
        a = torch.tensor([[1.5, 0.0, -0.25]], requires_grad=True)
        b = 1 / a
        c = b.prod(0)
        c.backward(gradient=c)
        d = torch.tensor([[inf, 2.0, 0.0], [3.0, -inf, 1.0]], requires_grad=True)
        d.prod(1).sum().backward()
    """,
    "several values assigned to one place": """
        a = torch.arange(12, dtype=torch.float32).reshape((2, 3, 2)).requires_grad_()
        b = a[None, torch.tensor([0])]
        b[torch.tensor([[0], [0]]), torch.tensor([0])] *= 3
        b.sin().sum().backward()
    """,
    "gradient of what has a zero gradient whatever comes": """
        a = torch.full((2, 2), 3.0, requires_grad=True)
        b = torch.sign(a)
        b.backward(gradient=a, create_graph=True)
        c, = (g.clone() for g in torch.autograd.grad((a.floor() * a).sum(), [a], create_graph=True))
        d, = (g.clone() for g in torch.autograd.grad((a.round() * a.trunc()).sum(), [a], create_graph=True))
    """,
    "product of a tensor without dims": """
        a = torch.tensor(0.5, dtype=torch.bfloat16, requires_grad=True)
        b, = (g.clone() for g in torch.autograd.grad(a.prod(), [a], create_graph=True))
        c = a * 1
        d = c.prod(0)
        a.prod().backward(retain_graph=True)
        c.add_(1)
        d.backward()
    """,
    "part without elements, after a write elsewhere": """
        a = torch.arange(4)
        b = torch.zeros((0, 3), requires_grad=True)
        c = b.view_as(b)
        d = b.view((0, 1))
        a.clamp_(-1, 1)
        c.sin().sum().backward()
        d.sin().sum().backward()
    """,
    "hook of a leaf that stopped requiring grad": """
        a = torch.ones(3, requires_grad=True)
        a.register_post_accumulate_grad_hook(lambda t: log.append(torch.tensor(t.grad is None)))
        b = a * 2
        a.requires_grad_(False)
        (b * b).sum().backward()
    """,
    "gradient added to memory that repeats": """
        a = torch.ones(2, 3, requires_grad=True)
        a.grad = torch.ones(3).expand(2, 3)
        (a * a).sum().backward()
    """,
    "hook of what is asked for, where the pass goes on": """
        a = torch.ones((2, 2), requires_grad=True)
        b = a * 3
        b.register_hook(lambda g: g * 2)
        c, d = (g.clone() for g in torch.autograd.grad((b * b).sum(), [b, a], retain_graph=True))
        e, = (g.clone() for g in torch.autograd.grad((b * b).sum(), [b]))
    """,
    "detached in place, then written to": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        b = a * a
        c, = (g.clone() for g in torch.autograd.grad(b.sin().sum(), [a], create_graph=True))
        b.detach_()
        b.unfold(0, 3, 1).tanh_()
        torch.autograd.grad(c.sin().sum(), [a, c], create_graph=True)
    """,
    "derivative of a write of no elements": """
        a = torch.ones(2, requires_grad=True)
        b = a[1]
        c = torch.ones(2, 3)
        c[0:0] *= b
        d, = (g.clone() for g in torch.autograd.grad(c.sin().sum(), [a], create_graph=True))
    """,
    "writes to a gradient, counted from its birth": """
        a = torch.full((3, 2), 1.25, requires_grad=True)
        a.backward(gradient=torch.ones_like(a))
        a.detach_()
        b = a.grad
        b.zero_()
        c = b.t()
        c.mul_(2)
    """,
    "version of what is made of an inference tensor": """
        a = torch.full((2, 3), -0.5j)
        with torch.inference_mode():
            b = torch.sub(a, a, alpha=2)
        b = b.abs()
        b.add_(1)
    """,
    "hooks of what stopped requiring grad for a while": """
        a = torch.ones(3, requires_grad=True)
        a.register_hook(lambda g: g * 2)
        b = a * 3
        a.requires_grad_(False)
        a.requires_grad_()
        (a * a).sum().backward()
        c = torch.ones(3, requires_grad=True) * 2
        c.register_hook(lambda g: g * 5)
        c.retain_grad()
        c.detach_()
        c.requires_grad_()
        c.register_hook(lambda g: g + 1)
        c.sin().sum().backward()
        b.sum().backward()
    """,
    "hooks of what was written to while it required no grad": """
        a = torch.ones(3, requires_grad=True)
        a.register_hook(lambda g: g * 2)
        b = torch.ones(3, requires_grad=True) * 2
        a.requires_grad_(False)
        a.add_(b)
        a.detach_()
        a.requires_grad_()
        a.sin().sum().backward()
    """,
    "gradient added to one of another shape": """
        a = torch.ones(2, 2, 2, requires_grad=True)
        a.sin().sum().backward()
        a.grad.as_strided_((1,), (1,), 1)
        a.sin().sum().backward()
        a.grad.resize_(3).fill_(1)
        a.sin().sum().backward()
    """,
}
