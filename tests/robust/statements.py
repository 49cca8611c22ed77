"""Short programs with a failing statement.

Each line is one program. ` | ` separates its statements, and a ` |` at the end continues the program on the next line.
A program stores its result in `r`.

`t`, `F`, `nn` and `optim` belong to the library under test. `compiled`, `scan` and `cond` are torchlike's functions;
for PyTorch they are eager replacements. `fail(error)` returns a function that raises the error. `Fails(where, error)`
is an `autograd.Function` that raises in forward or backward, or whose backward returns an invalid result. `late(when)`
is an operator that fails when it is compiled or run in torchlike, and immediately in PyTorch.
"""

from __future__ import annotations

SHAPES = """
r = t.ones(3) + t.ones(4)
r = t.ones(2, 3) @ t.ones(4, 2)
r = t.ones(3).mm(t.ones(3, 3))
r = t.ones(2, 3, 4).bmm(t.ones(2, 3, 4))
r = t.ones(6).reshape(4, 2)
r = t.ones(3, 4).t().view(12)
r = t.cat([t.ones(2, 3), t.ones(2, 4)])
r = t.stack([t.ones(2), t.ones(3)])
r = t.ones(2, 3).expand(4, 3)
r = t.ones(2, 3).permute(0, 0)
r = t.ones(2, 3).transpose(0, 5)
r = t.ones(2, 3).squeeze(3)
r = t.ones(2, 3).sum(dim=2)
r = t.ones(2, 3).softmax(dim=4)
r = t.ones(2, 3).split([1, 3], dim=1)
r = t.ones(2, 3).unfold(1, 5, 1)
r = t.ones(3).dot(t.ones(4))
r = t.einsum("ij,jk->ik", t.ones(2, 3), t.ones(4, 5))
r = t.where(t.ones(2) > 0, t.ones(3), t.ones(4))
r = t.ones(2, 3).masked_fill(t.ones(4, dtype=t.bool), 1.0)
r = t.ones(3).copy_(t.ones(2, 2))
r = t.ones(3).add_(t.ones(2, 3))
r = F.linear(t.ones(2, 3), t.ones(5, 4))
r = F.conv2d(t.ones(1, 3, 5, 5), t.ones(2, 4, 3, 3))
r = F.conv1d(t.ones(1, 2, 2), t.ones(2, 2, 5))
r = F.max_pool2d(t.ones(1, 1, 2, 2), 5)
r = F.layer_norm(t.ones(2, 3), (4,))
r = F.batch_norm(t.ones(2, 3), t.zeros(4), t.ones(4))
r = F.mse_loss(t.ones(2, 3), t.ones(3, 2), reduction="nothing")
r = F.cross_entropy(t.ones(2, 3), t.zeros(4, dtype=t.int64))
r = F.binary_cross_entropy(t.ones(2) / 2, t.ones(3))
r = F.pixel_shuffle(t.ones(1, 3, 2, 2), 2)
r = F.interpolate(t.ones(1, 1, 2, 2), size=(3, 3, 3))
r = F.pad(t.ones(2), (1, 1, 1, 1))
r = t.linalg.inv(t.ones(2, 3))
r = t.linalg.solve(t.eye(3), t.ones(4))
r = t.linalg.cholesky(t.ones(3))
r = t.trace(t.ones(3))
r = t.ones(4).as_strided((3, 3), (3, 1))
r = nn.Linear(3, 2)(t.ones(2, 4))
r = nn.LSTM(3, 2)(t.ones(4, 2, 5))
r = nn.MultiheadAttention(4, 2)(t.ones(2, 1, 5), t.ones(2, 1, 5), t.ones(2, 1, 5))
"""

