"""Templates of backward passes, and of reads and changes of gradients and flags."""

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
N, = fresh(torch.autograd.grad([G, R], [L], [torch.ones_like(G), torch.ones_like(R)], allow_unused=True,
  retain_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones(2, *G.shape, dtype=G.dtype), is_grads_batched=True,
  retain_graph=True))
N, = fresh(torch.autograd.grad(G, [L], torch.ones(2, *G.shape, dtype=G.dtype), is_grads_batched=True,
  allow_unused=True))
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
log.append(deep(lambda t: t.prod(), R, 2))
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
