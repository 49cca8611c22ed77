"""Forms made of several transformations, such as "penalty of hessian of vmap_x"."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz_functions.forms import FORMS, FORWARD, Form, results, total

# Each step turns a function of four tensors into another one.
STEPS: dict[str, Callable[[Any, Callable], Callable]] = {
    "grad": lambda torch, f: torch.func.grad_and_value(_scalar(torch, f), argnums=(0, 1)),
    "vjp": lambda torch, f: lambda *a: _pulled(torch, f, a),
    "jvp": lambda torch, f: lambda *a: torch.func.jvp(f, a, tuple([torch.cos(t) for t in a])),
    "jacrev": lambda torch, f: torch.func.jacrev(_scalar(torch, f), argnums=(1, 2)),
    "jacfwd": lambda torch, f: torch.func.jacfwd(f, argnums=2),
    "hessian": lambda torch, f: torch.func.hessian(_scalar(torch, f), argnums=2),
    "vmap_x": lambda torch, f: lambda x, *a: torch.vmap(f, (0, None, None, None))(torch.stack([x, x * 0.5]), *a),
    "vmap_y": lambda torch, f: (
        lambda x, y, *a: torch.vmap(f, (None, -1, None, None), chunk_size=2)(
            x, torch.stack([y, y.sin(), y * 2], -1), *a
        )
    ),
    "vmap_both": lambda torch, f: (
        lambda x, y, z, s: torch.vmap(f, (1, 0, None, None))(
            torch.stack([x, x + 1], 1), torch.stack([y, y * 0.5]), z, s
        )
    ),
    "penalty": lambda torch, f: lambda *a: _penalized(torch, f, a),
}
_INNER = [name for name in STEPS if name != "penalty"]


def stack_of(random: Random) -> str:
    """Return the name of a random form of two or three steps."""
    inner = [random.choice(_INNER) for _ in range(random.randint(1, 2))]
    return " of ".join([random.choice(list(STEPS)), *inner])


def form_of(name: str) -> Form:
    """Return the form of a name in `FORMS`, or of the names of steps, the outermost first."""
    return FORMS.get(name) or (lambda torch, f, args, others: _stacked(torch, f, name)(*args))


def pushes(name: str) -> bool:
    """Return whether a form computes forward-mode derivatives."""
    return any(step in FORWARD for step in name.split(" of "))


def _stacked(torch: Any, f: Callable, name: str) -> Callable:
    for step in reversed(name.split(" of ")):
        f = STEPS[step](torch, f)
    return f


def _scalar(torch: Any, f: Callable) -> Callable:
    return lambda *a: total(torch, f(*a))


def _pulled(torch: Any, f: Callable, args: tuple) -> tuple:
    out, pull = torch.func.vjp(lambda *a: tuple(results(f(*a))), *args)
    return out, pull(tuple([torch.cos(t) for t in out]))


def _penalized(torch: Any, f: Callable, args: tuple) -> list:
    """Return the gradients of a loss with a penalty on its own gradients."""
    leaves = [t.detach().clone().requires_grad_() for t in args]
    loss = total(torch, f(*leaves))
    if loss.requires_grad:
        first = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
        (loss + sum(g.square().sum() for g in first if g is not None)).backward()
    return [loss, *[t.grad for t in leaves]]


__all__ = ["STEPS", "form_of", "pushes", "stack_of"]