DTYPES = """
r = t.ones(3, dtype=t.int64).mean()
r = t.ones(2, 2, dtype=t.int64) @ t.ones(2, 2)
r = t.ones(3, dtype=t.int64).add_(0.5)
r = t.ones(3, dtype=t.int64).requires_grad_()
r = t.ones(3, dtype=t.bool) - t.ones(3, dtype=t.bool)
r = t.ones(3) & t.ones(3)
r = t.ones(3) << 1.5
r = ~t.ones(3)
r = t.ones(3)[t.ones(3)]
r = t.ones(3).index_select(0, t.zeros(2))
r = t.ones(3).gather(0, t.zeros(2))
r = t.zeros(3).scatter_(0, t.zeros(2, dtype=t.int64), t.ones(2, dtype=t.int64))
r = F.embedding(t.ones(2), t.ones(3, 2))
r = F.cross_entropy(t.ones(2, 3), t.zeros(2, dtype=t.int32))
r = F.nll_loss(t.ones(2, 3), t.ones(2))
r = t.linalg.inv(t.ones(2, 2, dtype=t.int64))
r = F.linear(t.ones(2, 3), t.ones(3, 3, dtype=t.float64))
r = t.complex(t.ones(2), t.ones(2, dtype=t.float64))
r = t.ones(2, dtype=t.complex64) < 1
r = t.ones(2, dtype=t.complex64).max()
r = t.bincount(t.ones(3))
r = t.randint(0, 4, (3,), dtype=t.bool).requires_grad_()
r = t.dot(t.ones(2), t.ones(2, dtype=t.float64))
r = t.tensor([1, "a"])
r = t.tensor([[1], [1, 2]])
"""

INDICES = """
r = t.ones(3)[5]
r = t.ones(3)[0, 0]
r = t.ones(3, 2)[:, 4]
r = t.ones(3)[t.tensor([0, 7])]
r = t.ones(3, 3)[t.tensor([0, 1]), t.tensor([0, 1, 2])]
r = t.ones(3)[t.tensor([True, False])]
r = t.ones(3)["a"]
x = t.ones(3); x[4] = 1; r = x
x = t.ones(3); x[t.tensor([9])] = 1; r = x
x = t.ones(3); x[:2] = t.ones(3); r = x
r = t.ones(3).index_select(0, t.tensor([3]))
r = t.ones(3).index_select(0, t.tensor([-1]))
r = t.ones(3).gather(0, t.tensor([3]))
r = t.zeros(3).scatter(0, t.tensor([3]), 1.0)
r = t.zeros(3).scatter_add(0, t.tensor([-4]), t.ones(1))
r = t.zeros(3).index_add(0, t.tensor([5]), t.ones(1))
r = t.zeros(3).index_copy(0, t.tensor([5]), t.ones(1))
r = t.zeros(3).index_fill(0, t.tensor([5]), 1.0)
r = t.zeros(3).index_put((t.tensor([5]),), t.ones(1))
r = t.ones(4).take(t.tensor([4]))
r = t.zeros(4).put_(t.tensor([4]), t.ones(1))
r = t.ones(3).select(0, 4)
r = t.ones(3).narrow(0, 2, 3)
r = t.ones(3).unbind(1)
r = t.ones(3).kthvalue(4)
r = t.ones(3).topk(4)
r = t.ones(3).squeeze(0).unsqueeze(3)
r = F.embedding(t.tensor([4]), t.ones(3, 2))
r = F.embedding(t.tensor([-1]), t.ones(3, 2))
r = F.embedding_bag(t.tensor([5]), t.ones(3, 2), t.tensor([0]))
r = F.one_hot(t.tensor([5]), 3)
r = F.one_hot(t.tensor([-1]), 3)
r = F.nll_loss(t.zeros(2, 3), t.tensor([0, 5]))
r = F.cross_entropy(t.zeros(2, 3), t.tensor([0, -3]))
r = F.multi_margin_loss(t.zeros(2, 3), t.tensor([0, 4]))
r = t.bincount(t.tensor([-1]))
r = nn.Embedding(3, 2)(t.tensor([[1, 3]]))
r = (t.ones(3) * 2)[(t.arange(3) * 4)[1:]] + 1
"""

