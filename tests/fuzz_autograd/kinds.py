"""The templates of statements. In a template, single capital letters stand for tensors:

`A` any floating tensor, `B` one that `A` can broadcast with, `C` any tensor, `I` a tensor of integers, `L` a leaf that
requires grad, `R` a tensor that requires grad, `G` one with a gradient node, `P` one without requires_grad, `E` one of
the shape and dtype of the first tensor, `N` and `M` new names, `D` a dim of the first tensor.
"""

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
BACKWARD = """
A.sum().backward()
R.sum().backward()
(R * R).sum().backward()
R.sin().sum().backward()
(R * R).sum().backward(retain_graph=True)
(R * R).sum().backward(create_graph=True)
(R * R.detach()).sum().backward(create_graph=True)
R.backward()
R.backward(torch.ones_like(R))
R.backward(gradient=torch.ones_like(R) * 2)
R.backward(torch.ones(5))
R.backward(torch.ones_like(R).double())
R.backward(torch.ones_like(R), retain_graph=True)
R.backward(R.clone(), create_graph=True)
R.abs().sum().backward(retain_graph=True)
R.sum().backward(inputs=[L])
R.sum().backward(inputs=L)
R.sum().backward(inputs=[G], retain_graph=True)
R.sum().backward(inputs=[P])
R.sum().backward(inputs=[])
(R.sum() + G.sum()).backward(retain_graph=True)
torch.autograd.backward([R.sum(), G.sum()])
torch.autograd.backward([R, G.sum()], [torch.ones_like(R), None], retain_graph=True)
torch.autograd.backward([R, G], [torch.ones_like(R)])
torch.autograd.backward(R.sum(), inputs=[L, G])
l = (R * 2).sum(); l.backward(); l.backward()
l = (R * R).sum(); l.backward(); l.backward()
l = (R * R).sum(); l.backward(retain_graph=True); l.backward()
s = R.exp(); s.sum().backward(retain_graph=True); (s * s).sum().backward()
s = R.exp(); s.sum().backward(); (s * s).sum().backward()
s = R * R; log.append(torch.autograd.grad(s.sum(), R)); s.sum().backward()
"""
GRAD = """
N, = fresh(torch.autograd.grad(R.sum(), [L], allow_unused=True))
N, = fresh(torch.autograd.grad((R * R).sum(), R))
N, = fresh(torch.autograd.grad((R * R).sum(), [R], create_graph=True))
N, = fresh(torch.autograd.grad((R * R * R).sum(), R, create_graph=True))
N, = fresh(torch.autograd.grad(G.sum(), [L], retain_graph=True))
N, = fresh(torch.autograd.grad(G.sum(), [L], create_graph=True, allow_unused=True))
N, M = fresh(torch.autograd.grad((G * G).sum(), [L, G], allow_unused=True, retain_graph=True))
N, M = fresh(torch.autograd.grad((G * G).sum(), [L, G], materialize_grads=True))
N, M = fresh(torch.autograd.grad((G * G).sum(), [L, G], materialize_grads=True, create_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones_like(G), retain_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones(5)))
N, = fresh(torch.autograd.grad(G, [L], [None]))
N, = fresh(torch.autograd.grad([G.sum(), R.sum()], [L], allow_unused=True))
N, = fresh(torch.autograd.grad([G, R], [L], [torch.ones_like(G), torch.ones_like(R)], allow_unused=True, retain_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones(2, *G.shape, dtype=G.dtype), is_grads_batched=True, retain_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones(2, *G.shape, dtype=G.dtype), is_grads_batched=True, allow_unused=True))
N, = fresh(torch.autograd.grad(G, [P], torch.ones_like(G)))
N, = fresh(torch.autograd.grad(P.sum(), [L]))
N, = fresh(torch.autograd.grad(G.sum(), [], retain_graph=True))
N, = fresh(torch.autograd.grad(G.sum(), [L], materialize_grads=True, allow_unused=False))
log.append(torch.autograd.grad((G * G).sum(), [R, L, R], allow_unused=True))
log.append(deep(lambda t: t.relu(), R, 3))
log.append(deep(lambda t: t.square(), R, 3))
log.append(deep(lambda t: t.pow(2), R, 3))
log.append(deep(lambda t: t.pow(3), R, 4))
log.append(deep(lambda t: t * t, R, 3))
log.append(deep(lambda t: t.sin() * t, R, 3))
log.append(deep(lambda t: t.abs(), R, 3))
log.append(deep(lambda t: t / 2 + 1, R, 3))
log.append(deep(lambda t: t.clamp(-1, 1), R, 3))
log.append(deep(lambda t: nn.functional.leaky_relu(t), R, 3))
log.append(deep(lambda t: nn.functional.softplus(t), R, 3))
log.append(deep(lambda t: nn.functional.threshold(t, 0.1, 2.0), R, 3))
log.append(deep(lambda t: t.exp(), R, 3))
log.append(deep(lambda t: torch.where(t > 0, t, t * t), R, 3))
log.append(deep(lambda t: t.sum() ** 2, R, 3))
log.append(deep(lambda t: t.cumsum(0), R, 3))
log.append(deep(lambda t: t.prod(), R, 3))
log.append(deep(lambda t: t.mean() * t, R, 3))
log.append(deep(lambda t: t.sqrt(), R, 3))
log.append(deep(lambda t: t.reciprocal(), R, 3))
log.append(deep(lambda t: t @ t.mT if t.ndim > 1 else t, R, 3))
log.append(deep(lambda t: t.tanh(), R, 4))
log.append(deep(lambda t: t.log_softmax(-1), R, 3))
log.append(deep(lambda t: Scale.apply(t, 2), R, 3))
log.append(deep(lambda t: Once.apply(t), R, 3))
"""
FLAGS = """
R.retain_grad()
G.retain_grad()
A.requires_grad_()
P.requires_grad_()
C.requires_grad_()
L.requires_grad_(False)
R.requires_grad = False
R.requires_grad = True
P.requires_grad = True
L.grad = None
L.grad = torch.ones_like(L)
L.grad = torch.ones(7)
L.grad = torch.ones_like(L).double()
L.grad = E
A.grad = E
L.grad = 1
L.grad.zero_()
L.grad.mul_(2)
N = L.grad
N = A.grad
del A.grad
L.grad.detach_()
L.grad.requires_grad_()
L.grad += 1
o = torch.optim.SGD([L], lr=0.1); o.zero_grad()
o = torch.optim.SGD([L], lr=0.1); o.zero_grad(set_to_none=False)
o = torch.optim.SGD([L], lr=0.1); o.step()
log.append((A.requires_grad, A.is_leaf, A.retains_grad, A.output_nr))
log.append(A.grad_fn and A.grad_fn.name())
A = 1.0 * A
log.append(C.is_inference())
log.append(L.untyped_storage().nbytes())
A.retain_grad()
L.grad = L
L.grad = L.detach()
log.append(L.numpy().tolist())
log.append(A.detach().numpy().tolist())
A.resize_(2)
log.append(A.item())
log.append(float(A.sum()))
log.append(bool((A > 0).any()))
"""
HOOKS = """
R.register_hook(spy("h1"))
R.register_hook(spy("h2", lambda g: g * 2))
R.register_hook(spy("h3", lambda g: g.detach()))
R.register_hook(lambda g: g.new_ones(7))
R.register_hook(lambda g: 1)
R.register_hook(nested)
R.register_hook(lambda g: g.clone().mul_(2))
R.register_hook(lambda g: g.double())
handles.append(R.register_hook(spy("h4", lambda g: g + 1)))
handles.pop().remove()
h = R.register_hook(spy("h5")); h.remove()
P.register_hook(spy("h6"))
L.register_post_accumulate_grad_hook(lambda t: log.append(("post", seen(t.grad))))
L.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2) and None)
L.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
handles.append(L.register_post_accumulate_grad_hook(spy("post2")))
G.register_post_accumulate_grad_hook(spy("post3"))
L.register_post_accumulate_grad_hook(lambda t: 1)
G.grad_fn.register_hook(spy("node"))
G.grad_fn.register_hook(spy("node2", lambda i, o: tuple(None if g is None else g * 2 for g in i)))
G.grad_fn.register_prehook(spy("pre"))
G.grad_fn.register_prehook(spy("pre2", lambda o: tuple(None if g is None else g * 3 for g in o)))
G.grad_fn.register_hook(lambda i, o: (1,) * 7)
G.grad_fn.register_prehook(lambda o: ())
handles.append(G.grad_fn.register_hook(spy("node3")))
keep.append(nodes(G)[-1]); keep[-1].register_hook(spy("last"))
keep.append(nodes(G)[-1]); keep[-1].register_prehook(spy("last2"))
log.append(walk(G.grad_fn))
log.append([(n and n.name(), i) for n, i in G.grad_fn.next_functions])
log.append(G.grad_fn.metadata)
G.grad_fn.metadata["k"] = 1
log.append([type(n).__name__ for n in nodes(G)])
log.append(G.grad_fn is G.grad_fn)
log.append(nodes(G)[-1] is nodes(G)[-1])
torch.autograd.graph.register_multi_grad_hook([G, G], spy("multi"))
torch.autograd.graph.register_multi_grad_hook([G, G], spy("any"), mode="any")
log.append(torch.autograd.graph.get_gradient_edge(R).output_nr)
log.append(torch.autograd.grad(G.sum(), [torch.autograd.graph.get_gradient_edge(R)], allow_unused=True, retain_graph=True))
keep.append(torch.autograd.graph.get_gradient_edge(L).node); keep[-1].register_hook(spy("acc"))
keep.append(torch.autograd.graph.get_gradient_edge(L).node); keep[-1].register_prehook(spy("accpre"))
G.grad_fn.register_hook(spy("inplace", lambda i, o: log.append([g is None for g in i])))
"""
FUNCTIONS = """
N = Scale.apply(A, 2)
N = Scale.apply(A, 0.5)
N, M = Pair.apply(A, E)
N = Pair.apply(A, E)[0]
N = Pair.apply(A, E)[1]
N = Dirty.apply(A)
N = Dirty.apply(A * 1)
N = Undirty.apply(A)
N = Undirty.apply(A * 1)
N, M = Ranks.apply(A)
N = Once.apply(A)
N = Nothing.apply(A, E)
N = Same.apply(A)
N = View.apply(A)
N = Dual.apply(A)
Odd.apply(R, "shape").sum().backward()
Odd.apply(R, "few").sum().backward()
Odd.apply(R, "many").sum().backward()
Odd.apply(R, "double").sum().backward()
Odd.apply(R, "type").sum().backward()
Odd.apply(R, "raise").sum().backward()
y = Scale.apply(R, 3); y.sum().backward(); log.append(y.grad_fn.saved_tensors)
y = Scale.apply(R, 3); log.append(y.grad_fn.saved_tensors); log.append(y.grad_fn.k)
y = Scale.apply(R, 3); log.append(torch.autograd.grad(y.sum(), R, create_graph=True)[0].grad_fn.name())
Scale.apply(R)
Scale(R)
with torch.no_grad(): N = Dirty.apply(A)
with torch.no_grad(): N = Scale.apply(A, 2)
"""
CONTEXTS = """
with hooks(pack, unpack): N = A * E
with hooks(pack, unpack): N = A.exp()
with hooks(pack, unpack): N = A.sin() * A
with hooks(double, undouble): N = A * E
with hooks(double, undouble): N = A.sigmoid()
with hooks(lambda t: t, lambda x: x.double()): N = A * A
with hooks(lambda t: 1, lambda x: x): (R * R).sum().backward()
with hooks(lambda t: t.mul_(2), lambda x: x): s = A * 1; N = s * s
with torch.autograd.graph.save_on_cpu(): N = A * E
with torch.autograd.graph.disable_saved_tensors_hooks("no hooks"): N = A * E
with torch.autograd.graph.disable_saved_tensors_hooks("no hooks"), hooks(pack, unpack): N = A * E
with torch.autograd.graph.allow_mutation_on_saved_tensors(): s = R * 1; y = s * s; s.mul_(2); y.sum().backward()
N = checkpoint(lambda t: t.sin() * t, A, use_reentrant=False)
N = checkpoint(lambda t: t.sin() * t, A, use_reentrant=True)
N = checkpoint(lambda t, u: (t * u).exp(), A, E, use_reentrant=False)
N = checkpoint(lambda t, u: (t * u).exp(), A, E, use_reentrant=True)
N, M = checkpoint(lambda t: (t * 2, t.exp()), A, use_reentrant=False)
N, M = checkpoint(lambda t: (t * 2, t.exp()), A, use_reentrant=True)
N = checkpoint(Scale.apply, A, 2, use_reentrant=False)
N = checkpoint(Scale.apply, A, 2, use_reentrant=True)
with torch.autograd.detect_anomaly(): torch.sqrt(R * 0 - 1).sum().backward()
with torch.autograd.detect_anomaly(check_nan=False): (R / 0).sum().backward()
with torch.autograd.detect_anomaly(): N = A.sqrt()
with torch.autograd.detect_anomaly(): (R * R).sum().backward()
with torch.autograd.set_detect_anomaly(True): (R * inf).sum().backward(retain_graph=True)
N = quiet(A)
N = loud(A)
with torch.no_grad(): N = A * 2
with torch.no_grad(): N = A.view(-1)
with torch.no_grad(): N = loud(A)
with torch.no_grad(): A.mul_(2)
with torch.no_grad(): A.add_(E)
with torch.no_grad(): A.copy_(E)
with torch.no_grad(): A[0] = 1
with torch.no_grad(): R.sum().backward()
with torch.no_grad(): N = nn.Parameter(A)
with torch.inference_mode(): N = A * 2
with torch.inference_mode(): N = A.view(-1)
with torch.inference_mode(): N = torch.ones(3)
with torch.inference_mode(): A.mul_(2)
with torch.inference_mode(False): N = A * 2
with torch.enable_grad(): N = A * 2
with torch.enable_grad(): N = A[0]
with torch.set_grad_enabled(False): N = A * 2
torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
torch.set_grad_enabled(True); N = A * 2
log.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
with torch.autograd.set_multithreading_enabled(False): (R * R).sum().backward()
"""
TRANSFORMS = """
N = fresh(torch.func.grad(lambda t: (t * t).sum())(A))
N = fresh(torch.func.grad(lambda t: (t * E).sum())(A))
N = fresh(torch.func.grad(lambda t: t)(A))
N = fresh(torch.func.grad(torch.func.grad(lambda t: t.sin()))(A.sum()))
N, M = fresh(torch.func.grad_and_value(lambda t: t.sin().sum())(A))
N, fn = torch.func.vjp(lambda t: t * E, A); N, M = fresh((N, *fn(torch.ones_like(N))))
N, fn = torch.func.vjp(torch.sin, A); N, M = fresh((N, *fn(A)))
N, M = fresh(torch.func.jvp(lambda t: t.sin() * t, (A,), (E,)))
N, M = fresh(torch.func.jvp(lambda t, u: t * u, (A, E), (E, A)))
N = fresh(torch.func.vmap(lambda t: t * 2)(A))
N = fresh(torch.func.jacrev(torch.sin)(A))
N = fresh(torch.func.jacfwd(torch.sin)(A))
N = fresh(torch.func.hessian(lambda t: (t ** 3).sum())(A))
N = fresh(torch.func.grad(lambda t: Dual.apply(t).sum())(A))
N = fresh(torch.autograd.functional.jacobian(lambda t: t * t, A))
N = fresh(torch.autograd.functional.hvp(lambda t: (t ** 3).sum(), A, E)[1])
N = fresh(torch.autograd.functional.vjp(lambda t: t * t, A, E, create_graph=True)[1])
N = fresh(torch.autograd.functional.jvp(lambda t: t * t, A, E)[1])
with fw.dual_level(): N, M = fresh(fw.unpack_dual(fw.make_dual(A, E) * 2))
with fw.dual_level(): N, M = fresh(fw.unpack_dual(fw.make_dual(A, E) * A))
with fw.dual_level(): N, M = fresh(fw.unpack_dual(torch.exp(fw.make_dual(A, E))))
with fw.dual_level(): N, M = fresh(fw.unpack_dual(fw.make_dual(A, E).view(-1)))
with fw.dual_level(): N, M = fresh(fw.unpack_dual(A * 2))
with fw.dual_level(): log.append(fw.unpack_dual(A).tangent)
with fw.dual_level(): N = fresh(fw.make_dual(A, torch.ones(7)))
with fw.dual_level(): N = fresh(fw.make_dual(A, E.double()))
with fw.dual_level(): N = fresh(fw.make_dual(A, E) * 3)
with fw.dual_level(): fw.unpack_dual(fw.make_dual(A, E).sin())[1].sum().backward()
with fw.dual_level(): N, M = fresh(fw.unpack_dual(Scale.apply(fw.make_dual(A, E), 2)))
with fw.dual_level(): N, M = fresh(fw.unpack_dual(Dual.apply(fw.make_dual(A, E))))
with fw.dual_level(): s = fw.make_dual(A, E); s = s * 1; s.add_(s); N, M = fresh(fw.unpack_dual(s))
in_thread(lambda: (L * L).sum().backward())
in_thread(lambda: (R * 2).sum().backward())
in_thread(lambda: log.append(torch.is_grad_enabled()))
in_thread(lambda: R.sum().backward(torch.ones(7)))
"""


