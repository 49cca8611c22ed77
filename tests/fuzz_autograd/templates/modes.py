"""Templates with hooks on saved tensors, checkpoints, grad modes, function transforms and threads."""

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