KERNELS = """
r = t.linalg.cholesky(-t.eye(3))
r = t.linalg.cholesky(t.eye(3) * t.tensor([1.0, -1.0, 1.0])) * 2
r = t.linalg.inv(t.zeros(3, 3))
r = t.linalg.inv(t.stack([t.eye(2), t.zeros(2, 2)]))
r = t.linalg.solve(t.zeros(2, 2), t.ones(2))
r = t.inverse(t.ones(2, 2))
r = t.linalg.matrix_power(t.ones(2, 3), 2)
r = t.linalg.lu_factor(t.stack([t.eye(2), t.ones(2, 2)]))[0]
r = t.linalg.eig(t.full((2, 2), float("inf")))[0]
r = t.cholesky_inverse(t.ones(2, 3))
r = t.linalg.lu_factor(t.zeros(2, 2))[0]
r = t.linalg.solve_triangular(t.ones(2, 3), t.ones(2, 2), upper=True)
r = t.multinomial(t.tensor([-1.0, 2.0]), 1)
r = t.multinomial(t.tensor([0.0, 0.0]), 1)
r = t.multinomial(t.tensor([1.0, float("nan")]), 1)
r = t.bernoulli(t.tensor([2.0]))
r = t.bernoulli(t.tensor([-0.5]))
r = t.normal(t.zeros(2), -t.ones(2))
r = t.poisson(-t.ones(2))
r = t.empty(3).uniform_(2, 1)
r = t.empty(3).exponential_(-1.0)
r = t.empty(3).geometric_(2.0)
r = t.ones(2).repeat_interleave(t.tensor([1, -1]))
r = t.ones(3).masked_scatter(t.tensor([True, True, True]), t.ones(2))
r = F.binary_cross_entropy(t.tensor([2.0]), t.tensor([1.0]))
r = F.ctc_loss(t.zeros(2, 1, 3), t.tensor([[1, 2]]), t.tensor([5]), t.tensor([2]))
r = t.tensor([4, 2]) // t.tensor([0, 1])
r = t.tensor([4, 2]) % 0
r = t.histc(t.tensor([float("nan"), 1.0]))
r = t.tensor([1.0, 2.0]).item()
r = bool(t.tensor([1.0, 2.0]))
r = int(t.tensor(float("nan")))
r = t.ones(0).max()
r = t.ones(0).argmin()
r = t.arange(3, 0)
r = t.linspace(0, 1, -2)
"""

