"""The forms in which a function is called: under transformations, gradients, compilers and traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Form = Callable[[Any, Callable, list, list], Any]
FORMS: dict[str, Form] = {}


def _form(function: Form) -> Form:
    FORMS[function.__name__] = function
    return function


def results(out: Any) -> list:
    """Return the tensors of a result."""
    if isinstance(out, tuple | list):
        return [t for each in out for t in results(each)]
    return [out]


def total(torch: Any, out: Any) -> Any:
    """Return one number that depends on each element of a result in another way."""
    return sum((t * torch.linspace(0.5, 1.5, t.numel()).reshape(t.shape)).sum() for t in results(out))


def _leaves(args: list) -> list:
    return [t.detach().clone().requires_grad_() for t in args]


def _direction(torch: Any, args: list) -> tuple:
    return tuple([torch.cos(t * 3 + 1) for t in args])


def _scalar(torch: Any, f: Callable) -> Callable:
    return lambda *args: total(torch, f(*args))


def _gradients(torch: Any, f: Callable, args: list) -> list:
    leaves = _leaves(args)
    out = f(*leaves)
    loss = total(torch, out)
    if loss.requires_grad:
        loss.backward()
    return [*results(out), *[t.grad for t in leaves]]


@_form
def plain(torch, f, args, others):
    return f(*args), f(*others)


@_form
def no_grad(torch, f, args, others):
    with torch.no_grad():
        return f(*_leaves(args))


@_form
def backward(torch, f, args, others):
    return _gradients(torch, f, args)


@_form
def twice_backward(torch, f, args, others):
    leaves = _leaves(args)
    loss = total(torch, f(*leaves))
    first = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True, materialize_grads=True)
    second = sum(t.square().sum() for t in first)
    if not second.requires_grad:
        return list(first)
    return [*first, *torch.autograd.grad(second, leaves, allow_unused=True, materialize_grads=True)]


@_form
def grad(torch, f, args, others):
    return torch.func.grad(_scalar(torch, f), argnums=(0, 1, 2, 3))(*args)


@_form
def vjp(torch, f, args, others):
    out, pull = torch.func.vjp(f, *args)
    seeds = tuple([torch.cos(t) for t in results(out)])
    return out, pull(seeds if isinstance(out, tuple) else seeds[0])


@_form
def jvp(torch, f, args, others):
    return torch.func.jvp(f, tuple(args), _direction(torch, args))


@_form
def dual_numbers(torch, f, args, others):
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        pairs = [ad.make_dual(t, d) for t, d in zip(args, _direction(torch, args))]
        return [part for t in results(f(*pairs)) for part in ad.unpack_dual(t)]


@_form
def linearize(torch, f, args, others):
    out, push = torch.func.linearize(f, *args)
    return out, push(*_direction(torch, args))


FORWARD = ("jvp", "dual_numbers", "linearize", "jacfwd", "hessian", "vmap_jvp")


def pushed(torch: Any, f: Callable, args: list, step: float = 1e-5) -> list[list]:
    """Return the Jacobian-vector product of a function: by differences, by `jvp` and by `linearize`."""
    direction = _direction(torch, args)
    ends = [results(f(*[t + sign * step * d for t, d in zip(args, direction)])) for sign in (1, -1)]
    slopes = [(after - before) / (2 * step) for after, before in zip(*ends)]
    forward = torch.func.jvp(f, tuple(args), direction)[1]
    return [slopes, results(forward), results(torch.func.linearize(f, *args)[1](*direction))]


@_form
def jacrev(torch, f, args, others):
    return torch.func.jacrev(f, argnums=1)(*args)


@_form
def jacfwd(torch, f, args, others):
    return torch.func.jacfwd(f, argnums=(1, 2))(*args)


@_form
def hessian(torch, f, args, others):
    return torch.func.hessian(_scalar(torch, f), argnums=1)(*args)


@_form
def functional_jacobian(torch, f, args, others):
    return torch.autograd.functional.jacobian(_scalar(torch, f), tuple(args))


def _stacked(torch: Any, args: list, others: list, which: str) -> list:
    return [torch.stack([a, b]) if name in which else a for name, a, b in zip("xyzs", args, others)]


def _dims(which: str, dim: int = 0) -> tuple:
    return tuple([dim if name in which else None for name in "xyzs"])


@_form
def vmap_first(torch, f, args, others):
    return torch.func.vmap(f, in_dims=_dims("x"))(*_stacked(torch, args, others, "x"))


@_form
def vmap_all(torch, f, args, others):
    return torch.func.vmap(f)(*_stacked(torch, args, others, "xyzs"))


@_form
def vmap_others(torch, f, args, others):
    return torch.func.vmap(f, in_dims=_dims("ys"))(*_stacked(torch, args, others, "ys"))


@_form
def vmap_last(torch, f, args, others):
    stacked = [t.movedim(0, -1) if name in "xs" else t for name, t in zip("xyzs", _stacked(torch, args, others, "xs"))]
    return torch.func.vmap(f, in_dims=_dims("xs", -1), out_dims=0)(*stacked)


@_form
def vmap_chunks(torch, f, args, others):
    stacked = [torch.stack([a, b, a * 0.5]) for a, b in zip(args, others)]
    return torch.func.vmap(f, chunk_size=2)(*stacked)


@_form
def vmap_grad(torch, f, args, others):
    each = torch.func.grad(_scalar(torch, f), argnums=(0, 1))
    return torch.func.vmap(each, in_dims=_dims("xz"))(*_stacked(torch, args, others, "xz"))


@_form
def grad_vmap(torch, f, args, others):
    inner = torch.func.vmap(f, in_dims=_dims("x"))
    stacked = _stacked(torch, args, others, "x")
    return torch.func.grad(_scalar(torch, inner), argnums=(0, 1))(*stacked)


@_form
def vmap_jvp(torch, f, args, others):
    each = lambda *a: torch.func.jvp(f, a, _direction(torch, list(a)))
    return torch.func.vmap(each, in_dims=_dims("ys"))(*_stacked(torch, args, others, "ys"))


@_form
def vmap_vmap(torch, f, args, others):
    inner = torch.func.vmap(f, in_dims=_dims("x"))
    stacked = [torch.stack([args[0], others[0]]), torch.stack([args[1], others[1], args[1] + 1]), *args[2:]]
    return torch.func.vmap(inner, in_dims=_dims("y"))(*stacked)


@_form
def checkpoint(torch, f, args, others):
    kept = lambda *a: torch.utils.checkpoint.checkpoint(f, *a, use_reentrant=False)
    return _gradients(torch, kept, args)


@_form
def saved_tensors(torch, f, args, others):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        return _gradients(torch, f, args)


@_form
def compiled(torch, f, args, others):
    fast = _compile(torch, f)
    return [fast(*args), fast(*others), fast(*args), *_gradients(torch, fast, args), *_gradients(torch, fast, others)]


@_form
def compiled_step(torch, f, args, others):
    fast = _compile(torch, lambda *a: _gradients(torch, f, list(a)))
    return [fast(*args), fast(*others), fast(*args)]


@_form
def compiled_grad(torch, f, args, others):
    fast = _compile(torch, torch.func.grad(_scalar(torch, f), argnums=(0, 1)))
    return [fast(*args), fast(*others), fast(*args)]


@_form
def compiled_vmap(torch, f, args, others):
    fast = _compile(torch, torch.func.vmap(f, in_dims=_dims("x")))
    stacked = _stacked(torch, args, others, "x")
    return [fast(*stacked), fast(*[t.flip(0) if t.ndim > 2 else t for t in stacked]), fast(*stacked)]


def _compile(torch: Any, f: Callable) -> Callable:
    """Return the function compiled in torchlike, and the function itself in PyTorch."""
    return f if torch.__name__ == "torch" else torch.compile(f)


@_form
def make_fx(torch, f, args, others):
    traced = torch.fx.experimental.proxy_tensor.make_fx(f)(*args)
    return traced(*args), traced(*others)


@_form
def jit_trace(torch, f, args, others):
    traced = torch.jit.trace(f, tuple(args), check_trace=False)
    return traced(*args), traced(*others)


@_form
def half(torch, f, args, others):
    return [t.dtype for t in results(f(*[t.to(torch.bfloat16) for t in args]))]


@_form
def meta(torch, f, args, others):
    return [(tuple(t.shape), t.dtype, t.stride()) for t in results(f(*[t.to("meta") for t in args]))]
