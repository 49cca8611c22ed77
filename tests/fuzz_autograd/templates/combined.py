"""Templates of several steps on one tensor."""

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
s = A.detach().clone(); v = s[:1]; v.copy_(A[:1]); s.sum().backward();
  log.append((v.requires_grad, v.is_leaf, s.grad_fn.name()))
s = torch.zeros_like(A); s.add_(A); (s * A).sum().backward()
s = torch.zeros_like(A); s.index_put_((torch.tensor([0]),), A[0]); (s * s).sum().backward()
s = A * 1; s.masked_fill_(A > 0, 0.5); (s * A).sum().backward()
s = A * 1; s.requires_grad_(False)
s = A * 1; s.detach_(); log.append((s.requires_grad, s.is_leaf)); s.requires_grad_(); (s * A).sum().backward();
  log.append(s.grad)
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
u, = torch.autograd.grad(checkpoint(lambda t: t.exp() * t, R, use_reentrant=False).sum(), R, create_graph=True);
  u.sum().backward()
u, = torch.autograd.grad(checkpoint(lambda t: t.exp() * t, R, use_reentrant=True).sum(), R)
R.register_hook(lambda g: (L * 2).sum().backward())
R.register_hook(lambda g: torch.autograd.grad((g * g).sum(), g)[0])
s = R * 1; s.register_hook(lambda g: R.sum().backward()); s.sum().backward()
s = R * 1; handles.append(s.register_hook(lambda g: handles.pop().remove() or g * 2));
  s.sum().backward(retain_graph=True); s.sum().backward()
s = R.exp(); handles.append(s.register_hook(spy("late"))); s.sum().backward(retain_graph=True);
  handles.pop().remove(); s.sum().backward()
s = R.exp(); s.grad_fn.register_hook(spy("raise", lambda i, o: 1 / 0)); s.sum().backward()
s = R.exp(); s.register_hook(lambda g: 1 / 0); s.sum().backward()
s = R.exp(); del s; log.append(R.requires_grad)
s = R.exp(); y = s.sum(); y.backward(); log.append(s.grad_fn.next_functions[0][0] is not None); y.backward()
x = torch.ones(3, requires_grad=True); y = (x * x).unbind(0); y[0].backward(retain_graph=True); y[1].backward();
  log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = torch.stack([x, x * 2]); y[0].sum().backward(); log.append(x.grad);
  y[1].sum().backward()
x = torch.ones(3, requires_grad=True); (x.expand(2, 3) * A.sum()).sum().backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(3); u = x.grad; (x * x).sum().backward();
  log.append((u is x.grad, u))
x = torch.ones(3, requires_grad=True); x.grad = torch.ones(3); u = x.grad;
  (x * x).sum().backward(create_graph=True); log.append((u is x.grad, u, x.grad))
x = torch.ones(3, requires_grad=True); y = x.double() * A.sum(); y.sum().backward(); log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = x.to(torch.complex64) * (1 + 2j); y.abs().sum().backward();
  log.append(x.grad)
x = torch.ones(3, requires_grad=True); y = torch.where(x > 0, x, x / 0); y.sum().backward(); log.append(x.grad)
x = torch.zeros(3, requires_grad=True); y = torch.where(x > 0, x.sqrt(), x); y.sum().backward(); log.append(x.grad)
x = torch.zeros(3, requires_grad=True); x.norm().backward(); x.abs().sum().backward();
  x.clamp(0, 1).sum().backward(); log.append(x.grad)
x = torch.tensor([2.0, 2.0, 1.0], requires_grad=True); (x.amax() + x.max() + x.max(0).values).backward();
  log.append(x.grad)
x = torch.tensor([2.0, 2.0, 1.0], requires_grad=True);
  (x.median() + x.sort().values[0] + x.topk(2).values.sum()).backward(); log.append(x.grad)
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
with torch.no_grad(): x = torch.ones(2, requires_grad=True); y = x * 2;
  log.append((x.requires_grad, y.requires_grad, y.is_leaf))
with torch.inference_mode(): x = torch.ones(2, requires_grad=True); y = x * 2;
  log.append((x.requires_grad, y.requires_grad, y.is_leaf))
with torch.inference_mode(): x = torch.ones(3)
x = torch.ones(3); x.requires_grad_(); (x * A.sum()).sum().backward(); log.append(x.grad)
"""