AUTOGRAD = """
r = t.ones(3).sum().backward()
x = t.ones(3, requires_grad=True); y = (x * x).sum(); y.backward(); r = y.backward()
x = t.ones(3, requires_grad=True); r = (x * 2).backward()
x = t.ones(3, requires_grad=True); r = x.add_(1)
x = t.ones(3, requires_grad=True); r = x[0].mul_(2)
x = t.ones(3, requires_grad=True); y = x * 1; z = y.exp(); z.add_(1); r = z.sum().backward()
x = t.ones(3, requires_grad=True); r = x.numpy()
x = t.ones(3, requires_grad=True); r = (x * 2).sum().backward(t.ones(2))
x = t.ones(3, requires_grad=True); r = t.autograd.grad(t.ones(2, requires_grad=True).sum(), x)
x = t.ones(3, requires_grad=True); r = t.autograd.grad(x.sum(), [x * 2])
x = t.ones(3, requires_grad=True); y = x * 2; y.register_hook(fail(ValueError)); r = y.sum().backward()
x = t.ones(3, requires_grad=True); x.register_hook(fail(KeyboardInterrupt)); r = (x * 2).sum().backward()
x = t.ones(3, requires_grad=True); y = x * 2; y.register_hook(lambda g: t.ones(5)); r = y.sum().backward()
x = t.ones(3, requires_grad=True); x.register_post_accumulate_grad_hook(fail(ValueError)); r = x.sum().backward()
x = t.ones(3, requires_grad=True); y = x * 2; y.grad_fn.register_hook(fail(KeyError)); r = y.sum().backward()
x = t.ones(3, requires_grad=True); y = x * 2; y.grad_fn.register_prehook(fail(KeyError)); r = y.sum().backward()
x = t.ones(3, requires_grad=True); r = Fails("forward", ValueError).apply(x)
x = t.ones(3, requires_grad=True); r = Fails("backward", ValueError).apply(x * 2).sum().backward()
x = t.ones(3, requires_grad=True); r = Fails("backward", KeyboardInterrupt).apply(x * 2).sum().backward()
x = t.ones(3, requires_grad=True); r = Fails("shape", None).apply(x * 2).sum().backward()
x = t.ones(3, requires_grad=True); r = Fails("count", None).apply(x * 2).sum().backward()
x = t.ones(3, requires_grad=True); r = Fails("type", None).apply(x * 2).sum().backward()
x = t.ones(3, requires_grad=True) | with t.autograd.detect_anomaly(): r = (x - x).sqrt().mul(0).sum().backward()
x = t.ones(3, requires_grad=True) |
with t.autograd.detect_anomaly(): r = (x * 2).log().sum().backward(t.tensor(float("nan")))
x = t.ones(3, requires_grad=True) | with hooks(fail(ValueError), lambda s: s): r = x * x
x = t.ones(3, requires_grad=True) | with hooks(lambda s: s, fail(ValueError)): r = (x * x).sum() | r.backward()
x = t.ones(3, requires_grad=True) | with hooks(lambda s: 5, lambda s: s): r = (x * x).sum() | r.backward()
x = t.ones(3, requires_grad=True); r = checkpoint(fail(ValueError), x, use_reentrant=False)
x = t.ones(3, requires_grad=True); n = [0] |
g = lambda v: (n.append(1), fail(ValueError)() if len(n) > 2 else v * v)[1] |
r = checkpoint(g, x, use_reentrant=False).sum().backward()
x = t.ones(3, requires_grad=True); x.grad = t.ones(2)
x = t.ones(3, requires_grad=True); y = x * 2; r = y.requires_grad_(False)
with t.inference_mode(): x = t.ones(3) | r = (x * t.ones(3, requires_grad=True)).sum().backward()
with t.inference_mode(): x = t.ones(3) | r = x.add_(1)
with t.inference_mode(): x = t.ones(3) * 2 | r = x.requires_grad_()
x = t.eye(3, requires_grad=True); r = t.linalg.cholesky(x * -1).sum().backward()
x = t.zeros(2, 2, requires_grad=True); r = t.linalg.inv(x).sum().backward()
x = t.ones(4, requires_grad=True); r = x[t.tensor([0, 9])].sum().backward()
x = t.ones(3, requires_grad=True); y = x * 2; t.autograd.backward([y], [None]); r = y
x = t.ones(3, requires_grad=True); y = (x * x).sum(); g, = t.autograd.grad(y, x); r = g.sum().backward()
"""

FUNCTIONS = """
r = t.vmap(lambda v: v @ t.ones(4))(t.ones(2, 3))
r = t.vmap(fail(ValueError))(t.ones(2, 3))
r = t.vmap(fail(KeyboardInterrupt))(t.ones(2, 3))
r = t.vmap(lambda a, b: a + b)(t.ones(2, 3), t.ones(4, 3))
r = t.vmap(lambda v: v.item())(t.ones(2))
r = t.vmap(lambda v: 5)(t.ones(2))
r = t.vmap(lambda v: v, in_dims=3)(t.ones(2))
r = t.func.grad(lambda v: v * 2)(t.ones(3))
r = t.func.grad(fail(ValueError))(t.ones(3))
r = t.func.grad(lambda v: 5)(t.ones(3))
r = t.func.jvp(fail(KeyError), (t.ones(3),), (t.ones(3),))
r = t.func.jvp(lambda v: v * 2, (t.ones(3),), (t.ones(4),))
r = t.func.hessian(fail(ValueError))(t.ones(2))
r = t.func.jacrev(lambda v: fail(ValueError)() if v.sum() > 1 else v)(t.ones(2))
r = t.func.vjp(fail(KeyboardInterrupt), t.ones(3))
r = t.func.grad(lambda v: t.linalg.cholesky(-v).sum())(t.eye(2))
r = t.vmap(lambda v: t.linalg.inv(v))(t.zeros(2, 2, 2))
r = compiled(fail(ValueError))(t.ones(3))
r = compiled(fail(KeyboardInterrupt))(t.ones(3))
r = compiled(lambda x: x @ t.ones(4))(t.ones(3))
r = compiled(lambda x: t.linalg.cholesky(-x))(t.eye(3))
f = compiled(lambda x: t.linalg.cholesky(x)); f(t.eye(3)); f(t.eye(3)); r = f(-t.eye(3))
f = compiled(lambda x: t.ones(3)[x]); f(t.tensor([0])); f(t.tensor([1])); r = f(t.tensor([8]))
f = compiled(lambda x: x * 2); f(t.ones(3)); r = f(t.ones(3), 4)
x = t.zeros(3); f = compiled(lambda y: (x.add_(y), y @ t.ones(5))); r = f(t.ones(3))
x = t.zeros(3); f = compiled(lambda y: (x.add_(y), fail(ValueError)())); r = f(t.ones(3))
x = t.ones(3, requires_grad=True); f = compiled(lambda: (x * 2).backward()); r = f()
r = scan(lambda c, x: fail(ValueError)(), t.zeros(2), t.ones(3, 2))
r = scan(lambda c, x: fail(KeyboardInterrupt)(), t.zeros(2), t.ones(3, 2))
r = scan(lambda c, x: (c @ t.ones(5), x * 2), t.zeros(2), t.ones(3, 2))
r = cond(t.ones(()) > 0, fail(ValueError), lambda v: v + 1, (t.ones(2),))
r = cond(t.ones(()) > 0, lambda v: v @ t.ones(7), lambda v: v + 1, (t.ones(2),))
"""

