"""Storage replaced by `data`, `set_` and `resize_`: programs that once gave results different from PyTorch's."""

FOUND = {
    "write to what was given other memory since it was saved": """
        f = torch.tensor([[-1.0, 2.0, 1.5]], requires_grad=True)
        a = torch.full((1, 3), 2.0)
        b = f * a
        a.data = torch.ones(1, 3)
        a[::2, 2] *= -1
        (f * b).sum().backward()
    """,
    "write to what was given other memory twice": """
        f = torch.tensor([-1.0, 2.0, 1.5], requires_grad=True)
        a = torch.full((3,), 2.0)
        a.data = torch.ones(3)
        b = f * a
        a.data = torch.zeros(3)
        a.add_(1)
        b.sum().backward()
    """,
    "write to a leaf that was given other memory": """
        f = torch.tensor([-1.0, 2.0, 1.5], requires_grad=True)
        b = f * f
        f.data = torch.zeros(3)
        with torch.no_grad():
            f.add_(1)
        b.sum().backward()
    """,
    "write to other memory through what lent it": """
        a = torch.zeros((2, 3, 2), requires_grad=True)
        b = torch.ones((2, 3, 2))
        a.data = b.data
        c = a.transpose(1, 1)
        b.mul_(-1)
        c.sum().backward()
    """,
    "data counts its writes apart": """
        a = torch.ones(3, requires_grad=True)
        b = a.data
        b.mul_(2)
        a.data[0] = 5
    """,
    "data given to a tensor keeps its version": """
        a = torch.ones(3)
        a.add_(1)
        a.data = torch.zeros(2)
        a.mul_(2)
    """,
    "data given to a view leaves it a view": """
        a = torch.arange(6.).reshape(2, 3)
        b = a.data
        a.data = a.detach().clone()
        a[1][-1] = 0.5
    """,
    "same size": """
        a = torch.zeros(2, 3)
        b = a[0]
        b.resize_(1)
        a.resize_(3, 2)
        a.resize_(2, 2).fill_(1)
        a.set_(a)
        c = torch.arange(4.).view(2, 2)
        c.set_(a)
    """,
    "memory left behind": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a.detach()
        b.set_(b)
        b.set_(torch.ones(3))
        b.add_(1)
    """,
    "version of what a view left": """
        a = torch.ones(3, 2).t()
        b = a.select(-1, 0)
        c = b + b
        b.set_(c)
        b.mul_(2)
        c[0:0] = b
    """,
    "alias of a view of what was given other memory": """
        a = torch.ones(2, 3).t()
        b = a - a
        a.set_(b)
        c = a.tensor_split([1], 1)[0]
        d = c.detach()
        d.add_(1)
    """,
    "hidden write to a view of what was given other data": """
        a = torch.tensor([0.0, -0.25, 3.0], requires_grad=True)
        a.data = a.detach().clone()
        b = a[...]
        b.data.zero_()
        with torch.no_grad():
            a.add_(1)
    """,
    "write to a view of what was given other memory": """
        a = torch.zeros(4)
        b = a.select(0, 3)
        a.set_(torch.zeros(1))
        b *= b
        a.add_(1)
        b.add_(1)
    """,
    "history written to a view of what was given other memory": """
        a = torch.zeros(4).reshape(2, 2)
        a.set_(torch.ones(2, 2))
        b = torch.ones(2, 1, requires_grad=True)
        a.copy_(b)
        c = a * 3
        c.sum().backward()
    """,
    "views of an alias that counts its writes apart": """
        a = torch.tensor([2.0, 1.0], requires_grad=True)
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = a.data
        d = c[:1]
        e = c[1:]
        c.mul_(b)
        d.mul_(b[0])
        (d * 2 + e + c.sum()).sum().backward()
    """,
    "frozen views of an alias that counts its writes apart": """
        a = torch.tensor([2.0, 1.0])
        b = torch.tensor([3.0, 4.0], requires_grad=True)
        c = a.data
        d, e = c.split([1, 1])
        f = c[0]
        a.mul_(2)
        g = d * f
        with torch.no_grad():
            h = c[1]
        c.mul_(b)
        g = d * 2
        g = h * 2
        (f * 2).sum().backward()
    """,
    "write through a view of what was enlarged and made smaller again": """
        a = torch.tensor(-1.0)
        a.resize_((2, 2)).fill_(1)
        a.resize_((2,)).fill_(1)
        b = torch.tensor(3.0, requires_grad=True)
        a.select(0, 0).copy_(b)
        (a * a).sum().backward()
    """,
    "views made before their memory grew": """
        a = torch.ones(3)
        b = a[1:]
        c = torch.tensor([3.0, 4.0], requires_grad=True)
        a.resize_(2, 2).fill_(1)
        b.mul_(c)
        a[0].mul_(c)
        (b * a).sum().backward()
    """,
    "view that was enlarged, and what it is a view of": """
        a = torch.ones(3)
        b = a[1:]
        c = torch.tensor([3.0, 4.0], requires_grad=True)
        b.resize_(2, 2).fill_(1)
        b[0].mul_(c)
        a[:2].mul_(c)
        (b.sum() + a.sum()).backward()
    """,
    "memory enlarged through an alias of what has a history": """
        a = torch.tensor([3.0, 4.0], requires_grad=True)
        b = torch.arange(3.) * a[0]
        c = b[1:]
        d = b.detach()
        d.resize_(2, 2)[1].fill_(1)
        c.mul_(a)
        (b.sum() + c.sum()).backward()
    """,
    "strided views of what sees a part of its memory": """
        a = torch.arange(4.)
        b = a[1:].detach()
        c = torch.tensor([3.0, 4.0], requires_grad=True)
        d = b.as_strided((2,), (1,), 0)
        d.mul_(c)
        (d.sum() + b.sum()).backward()
        e = torch.ones(2, requires_grad=True) * 1
        e.data = a[2:]
        f = e.as_strided((2,), (1,), 1)
        f.mul_(c)
        (e * e).sum().backward()
    """,
    "strided view of a view that was given other memory": """
        a = torch.ones(4)
        b = a[:2]
        b.data = torch.zeros(3)
        c = b.as_strided((2,), (1,), 0)
    """,
    "views without steps, of what was enlarged": """
        a = torch.ones(3)
        b = a.view_as(a)
        a.resize_((2, 3)).fill_(1)
        c = torch.tensor([-0.25, 3.0, 1.0])
        d = c.view(c.shape)
        d.resize_((2, 2)).fill_(1)
        d.resize_((4, 2)).fill_(1)
        b.mul_(d[0, 0])
    """,
    "enlarged view of what sees a part of its memory": """
        a = torch.tensor([[4, 2], [0, 5]], dtype=torch.uint8)
        a.as_strided_((1,), (1,), 1)
        b = a.narrow(0, 1, 0)
        b.resize_((2, 2)).fill_(1)
    """,
    "strided view of a view whose base was given other memory": """
        a = torch.zeros(4)
        b = torch.arange(4.)
        c = b[1:]
        b.set_(a)
        d = c.as_strided((2, 2), (1, 1), 0)
        c.add_(1)
        e = torch.zeros(1).set_(c)
        f = c.untyped_storage().nbytes()
    """,
    "tensor that is given a part of its own memory": """
        a = torch.tensor(-0.5j, requires_grad=True)
        b = a.flatten()
        a.detach_()
        with torch.no_grad():
            c, d = b.split([0, 1], -1)
        a.set_(c)
        e = torch.arange(4.)
        f = e[1:]
        e.set_(f[1:])
        f[-1] *= torch.tensor(2.0, requires_grad=True)
    """,
    "alias of data that was given other memory": """
        a = torch.tensor(False)
        b = a.data
        c = b.detach()
        c.set_(b)
        b.unsqueeze_(0)
    """,
    "shape of a view whose base stopped requiring grad": """
        a = torch.full((4,), 1.5, requires_grad=True)
        with torch.no_grad():
            b = a.as_strided((2,), (2,), 1)
        a.detach_()
        b.squeeze_()
    """,
}
