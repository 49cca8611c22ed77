"""Programs with in-place shape changes whose results once differed from PyTorch's."""

FOUND = {
    "shape changed in place": """
        a = torch.ones(2, 3, requires_grad=True) * 2
        b = a[0]
        a.t_()
        c = a[0]
        a.mul_(2)
        b.add_(1)
        c.add_(a[1][0])
        a.unsqueeze_(0)
        a.squeeze_()
        (a * a).sum().backward()
    """,
    "shape of a leaf changed in place": """
        a = torch.arange(6.).reshape(2, 3).clone().requires_grad_()
        with torch.no_grad():
            a.t_()
            a.mul_(2)
        b = a[0]
        with torch.no_grad():
            a.mul_(2)
        (b * b).sum().backward()
    """,
    "shape changed in place before the flag": """
        a = torch.tensor([[1.5, 0.0, -0.25]])
        a.unsqueeze_(0)
        b = a[-2:, :0, -2:]
        a.requires_grad_()
    """,
    "shape of a leaf that must not change": """
        a = torch.ones(2, 3, 1, requires_grad=True)
        a.t_()
        a.squeeze_()
    """,
    "leaf seen in another shape stays one when its memory is written to": """
        e = torch.tensor([1.5, 0.0, -0.25])
        e.as_strided_((1,), (1,), 0)
        e.requires_grad = True
        c = e.squeeze(0)
        with torch.no_grad():
            c.fill_(2)
    """,
    "shape changed after memory was left": """
        a = torch.tensor([4, 2, 0])
        a.unsqueeze_(1)
        a.set_(a)
        c = a.transpose(0, 0)
        c.resize_(3).fill_(1)
        a.as_strided_((1,), (1,), 1)
    """,
    "cut off after its own shape was changed": """
        a = torch.zeros(4, requires_grad=True)
        c = a * a
        c.squeeze_()
        c.detach_()
        g = c.reshape(4)
        h = g * a
        h.sum().backward()
    """,
    "cut off and written to after its own shape was changed": """
        a = torch.ones(3, 2, requires_grad=True)
        c = a * a
        v = c[1]
        c.t_()
        c.detach_()
        w = c[1]
        c.add_(1)
    """,
    "alias without history written to after a change of shape": """
        a = torch.ones(3, 2, requires_grad=True).t()
        b = a + a
        b.transpose_(0, 1)
        b.detach().add_(2)
    """,
    "a saved result that changes its shape": """
        a = torch.ones(2, 3, requires_grad=True)
        c = torch.sqrt(a)
        c.t_()
        c.backward(gradient=torch.ones(3, 2))
    """,
    "dims of size one of a result with a number": """
        a = torch.ones(3, 1).t()
        g = 0.5 + a
        b = g.movedim(1, 1)
        b.view(3, 1).mul_(g)
    """,
    "saved tensor whose shape was changed in place": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * 1
        c = b * b
        b.t_()
        c.sum().backward()
    """,
    "saved view whose shape was changed in place": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = (a * 1).view(3, 2)
        c = b * b
        b.t_()
        c.sum().backward()
    """,
    "saved after its shape was changed, then written to": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * 1
        b.t_()
        c = b * b
        b.zero_()
        c.sum().backward()
    """,
    "saved after its shape was changed, then written to through an alias": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * 1
        b.unsqueeze_(0)
        c = b.sin()
        b.detach().mul_(2)
        c.sum().backward()
    """,
    "shape of a view changed without gradients": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * 1
        c = b.view(3, 2)
        c[0] = 3
        with torch.no_grad():
            c.t_()
        (c * c).sum().backward()
    """,
    "saved result that changes its shape as a view": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = (a * 1).unsqueeze(0)
        b.exp_()
        b.squeeze_()
        b += 1
        b.sum().backward()
    """,
    "flag taken back after a change of shape": """
        a = torch.tensor([[0.0, -0.25, 3.0]])
        a.as_strided_((1,), (1,), 1)
        a.requires_grad_()
        a.requires_grad_(False)
        a.squeeze_()
    """,
    "shape of what has a history changed without gradients": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            b.t_()
        b.sum().backward()
        b.backward(gradient=torch.ones(3, 2))
        c = a.sin()
        with torch.no_grad():
            c.unsqueeze_(0)
        d = c * 2
        d.sum().backward()
        e = torch.ones(2, 1, requires_grad=True) * 2
        with torch.no_grad():
            e.as_strided_((2, 2), (1, 0))
        e.retain_grad()
        (e * torch.arange(4.).view(2, 2)).sum().backward()
        f = torch.ones(2, 2, requires_grad=True) * torch.arange(4.).view(2, 2)
        with torch.no_grad():
            f.t_()
        (f * torch.arange(4.).view(2, 2)).sum().backward()
    """,
    "derivatives through a shape changed without gradients": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            b.unsqueeze_(0)
        c, = (g.clone() for g in torch.autograd.grad(b.sin().sum(), [b], create_graph=True))
        d, = (g.clone() for g in torch.autograd.grad(b.sin().sum(), [a], create_graph=True))
        d.sum().backward()
    """,
    "gradient for a base whose own shape was changed": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * a
        c = b[0]
        b.t_()
        log += torch.autograd.grad((c * c).sum(), [b, c], retain_graph=True)
        c.mul_(3)
        log += torch.autograd.grad((c * c).sum(), [b, c], retain_graph=True)
        b.mul_(2)
        (b * b).sum().backward(retain_graph=True)
        (c * c).sum().backward()
    """,
    "gradient for a base that shows less of its memory than before": """
        a = torch.arange(12.).reshape((2, 3, 2)).requires_grad_()
        b = a + a
        c = b.tensor_split(2, 0)[-1]
        d = c.reshape((1, 6))
        b.as_strided_((1,), (1,), 1)
        log += torch.autograd.grad((d * d).sum(), [b, d], retain_graph=True)
        (c * c).sum().backward()
    """,
    "gradient for a base that shows places of its memory twice": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * a
        c = b[0]
        b.as_strided_((2, 2), (1, 1), 1)
        log += torch.autograd.grad((c * c).sum(), [b, c], retain_graph=True)
        (c * c).sum().backward()
        f = torch.arange(3.).requires_grad_() * 2
        g = f[1:]
        f.as_strided_((2, 2), (0, 1), 1)
        log += torch.autograd.grad((g * g).sum(), [f, g], retain_graph=True)
    """,
    "write to a view whose base shows some of it": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * a
        c = b[0]
        b.as_strided_((4,), (1,), 0)
        c.mul_(3)
        log += torch.autograd.grad((c * c).sum(), [b, c], retain_graph=True)
        (b * b).sum().backward()
    """,
    "write to a view that begins before its base": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * a
        c = b[0]
        b.as_strided_((2,), (1,), 2)
        c.mul_(3)
        c.sum().backward()
    """,
    "write to a view that ends after its base": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = a * a
        c = b[0]
        b.as_strided_((2,), (1,), 0)
        c.mul_(3)
        c.sum().backward()
    """,
    "memory order of a number and a tensor with dims of size one": """
        a = torch.ones(2, 1, 3).mT
        b = (1.5 - a)[..., 1:]
        c = (a % 2)[..., 1:]
        d = torch.fmod(a, 2)[..., 1:]
        e = (2 ** a)[..., 1:]
        f = (2 ** a.T)
        g = (a ** 2.5)[..., 1:]
        h = a.clamp(min=2)[..., 1:]
    """,
}
