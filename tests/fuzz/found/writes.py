"""In-place and indexed writes, and their errors: programs that once gave results different from PyTorch's."""

FOUND = {
    "repeated view that is filled": """
        a = torch.tensor(1.5, requires_grad=True)
        b = a * 2
        c = a * 3
        b.expand(2).fill_(2)
        c.expand(2).zero_()
        (a * b).sum().backward()
        (a * c).sum().backward()
    """,
    "leaf that is a view stays a leaf when written to": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        with torch.no_grad():
            a *= a
    """,
    "filled with what has no history": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a * 2
        c = b * 3
        c.zero_()
        d = b * 4
        d.fill_(5)
        b.copy_(torch.ones(2, 2))
        (b + c + d).sum().backward()
    """,
    "copied": """
        a = torch.ones(2, 2, requires_grad=True)
        b = torch.zeros(2, 2)
        b.copy_(a)
        b.copy_(a * 2)
        b.sum().backward()
    """,
    "operand in the memory that is written to": """
        a = torch.arange(4.)
        a[:3].add_(a[1:])
        a[1:].copy_(a[:3])
        a.unsqueeze(1).copy_(a)
        a.index_add_(0, torch.tensor([0]), a[:1])
        a[a == a] = a
        a.add_(a)
        a[0] += 1
    """,
    "error of the leaf before that of the shape": """
        a = torch.ones(2, 2, 2, requires_grad=True)
        a.add_(torch.ones(3))
        a.view(2, -1).copy_(torch.ones(2, 2))
    """,
    "number before a tensor": """
        a = torch.ones(2, requires_grad=True)
        b = 0.5 - a
        c = True / b
    """,
    "write through a repeated dim without history": """
        a = torch.zeros(1)
        a.expand(2).data[0] = 1
        b = torch.zeros(0, requires_grad=True).unfold(0, 0, 1)
    """,
    "parts written": """
        a = torch.zeros(3, 2)
        a[:2, :] = 5
        a[-3:,].add_(1)
        b = (a == a).view(-1)
        b.scatter_add_(0, torch.zeros(1, dtype=torch.int64), torch.ones(1, dtype=torch.bool))
        a.fill_diagonal_(3)
        a.zero_().fill_diagonal_(2, wrap=True)
    """,
    "written into itself through a dim of size one": """
        a = torch.tensor([[-0.25, 3.0], [1.0, -2.0], [0.75, 1.25]])
        a[None, :] = a
    """,
    "bools added at indices": """
        a = torch.tensor([False, True, False, False])
        a.index_put_((torch.tensor([0]),), torch.tensor(True), accumulate=True)
    """,
    "written to where a dim is repeated": """
        a = torch.ones(2, 1, 3).expand(2, 2, 3)
        a[0] = 2
        a[0, 0] = 3
        a.fill_(4)
        a.fill_(torch.tensor(5.0))
        a.data[0] = 2
    """,
    "rows that are not there": """
        a = torch.zeros(0, 3)
        b = a.index_select(0, torch.tensor([0]))
        b = a.index_select(1, torch.tensor([3]))
        b = torch.ones(2).index_select(0, torch.tensor([2]))
    """,
    "largest of no complex numbers": """
        a = torch.zeros(3, 0, dtype=torch.complex64)
        b = a.amax(0)
        c = torch.zeros(3, dtype=torch.complex64).amax(0)
    """,
    "part of itself in another dtype": """
        a = torch.tensor(1 + 2j)
        a.real.copy_(a)
    """,
    "nothing written onto itself": """
        a = torch.zeros(0, 3)
        a.unsqueeze_(0)
        a[torch.tensor([-1])] = a
    """,
    "nothing written onto itself by a mask": """
        a = torch.zeros(0)
        a[a == a] = a
    """,
    "index into a dim without elements": """
        a = torch.zeros(1, 1, 0)
        a[..., torch.tensor([0])] = 3
        b = a[..., torch.tensor([5])]
        c = torch.zeros(2, 0)[torch.tensor([1])]
    """,
    "negative number assigned to unsigned": """
        a = torch.full((1, 3), 6, dtype=torch.uint8)
        a[0][...] = -1
        a[0, 1] = 300
        a[a == 255] = -3
    """,
    "one element assigned to many": """
        a = torch.arange(3.)
        a[:1] = a[1]
        a[:] = a[2]
        a.fill_(a[0])
        b = torch.ones(2, requires_grad=True) * 1
        b[:] = torch.tensor(2.0, requires_grad=True)
        c = b * 1
        c[...] = 3
    """,
    "dtype refused before the place of the operands": """
        a = torch.tensor([[False, False], [True, False]])
        a.reshape(4).sub_(a)
        b = torch.ones(2, 1, 3)
        b.squeeze().addmm_(b, b)
        c = torch.zeros(2, 2)
        c.t().addmm_(c, c)
    """,
    "bools added at rows": """
        a = torch.tensor([[True, False], [False, False]])
        a.index_add_(0, torch.tensor([1, 1]), torch.tensor([[True, False], [True, True]]))
    """,
    "index write of another dtype": """
        h = torch.tensor([-0.5j], dtype=torch.complex64)
        h[torch.tensor([0, 0])] = torch.ones(2)
    """,
    "overlap before shapes": """
        a = torch.arange(3.)
        a[1].add_(a)
        a[:1].addcmul_(a, a)
        b = torch.ones(1, 3)
        b.swapdims(1, 0).add_(b)
        c = torch.arange(4.).reshape(2, 2)
        c.unflatten(1, (2, -1)).lerp_(c, 0.5)
    """,
    "itself copied where a dim is repeated": """
        a = torch.tensor(0.75).expand(2)
        a.copy_(a)
        with torch.inference_mode():
            a.copy_(a)
    """,
    "dtype refused before the repeated dim": """
        a = torch.zeros(1, dtype=torch.complex64).expand(2, 2)
        a.clamp_(-1, 1)
        a.remainder_(2)
    """,
    "product added to what has another size": """
        a = torch.ones(1, 2)
        b = torch.ones(2, 2)
        a.addmm_(b, b)
        torch.ones(3).addmm_(b, b)
        c = torch.ones(1)
        c.addmv_(b, torch.ones(2))
        c.addr_(torch.ones(2), torch.ones(2))
        a.addr_(torch.ones(3), torch.ones(2))
        d = torch.ones(2, 2, 3)
        a.baddbmm_(d, d.mT)
        d.addbmm_(d, d.mT)
        d.addbmm(d, d)
        b.addmm_(torch.ones(2), torch.ones(2, 2, dtype=torch.int64))
        torch.ones(2, 2, 2, dtype=torch.bool).expand(2, 2)
    """,
    "refused for an operand's history before its dtype": """
        a = torch.ones(2, 4, dtype=torch.int64)
        b = a.chunk(2, 1)[-1]
        c = torch.ones(2, requires_grad=True)
        b.addcmul_(c, c)
        b.add_(c)
    """,
    "itself assigned to all of itself": """
        a = torch.tensor(4.0).expand(2)
        a[-2:] = a
    """,
    "numbers out of range": """
        a = torch.tensor([3, 1], dtype=torch.uint8)
        a.fill_(-1)
        a.fill_(-2.7)
        a.fill_(300)
        a.clamp_(0, 300)
        b = a.clamp(max=300)
        a.clamp_(0.5, 2.5)
        b = torch.nn.functional.pad(a, (1, 1), value=-1)
        b = torch.nn.functional.pad(a, (1, 1), value=3)
        torch.ones(2).clamp_(max=1e39)
        torch.ones(2, dtype=torch.bool).expand(2, 2).clamp_(-1, 1)
    """,
    "frozen view copied to whole numbers": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        with torch.no_grad():
            b = a[:1]
            b[torch.tensor(0)] += 0.5
        c = torch.tensor([2], dtype=torch.uint8)
        c.copy_(b)
    """,
    "piece filled where a mask holds": """
        a = torch.ones(2, 2, 2, requires_grad=True)
        b, c = a.unbind(1)
        with torch.no_grad():
            b.mul_(b)
        c[c > 0.3] = 3
        c.index_put_((c > 0.3,), torch.tensor(1.0))
        c.masked_fill_(c > 0.3, 2)
        c[0] = 2
        c.fill_(2)
        c.copy_(c)
        c += 1
    """,
    "one element assigned to itself through more dims": """
        a = torch.full((3,), -1.0)
        b = a.narrow(0, 0, 1)
        b[None, -2:] = b
        b[None, None] = b
        c = torch.zeros(2, 3)
        c[...] = torch.ones(1, 1, 1, 2)
        c[0, 0] = torch.ones(1, 1, 1)
    """,
    "itself copied where a dim is repeated, with gradients": """
        a = torch.arange(6.).requires_grad_()
        b = a * 1
        c = b.as_strided((2,), (0,), 1)
        c.copy_(c)
        d = c * 2
        d.sum().backward()
        e = a.expand(2, -1)
        with torch.no_grad():
            e.copy_(e)
        e.copy_(e)
    """,
    "shape refused before the inference tensor": """
        a = torch.tensor([[1.5, 0.0, -0.25]])
        with torch.inference_mode():
            b = 1.5 / a
        c = torch.tensor([-1.0, 2.0, 1.5], requires_grad=True)
        b.narrow(1, 1, 1).mul_(c)
    """,
    "numbers that 64 bits do not hold": """
        a = torch.ones(2)
        b = a + 10**30
        b = a * -(2**64)
        b = 2**64 > a
        a.add_(2**64)
        a.fill_(2**64)
        a[0] = 2**64
        b = torch.full((2,), 2**70)
        b = a.clamp(2**64)
        b = torch.add(a, a, alpha=2**64)
        b = a * -(2**63)
    """,
    "itself written to its indices where it has gaps": """
        a = torch.ones(2, 2).t()
        b = a[None, 1:]
        b[torch.tensor([0, 0])] = b
        c = torch.ones(1, 3)
        c[torch.tensor([0])] = c
        c[torch.tensor([0, 0])] = torch.ones(1, 1, 2)
    """,
    "negative zeros written through views with gaps": """
        a = torch.arange(12.).reshape(2, 3, 2)
        b = a.diagonal(1, 0, 1)
        b.zero_().neg_()
        c = a.as_strided((2,), (2,), 1)
        c.fill_(-0.0)
        d = 2 / a
        e = torch.zeros(2, 2, dtype=torch.complex64)
        f = e.diagonal()
        f.copy_(torch.tensor([-0.0 + 1j, 1 - 0j]))
        g = 1 / (e.real * 1)
        h = 1 / (e.imag * 1)
    """,
    "gradient through a diagonal with negative zeros": """
        a = torch.arange(12.).reshape(2, 3, 2).requires_grad_()
        b = torch.ones(2, 1, requires_grad=True)
        c = a * 1
        d = c.diagonal(1, 0, 1)
        d.mul_(b * -0.0)
        (d * 2 + c.sum()).sum().backward()
    """,
    "parts at indices that vary": """
        a = torch.zeros(8, 2, 2, dtype=torch.int64)
        b = torch.zeros(8, 2, 2, dtype=torch.bool)
        c = torch.zeros(8, 2, 2)
        d = torch.ones(2, requires_grad=True)
        e = c * 1
        for i in range(8):
            a[i].diagonal().add_(i)
            a[i, 1:].mul_(2)
            b[i].diagonal().fill_(i % 2 == 0)
            e[i].diagonal().mul_(-1)
            e[i].diagonal().add_(d * (i - 4))
        e.sum().backward()
        f = 1 / e
    """,
    "complex element filled in where a mask holds": """
        a = torch.tensor([2.0, 1.5, 0.0])
        a[a > 0.3] = torch.tensor(0.5 - 1j)
        a[a > 0.3] = torch.tensor(0.5 + 0j)
        a.index_put_((a > 0.3,), torch.tensor(0.5 - 1j))
    """,
    "shapes before inference mode": """
        a = torch.ones((2, 2), requires_grad=True)
        with torch.inference_mode():
            b = torch.arange(1, dtype=torch.float32).reshape(())
        b.lerp_(a, 0.5)
    """,
    "copied to itself, then saved and written to": """
        a = torch.ones(2, requires_grad=True)
        c = a @ a
        c.copy_(c)
        c.mul_(c)
        c.backward()
    """,
    "view of a leaf whose shape was changed and that is gone": """
        a = torch.tensor(-2.0)
        a.squeeze_()
        a.requires_grad = True
        b = a.reshape((1, 1))
        a = b.mT
        b.addcmul_(b, b)
    """,
}