TRAINING = """
r = optim.SGD([], lr=0.1)
r = optim.SGD([t.ones(3)], lr=-1.0)
r = optim.SGD([t.ones(3, requires_grad=True) * 2], lr=0.1)
r = optim.Adam([t.ones(3, requires_grad=True)], betas=(2.0, 0.9))
p = t.ones(3, requires_grad=True); o = optim.SGD([p], lr=0.1); p.grad = t.ones(3) | r = o.step(fail(ValueError))
p = t.ones(3, requires_grad=True); o = optim.Adam([p]); p.grad = t.ones(3) |
o.register_step_pre_hook(fail(ValueError)); r = o.step()
p = t.ones(3, requires_grad=True); o = optim.Adam([p]); p.grad = t.ones(3) |
o.register_step_post_hook(fail(KeyboardInterrupt)); r = o.step()
o = optim.Adam([t.ones(3, requires_grad=True)]); r = o.load_state_dict({"state": {}, "param_groups": []})
o = optim.Adam([t.ones(3, requires_grad=True)]); r = o.load_state_dict({"state": {}})
o = optim.Adam([t.ones(3, requires_grad=True)]); r = o.add_param_group({"params": o.param_groups[0]["params"]})
r = optim.lr_scheduler.StepLR(5, 1)
o = optim.SGD([t.ones(3, requires_grad=True)], lr=0.1); s = optim.lr_scheduler.LambdaLR(o, lambda n: 1 / (2 - n)) |
o.step(); s.step(); o.step(); r = s.step()
o = optim.SGD([t.ones(3, requires_grad=True)], lr=0.1); r = optim.lr_scheduler.LambdaLR(o, fail(KeyError))
m = nn.Linear(3, 2); r = m.load_state_dict({"weight": t.ones(2, 3)})
m = nn.Linear(3, 2); r = m.load_state_dict({"weight": t.ones(3, 3), "bias": t.ones(2)})
m = nn.Linear(3, 2); r = m.load_state_dict({"weight": t.ones(2, 3), "bias": t.ones(2), "more": t.ones(1)})
m = nn.Linear(3, 2); m.register_forward_hook(fail(ValueError)); r = m(t.ones(1, 3))
m = nn.Linear(3, 2); m.register_forward_pre_hook(fail(ValueError)); r = m(t.ones(1, 3))
m = nn.Linear(3, 2); m.register_full_backward_hook(fail(ValueError)) |
r = m(t.ones(1, 3, requires_grad=True)).sum().backward()
m = nn.BatchNorm1d(3); r = m(t.ones(1, 3))
m = nn.Linear(3, 2); m.weight = t.ones(2, 3)
m = nn.Linear(3, 2); r = m.register_buffer("weight", t.ones(1))
r = nn.Dropout(2.0)
r = F.dropout(t.ones(3), -1.0)
r = nn.utils.clip_grad_norm_([nan_gradient()], 1.0, error_if_nonfinite=True)
r = t.load("no such file.pt")
r = t.save(t.ones(3), "no such folder/file.pt")
r = list(DataLoader([1, 2, 3], batch_size=2, collate_fn=fail(ValueError)))
r = list(DataLoader(Broken(), batch_size=2))
r = list(DataLoader([t.ones(2), t.ones(3)], batch_size=2))
r = t.manual_seed("a")
"""