COMBINED = """
A[0].mul_(2)
A.view(-1)[0] = 2
A.t().add_(1)
A.unbind(0)[0].mul_(2)
A.split(1)[0].zero_()
A.diagonal().zero_()
A.expand(2, *A.shape).add_(1)
A.detach()[0] = 2
A.unsqueeze(0).squeeze(0).mul_(3)
A[:1][0].fill_(2)
s = A * 1; s[0].mul_(2); s.sum().backward()
s = A * 1; v = s.view(-1); v.mul_(2); (s * s).sum().backward(); log.append((v.grad_fn.name(), s.grad_fn.name()))
s = A * 1; v = s[0]; s.mul_(2); log.append((v.grad_fn.name(), v._version, v.requires_grad)); v.sum().backward()
s = A * 1; v, *w = s.unbind(0); s.mul_(2); v.sum().backward()
s = A * 1; v, *w = s.unbind(0); v.mul_(2)
s = A * 1; v = s.detach(); v.mul_(2); s.sum().backward()
s = A.exp(); s.detach().mul_(2); s.sum().backward()
s = A.exp(); s.mul_(2); s.sum().backward()
s = A.sin(); s.mul_(2); s.sum().backward()
s = A * 1; y = s * s; s.add_(1); y.sum().backward()
s = A * 1; y = s * s; s.data.add_(0); y.sum().backward()
s = A * 1; y = s[0] * s[0]; s.add_(1); y.sum().backward()
s = A * 1; s.copy_(E); (s * s).sum().backward()
s = A.detach().clone(); s[0] = A[0]; (s * s).sum().backward()
s = A.detach().clone(); v = s[:1]; v.copy_(A[:1]); s.sum().backward(); log.append((v.requires_grad, v.is_leaf, s.grad_fn.name()))
s = torch.zeros_like(A); s.add_(A); (s * A).sum().backward()
s = torch.zeros_like(A); s.index_put_((torch.tensor([0]),), A[0]); (s * s).sum().backward()
s = A * 1; s.masked_fill_(A > 0, 0.5); (s * A).sum().backward()
s = A * 1; s.requires_grad_(False)
s = A * 1; s.detach_(); log.append((s.requires_grad, s.is_leaf)); s.requires_grad_(); (s * A).sum().backward(); log.append(s.grad)
s = A[0]; s.detach_()
s = A * 1; s.retain_grad(); s.mul_(2); s.sum().backward(); log.append(s.grad)
s = A * 1; s.register_hook(spy("before")); s.mul_(2); s.register_hook(spy("after")); s.sum().backward()
s = A * 1; s.retain_grad(); v = s.view(-1); v.mul_(2); s.sum().backward(); log.append(s.grad)
s = A * 1; v = s.view(-1); v.retain_grad(); s.mul_(2); v.sum().backward(); log.append(v.grad)
s = A * 1; s.retain_grad(); s.sum().backward(); s.sum().backward(); log.append(s.grad)
with torch.no_grad(): v = A[0]; v.mul_(2)
with torch.no_grad(): v = A[0]
with torch.no_grad(): s = A.view(-1)
v = A[0]; v.requires_grad_(); v.sum().backward()
L.grad.sum().backward()
L.grad.backward(torch.ones_like(L))
log.append(torch.autograd.grad(L.grad.sum(), L, allow_unused=True))
log.append(L.grad.grad_fn and L.grad.grad_fn.name())
u, = torch.autograd.grad((R * R).sum(), R, create_graph=True); (u * u).sum().backward()
u, = torch.autograd.grad(R.exp().sum(), R, create_graph=True); u.sum().backward(inputs=[L])
u, = torch.autograd.grad((R * A).sum(), R, create_graph=True, allow_unused=True); log.append(u.requires_grad)
u, = torch.autograd.grad(Pair.apply(R, R)[0].sum(), R, create_graph=True); (u * u).sum().backward()
u, = torch.autograd.grad(Pair.apply(R, A)[1].sum(), R, create_graph=True, allow_unused=True); log.append(u)
u, = torch.autograd.grad(Once.apply(R).sum(), R, create_graph=True); u.sum().backward()
u, = torch.autograd.grad(checkpoint(lambda t: t.exp() * t, R, use_reentrant=False).sum(), R, create_graph=True); u.sum().backward()
u, = torch.autograd.grad(checkpoint(lambda t: t.exp() * t, R, use_reentrant=True).sum(), R)
R.register_hook(lambda g: (L * 2).sum().backward())
R.register_hook(lambda g: torch.autograd.grad((g * g).sum(), g)[0])
s = R * 1; s.register_hook(lambda g: R.sum().backward()); s.sum().backward()
s = R * 1; handles.append(s.register_hook(lambda g: handles.pop().remove() or g * 2)); s.sum().backward(retain_graph=True); s.sum().backward()
s = R.exp(); handles.append(s.register_hook(spy("late"))); s.sum().backward(retain_graph=True); handles.pop().remove(); s.sum().backward()
s = R.exp(); s.grad_fn.register_hook(spy("raise", lambda i, o: 1 / 0)); s.sum().backward()
s = R.exp(); s.register_hook(lambda g: 1 / 0); s.sum().backward()
s = R.exp(); del s; log.append(R.requires_grad)
s = R.exp(); y = s.sum(); y.backward(); log.append(s.grad_fn.next_functions[0][0] is not None); y.backward()
x = torch.ones(3, requires_grad=True); y = (x * x).unbind(0); y[0].backward(retain_graph=True); y[1].backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = torch.stack([x, x * 2]); y[0].sum().backward(); log.append(x.grad); y[1].sum().backward()
x = torch.ones(3, requires_grad=True); (x.expand(2, 3) * A.sum()).sum().backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(3); u = x.grad; (x * x).sum().backward(); log.append((u is x.grad, u))
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(3); u = x.grad; (x * x).sum().backward(create_graph=True); log.append((u is x.grad, u, x.grad))
x = torch.ones(3, requires_grad=True); y = x.double() * A.sum(); y.sum().backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = x.to(torch.complex64) * (1 + 2j); y.abs().sum().backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = torch.where(x > 0, x, x / 0); y.sum().backward(); log.append(x.grad)
x = torch.zeros(3, requires_grad=True); y = torch.where(x > 0, x.sqrt(), x); y.sum().backward(); log.append(x.grad)
x = torch.zeros(3, requires_grad=True); x.norm().backward(); x.abs().sum().backward(); x.clamp(0, 1).sum().backward(); log.append(x.grad)
x = torch.tensor([2.0, 2.0, 1.0], requires_grad=True); (x.amax() + x.max() + x.max(0).values).backward(); log.append(x.grad)
x = torch.tensor([2.0, 2.0, 1.0], requires_grad=True); (x.median() + x.sort().values[0] + x.topk(2).values.sum()).backward(); log.append(x.grad)
x = torch.tensor([2.0, 0.0, 1.0], requires_grad=True); (x.prod() + x.cumprod(0).sum()).backward(); log.append(x.grad)
x = torch.ones(2, 3, requires_grad=True); x.requires_grad_(False); (x * A.sum()).sum().backward()
x = torch.ones(2, 3).requires_grad_(); y = x.t() @ x; y.t_(); y.sum().backward(); log.append(x.grad)
x = torch.ones(2, requires_grad=True); y = x * 2; x.requires_grad_(False); y.sum().backward(); log.append(x.grad)
x = torch.ones(2, requires_grad=True); y = x * 2; x.detach_(); y.sum().backward(); log.append(x.grad)
x = torch.ones(2, requires_grad=True); y = x * x; x.data = torch.zeros(2); y.sum().backward(); log.append(x.grad)
x = torch.ones(2, requires_grad=True); y = x * x; x.data.fill_(3); y.sum().backward(); log.append(x.grad)
x = torch.ones(2, requires_grad=True); y = (x * 2).sum(); del x; y.backward()
x = torch.ones(2, requires_grad=True); x[0] = 1
x = torch.ones(2, requires_grad=True); x.view(-1)[0] = 1
x = torch.ones(2); v = x[:1]; x.requires_grad_(); v.mul_(2); log.append((v.requires_grad, x._version))
with torch.no_grad(): x = torch.ones(2, requires_grad=True); y = x * 2; log.append((x.requires_grad, y.requires_grad, y.is_leaf))
with torch.inference_mode(): x = torch.ones(2, requires_grad=True); y = x * 2; log.append((x.requires_grad, y.requires_grad, y.is_leaf))
with torch.inference_mode(): x = torch.ones(3)
x = torch.ones(3); x.requires_grad_(); (x * A.sum()).sum().backward(); log.append(x.grad)
"""


def _listed(text: str) -> list[str]:
    return [line for line in text.strip().split("\n") if line]


# (weight, templates)
KINDS: list[tuple[int, list[str]]] = [
    (14, _listed(LEAVES)),
    (22, _listed(COMPUTE)),
    (14, _listed(VIEWS)),
    (16, _listed(IN_PLACE)),
    (16, _listed(BACKWARD)),
    (8, _listed(GRAD)),
    (8, _listed(FLAGS)),
    (9, _listed(HOOKS)),
    (7, _listed(FUNCTIONS)),
    (9, _listed(CONTEXTS)),
    (5, _listed(TRANSFORMS)),
    (16, _listed(COMBINED)),
]
