"""Views and their gradient graphs: programs that once gave results different from PyTorch's."""

FOUND = {
    "view of a leaf under no_grad requires grad": """
        a = torch.ones(3, 2, requires_grad=True)
        with torch.no_grad():
            b = a[0]
        c = b * 2
        c.sum().backward()
    """,
    "view of a leaf under no_grad has no gradient to start": """
        a = torch.ones(3, 2, requires_grad=True)
        with torch.no_grad():
            b = a[0]
        b.backward(torch.ones_like(b))
    """,
    "view under no_grad written to": """
        a = torch.ones(3, 2, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            c = b[0]
        c.mul_(2)
        d = c[0]
        d.mul_(2)
    """,
    "view under no_grad used after a write to its base": """
        a = torch.ones(3, 2, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            c = b[0]
        b.mul_(2)
        d = c * 2
        with torch.no_grad():
            d = c * 2
        e = c[0]
        f = c.detach()
    """,
    "view in inference mode written to": """
        a = torch.ones(3, requires_grad=True)
        with torch.inference_mode():
            b = a.view(3, 1)
        b.mul_(2)
    """,
    "view under no_grad of a view of a plain tensor": """
        a = torch.arange(4.).reshape(2, 2).requires_grad_()
        b = a[-2:]
        with torch.no_grad():
            c = b[1][None]
    """,
    "flag of a view whose base was written to": """
        torch.set_grad_enabled(False)
        a = torch.zeros(3, 2)
        b = a.diagonal()
        b.fill_(1)
        b.requires_grad_()
    """,
    "views of one function must not be written to": """
        a = torch.ones(4, 3, requires_grad=True)
        b, c = (a * 1).split(2)
        b.add_(1)
        c[0].add_(1)
        d = (a * 1).unbind(1)[2]
        d.zero_()
    """,
    "views of one function after a write to their base": """
        a = torch.ones(4, 3, requires_grad=True) * 2
        b, c = a.split([1, 3])
        a.mul_(2)
        d = c + 1
    """,
    "outputs of one node": """
        a = torch.ones(4, 3, requires_grad=True)
        b, c = a.split([1, 3])
        (c * 2).sum().backward()
        d, e = a.unbind(1)[:2]
        (d * e).sum().backward()
    """,
    "node of a view after a write": """
        a = torch.ones(2, 3, requires_grad=True) * 2
        b = a[0]
        c = b.t()
        a.mul_(3)
        c.add_(1)
        c.sum().backward()
    """,
    "node of a view after a write without gradients": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a.t()[1]
        with torch.no_grad():
            a.add_(1)
        (b * b).sum().backward()
    """,
    "view keeps its history when its base lets go of it": """
        a = torch.ones(2, 3, requires_grad=True)
        b = a * 2
        c = b[0]
        b.detach_()
        c.sum().backward()
    """,
    "base that begins to require grad": """
        a = torch.ones(2, 3)
        b = a[0]
        a.requires_grad_()
        c = b * 2
        c.sum().backward()
    """,
    "whole slice": """
        a = torch.ones(3, requires_grad=True)
        b = a[:]
        c = a[2][::2]
        d = a[...]
    """,
    "gradient for a view that lost its history": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        b = a * 3
        c, d = b.chunk(2)
        with torch.no_grad():
            b.mul_(2)
        e, = torch.autograd.grad((b * b).sum(), [c], allow_unused=True)
    """,
    "strided view of everything": """
        a = torch.ones(3, requires_grad=True) * 2
        b = a.as_strided((3,), (1,))
        b.mul_(2)
        b.sum().backward()
    """,
    "strided views under no_grad": """
        a = torch.zeros(3, 2, requires_grad=True)
        with torch.no_grad():
            b = a.as_strided((2, 2), (1, 1), 0)
        c = a.as_strided((2,), (2,), 1)
        d = c.as_strided((3,), (1,), 0)
        (c * d[:2]).sum().backward()
    """,
    "strided view of another dtype's memory": """
        a = torch.tensor([1 + 2j, -0.5j, 0.5 - 1j], dtype=torch.complex64)
        a.squeeze_()
        b = a.real
        c = b.as_strided((6,), (1,))
        c.mul_(2)
    """,
    "flag raised on a piece whose memory was written to": """
        a = torch.ones(2, 3, requires_grad=True)
        f = a * 3
        b = f.mT
        c, e = f.split([1, 2], 1)[:2]
        b.masked_fill_(b > 0.3, 0.5)
        c.requires_grad_()
    """,
    "frozen views of what lost its history": """
        a = torch.ones(3, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            c = b.reshape(3, 1)
            d = a.as_strided((1,), (1,), 0)
        b.detach_()
        e = c.permute(1, 0)
        a.requires_grad_(False)
        d -= 1
    """,
    "flag raised on a view that must not be used": """
        a = torch.ones(2, 3, requires_grad=True)
        torch.set_grad_enabled(False)
        with torch.inference_mode():
            c = a.diagonal(1, 1, 0)
        a.sin_()
        c.requires_grad = True
        b = a.select(0, 1)
        d = b.view(-1)
        a.scatter_(0, torch.zeros((1, 1), dtype=torch.int64), torch.ones(1, 1))
        d.retain_grad()
    """,
    "strided view in inference mode": """
        a = torch.ones(2, 2, requires_grad=True)
        with torch.inference_mode():
            b = a.as_strided((2,), (2,), 1)
        b.zero_()
    """,
    "reshaped where memory has another order": """
        a = torch.ones(3, 2, requires_grad=True)
        b = a.unfold(1, 1, 2)
        c = b.reshape(1, 3)
        d = a.t().reshape(2, 1, 3)
        e = a[:, :1].flatten()
        (c.sum() + d.sum() + e.sum()).backward()
    """,
    "pieces of what was seen in another shape": """
        a = torch.tensor([[1, 6], [4, 2]])
        a.t_()
        c, a = a.chunk(2, -1)[:2]
        b = torch.ones(2) @ torch.ones(2, 3)
        b.add_(1)
    """,
    "strided view of a view": """
        a = torch.tensor([[-1.0, 2.0, 1.5]], requires_grad=True)
        c = a.select(1, 1)
        d = c.as_strided((), (), 0)
        d.backward(gradient=d)
        e = a.expand(2, 3).as_strided((3,), (1,), 0)
        f = e * 2
        f.sum().backward()
    """,
    "first write to a view that nobody has looked at since": """
        b = torch.tensor(2.0, requires_grad=True)
        c = torch.ones(2, 3) + 1
        c[0][:] *= b
        d = c * 1
    """,
    "index out of range of a view that must not be used": """
        a = torch.zeros(0, requires_grad=True)
        b = a.split([0, 0])[1]
        a.detach().add_(3)
        c = b.select(0, 0)
    """,
    "view of another dtype after a write to its base": """
        a = torch.full((2, 3), 1 + 2j, requires_grad=True)
        b = torch.view_as_real(a)
        c = a.real.t()
        with torch.no_grad():
            a.sub_(1)
        (b.sum() + c.sum()).backward()
    """,
    "frozen view compared after a write": """
        a = torch.ones(1, 3, requires_grad=True)
        with torch.no_grad():
            b = a[0, ::2]
        c = b.unfold(-1, 2, 1)
        with torch.no_grad():
            b[-1] += 0.5
        c.masked_fill_(c > 0.3, 2)
        d = c == c
        e = c * c
    """,
    "view without gradients of a view in inference mode": """
        a = torch.tensor([2.0, 1.5], requires_grad=True)
        with torch.inference_mode():
            b = a[:]
        with torch.no_grad():
            c = b.narrow(0, 0, 1)
            d = b.as_strided((1,), (1,), 0)
            a.square_()
        c.mul_(2)
        d.mul_(2)
    """,
    "piece of a view made in inference mode": """
        a = torch.ones(2, 1, 3, requires_grad=True) * 1
        with torch.inference_mode():
            b = a[-2:]
        c = b.split([0, 1], -2)[-1]
        d = b.unbind(0)[1]
        d.add_(1)
        with torch.no_grad():
            b.mul_(2)
    """,
    "second write to a view that has got a history": """
        a = torch.ones(1, requires_grad=True)
        b = torch.ones(3, 2).t()
        b.mul_(a)
        b.clamp_(-1, 1)
        b[b > 0.3] *= a
        b.add_(1)
    """,
    "arguments of a view that must not be used": """
        a = torch.ones(2, 1, 3, requires_grad=True)
        b = a.split([0, 1], 1)[-1]
        with torch.no_grad():
            a[0][-1] = 0.5
        c = b.t()
        c = b.view(7)
        c = b.reshape(7)
        c = b.select(4, 0)
        c = b.movedim(0, 7)
        c = b.split(9, 7)
        c = b.split([1, 7], 0)
        c = b.unbind(9)
        c = b.chunk(2, 9)
        c = b.as_strided((1,), (1, 2))
        c = b.as_strided((100,), (1,))
        c = b[9]
        c = b[torch.tensor([9])]
        c = b.flip(9)
        c = b.roll(1, 9)
    """,
    "an operand that must not be used, of memory that is written to": """
        a = torch.arange(1, dtype=torch.float32).reshape(()).requires_grad_()
        d = -1 * a
        b = d.expand(2)
        c = b.unbind(-1)[0]
        b[1, ...] += 1
        d.unsqueeze(0).mul_(c)
    """,
    "views of results without elements": """
        a = torch.ones((3, 0)).t()
        b, c = (a - 1.5).tensor_split([1], 1)
        d = (a + 1.5).select(1, 2)
        e = (0.5 * a)[None, :-1, -1]
        f = (torch.ones((0, 1)) + 1).select(1, 0)
        g = a.roll(1, 0).select(1, 2)
    """,
    "flag of a view that must not be used": """
        a = torch.ones((2, 2), requires_grad=True).t()
        with torch.inference_mode():
            b, c = a.tensor_split([1], 1)
        d = c.flatten()
        with torch.inference_mode():
            a[torch.tensor(1)] *= -1
        d.retain_grad()
    """,
    "history of a view written through before its base was cut off": """
        a = torch.tensor([[0.0, -0.25], [3.0, 1.0]], requires_grad=True)
        b = a * 1
        c = b.as_strided((4,), (1,), 0)
        d = b[0]
        c.square_()
        b.detach_()
        e, = (g.clone() for g in torch.autograd.grad((c * c).sum(), [a], retain_graph=True))
        f = d * 2
    """,
    "repeated view of a view made in inference mode": """
        a = torch.ones(3, requires_grad=True)
        b = a @ a
        with torch.inference_mode():
            d = b.view(b.shape)
        d.expand(2).fill_(-1)
        d.expand(2).zero_()
    """,
    "no pieces of a view that must not be used": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a.as_strided((1,), (1,))
        with torch.no_grad():
            c = b.narrow(0, 1, 0)
        b.detach().add_(1)
        d = c.unbind(0)
    """,
    "indexed in the midst of dims that lie in another order": """
        b = torch.arange(200.0).as_strided((1, 2, 3), (1, 2, 8))[:, torch.tensor([1, 0])]
        c = torch.arange(200.0).as_strided((1, 1, 2), (2, 1, 8))[:, torch.tensor([[0, 0], [0, 0]]).t()]
    """,
}