OUTS = """
r = t.add(t.ones(3), 1, out=t.empty(3, dtype=t.int64))
r = t.mul(t.ones(3), 2, out=[1])
r = t.mean(t.ones(3, 3), 0, out=t.empty(3, dtype=t.int64))
r = t.matmul(t.ones(2, 2), t.ones(2, 2), out=t.empty(2, 2, dtype=t.float64))
x = t.ones(3); r = t.add(x[:2], x[1:], out=x[1:])
x = t.ones(3, requires_grad=True); r = t.exp(t.ones(3), out=x)
x = t.ones(3, requires_grad=True); r = t.exp(x, out=t.ones(3))
r = t.sort(t.ones(3), out=(t.empty(3), t.empty(3)))
r = t.cat([t.ones(2), t.ones(2)], out=t.empty(4, dtype=t.int32))
r = t.linalg.cholesky(-t.eye(2), out=t.empty(2, 2))
r = t.arange(3, out=t.empty(3, dtype=t.bool) > 5, dtype=t.int64)
r = t.index_select(t.ones(3), 0, t.tensor([7]), out=t.empty(1))
r = t.ones(3).expand(2, 3).add_(1)
r = t.ones(3).unsqueeze(1).expand(3, 2).copy_(t.ones(3, 2))
"""


# Operators that fail only when their program is compiled or runs. `a` and `i` are tensors that are still pending.
LATE = """
r = late("compiling")(a)
r = late("running")(a)
r = late("compiling")(a * 1).sum() + 1
r = late("running")(a * 1).sum() + 1
x = late("compiling")(t.ones(3)); y = x * 2; del x; r = y + i[:3]
x = late("running")(t.ones(3)); y = x * 2; del x; r = y + i[:3]
r = t.stack([late("running")(t.ones(2)), late("compiling")(t.ones(2))])
x = t.ones(4, requires_grad=True); late("compiling")(x).sum().backward(); r = x.grad
x = t.ones(4, requires_grad=True); late("running")(x * 2).sum().backward(); r = x.grad
c = t.zeros(4); c.add_(late("compiling")(t.ones(4))); r = c
c = t.zeros(4, 4); c[0] = late("running")(t.ones(4)); r = c[0] + 1
m = nn.Linear(3, 2); o = optim.Adam(m.parameters()); late("running")(m(t.ones(1, 3))).sum().backward(); o.step() |
r = m.weight
p = t.ones(3, requires_grad=True); o = optim.SGD([p], lr=0.1); p.grad = late("compiling")(t.ones(3)); o.step(); r = p
f = compiled(lambda x: late("compiling")(x) + 1); f(t.ones(3)); r = f(t.ones(3))
f = compiled(lambda x: late("running")(x) + 1); r = f(t.ones(3))
r = t.vmap(late("compiling"))(a)
with t.no_grad(): r = late("running")(a) + h
with t.inference_mode(): r = late("compiling")(t.ones(3)) * 2
"""

FAMILIES = {
    "shapes": SHAPES,
    "dtypes": DTYPES,
    "indices": INDICES,
    "kernels": KERNELS,
    "autograd": AUTOGRAD,
    "functions": FUNCTIONS,
    "training": TRAINING,
    "outs": OUTS,
    "late": LATE,
}

STATEMENTS = {
    f"{family} {n}": line.replace(" | ", "\n")
    for family, text in FAMILIES.items()
    for n, line in enumerate(text.strip().replace(" |\n", " | ").splitlines())
}
