"""What the fuzzer has found: each a program that once came out otherwise than in PyTorch."""

import pytest

from tests.fuzz.programs import Program
from tests.fuzz.run import difference

FOUND = {
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
    "leaf that is a view stays a leaf when written to": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        with torch.no_grad():
            a *= a
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
    "whole slice": """
        a = torch.ones(3, requires_grad=True)
        b = a[:]
        c = a[2][::2]
        d = a[...]
    """,
    "number before a tensor": """
        a = torch.ones(2, requires_grad=True)
        b = 0.5 - a
        c = True / b
    """,
    "gradient for a view that lost its history": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        b = a * 3
        c, d = b.chunk(2)
        with torch.no_grad():
            b.mul_(2)
        e, = torch.autograd.grad((b * b).sum(), [c], allow_unused=True)
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
    "order in which saved tensors are looked at": """
        a = torch.full((2, 3), 0.5, requires_grad=True) * 2
        b = a @ a.t()
        a[None, :-1] += 0.5
        b.sum().backward()
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
    "written into itself through a dim of size one": """
        a = torch.tensor([[-0.25, 3.0], [1.0, -2.0], [0.75, 1.25]])
        a[None, :] = a
    """,
    "flag raised on a piece whose memory was written to": """
        a = torch.ones(2, 3, requires_grad=True)
        f = a * 3
        b = f.mT
        c, e = f.split([1, 2], 1)[:2]
        b.masked_fill_(b > 0.3, 0.5)
        c.requires_grad_()
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
    "leaf seen in another shape stays one when its memory is written to": """
        e = torch.tensor([1.5, 0.0, -0.25])
        e.as_strided_((1,), (1,), 0)
        e.requires_grad = True
        c = e.squeeze(0)
        with torch.no_grad():
            c.fill_(2)
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
    "gradient of the gradient's own start": """
        a = torch.ones(2, requires_grad=True)
        a.backward(gradient=a, create_graph=True)
        b = a.grad
        c = torch.ones(2, requires_grad=True)
        (c * c).sum().backward(create_graph=True)
        d = c.grad
    """,
    "strided view in inference mode": """
        a = torch.ones(2, 2, requires_grad=True)
        with torch.inference_mode():
            b = a.as_strided((2,), (2,), 1)
        b.zero_()
    """,
    "shape changed after memory was left": """
        a = torch.tensor([4, 2, 0])
        a.unsqueeze_(1)
        a.set_(a)
        c = a.transpose(0, 0)
        c.resize_(3).fill_(1)
        a.as_strided_((1,), (1,), 1)
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
    "reshaped where memory has another order": """
        a = torch.ones(3, 2, requires_grad=True)
        b = a.unfold(1, 1, 2)
        c = b.reshape(1, 3)
        d = a.t().reshape(2, 1, 3)
        e = a[:, :1].flatten()
        (c.sum() + d.sum() + e.sum()).backward()
    """,
    "inputs that lead nowhere": """
        a = torch.tensor(2.0, requires_grad=True)
        b = a * 1
        with torch.no_grad():
            c = a.view(1)
        (b * c).sum().backward(retain_graph=True, inputs=[c])
        (b * c).sum().backward(inputs=[a, c])
    """,
    "part of itself in another dtype": """
        a = torch.tensor(1 + 2j)
        a.real.copy_(a)
    """,
    "sentence about a saved tensor of a dtype without a Python name": """
        a = torch.tensor([0.5, 1.0], dtype=torch.bfloat16, requires_grad=True)
        b = a * 1
        c = b * b
        b.add_(1)
        c.sum().backward()
    """,
    "nothing written onto itself": """
        a = torch.zeros(0, 3)
        a.unsqueeze_(0)
        a[torch.tensor([-1])] = a
    """,
    "pieces of what was seen in another shape": """
        a = torch.tensor([[1, 6], [4, 2]])
        a.t_()
        c, a = a.chunk(2, -1)[:2]
        b = torch.ones(2) @ torch.ones(2, 3)
        b.add_(1)
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
    "nothing written onto itself by a mask": """
        a = torch.zeros(0)
        a[a == a] = a
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
    "gradient with a history given to what is asked for": """
        a = torch.zeros(0, requires_grad=True)
        b = a.squeeze(0)
        b.backward(gradient=a, inputs=[b])
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
    "retained gradient of several passes": """
        a = torch.ones(2, requires_grad=True) * 2
        a.sin().sum().backward(create_graph=True, inputs=[a])
        b = a.grad
        c, = torch.autograd.grad((a * 5).sum(), [a])
        d = a.grad
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
    "strided view of a view": """
        a = torch.tensor([[-1.0, 2.0, 1.5]], requires_grad=True)
        c = a.select(1, 1)
        d = c.as_strided((), (), 0)
        d.backward(gradient=d)
        e = a.expand(2, 3).as_strided((3,), (1,), 0)
        f = e * 2
        f.sum().backward()
    """,
    "dtype refused before the place of the operands": """
        a = torch.tensor([[False, False], [True, False]])
        a.reshape(4).sub_(a)
        b = torch.ones(2, 1, 3)
        b.squeeze().addmm_(b, b)
        c = torch.zeros(2, 2)
        c.t().addmm_(c, c)
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
    "memory left behind": """
        a = torch.ones(2, 2, requires_grad=True)
        b = a.detach()
        b.set_(b)
        b.set_(torch.ones(3))
        b.add_(1)
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
    "view of another dtype after a write to its base": """
        a = torch.full((2, 3), 1 + 2j, requires_grad=True)
        b = torch.view_as_real(a)
        c = a.real.t()
        with torch.no_grad():
            a.sub_(1)
        (b.sum() + c.sum()).backward()
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
    "version of what a view left": """
        a = torch.ones(3, 2).t()
        b = a.select(-1, 0)
        c = b + b
        b.set_(c)
        b.mul_(2)
        c[0:0] = b
    """,
    "refused for an operand's history before its dtype": """
        a = torch.ones(2, 4, dtype=torch.int64)
        b = a.chunk(2, 1)[-1]
        c = torch.ones(2, requires_grad=True)
        b.addcmul_(c, c)
        b.add_(c)
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
    "saved result of a part written to through an alias": """
        a = torch.arange(6.).reshape(2, 3).requires_grad_()
        b = (a * 1)[0]
        b.exp_()
        b.detach().mul_(2)
        b.sum().backward()
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
    "alias of a view of what was given other memory": """
        a = torch.ones(2, 3).t()
        b = a - a
        a.set_(b)
        c = a.tensor_split([1], 1)[0]
        d = c.detach()
        d.add_(1)
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
    "frozen view copied to whole numbers": """
        a = torch.tensor([1.5, 0.0, -0.25], requires_grad=True)
        with torch.no_grad():
            b = a[:1]
            b[torch.tensor(0)] += 0.5
        c = torch.tensor([2], dtype=torch.uint8)
        c.copy_(b)
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
    "leaf that got a history": """
        a = torch.tensor([-1.0, 2.0], requires_grad=True)
        b = torch.tanh(a)
        a.detach_()
        a.add_(b)
        b.sum().backward()
    """,
    "flag taken back after a change of shape": """
        a = torch.tensor([[0.0, -0.25, 3.0]])
        a.as_strided_((1,), (1,), 1)
        a.requires_grad_()
        a.requires_grad_(False)
        a.squeeze_()
    """,
    "hook of what a pass begins with": """
        a = torch.ones(2, requires_grad=True)
        a.register_hook(lambda g: log.append(g.detach().clone()))
        b = torch.ones(2, requires_grad=True)
        a.backward(gradient=torch.ones(2), inputs=[b])
    """,
}


@pytest.mark.parametrize("watched", [True, False], ids=["watched", "at the end"])
@pytest.mark.parametrize("name", FOUND)
def test_found(name, watched):
    assert difference(Program.of(FOUND[name], watched=watched)) is None
