"""Small programs, each in a mode of its own.

Each program returns facts that are the same in every run: the values, dtypes and flags of its results, in the mode and
after it. The programs of `JUDGED` run under either library (`torch`), the others under torchlike only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Facts = list
Mode = Callable[[Any], Facts]


def _facts(*tensors: Any) -> Facts:
    return [
        (
            str(t.dtype).rpartition(".")[2],
            t.requires_grad,
            t.is_inference(),
            t.grad_fn is not None,
            _rounded(t.tolist()),
        )
        for t in tensors
    ]


def _rounded(numbers: Any) -> Any:
    return [_rounded(x) for x in numbers] if isinstance(numbers, list) else float(f"{numbers:.4g}")


def _flags(torch: Any) -> Facts:
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_autocast_enabled("cpu")]


def _leaf(torch: Any, *shape: int) -> Any:
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(float(count)).reshape(shape) / 8 - 0.5).requires_grad_()


def plain(torch: Any) -> Facts:
    """Run training steps."""
    w, x = _leaf(torch, 3, 2), _leaf(torch, 4, 3).detach()
    optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        (x @ w).square().mean().backward()
        optimizer.step()
    made = x @ w
    x[1:3].mul_(2)
    return [*_facts(w, w.grad, made, x), *_flags(torch)]


def inference(torch: Any) -> Facts:
    """Use inference mode around a view and a write."""
    w = _leaf(torch, 3, 2)
    with torch.inference_mode():
        inside = w * 2
        inside[0].add_(1)
        flags = _flags(torch)
    return [*_facts(inside, w * 3), *flags, *_flags(torch)]


def no_grad(torch: Any) -> Facts:
    """Disable gradients, and enable them inside."""
    w = _leaf(torch, 3)
    with torch.no_grad():
        a = w * 2
        with torch.enable_grad():
            b = w * 3
        flags = _flags(torch)
    return [*_facts(a, b, w * 4), *flags, *_flags(torch)]


def mapped(torch: Any) -> Facts:
    """Use `vmap` over a product and a reduction."""
    x, w = _leaf(torch, 4, 3), _leaf(torch, 3)
    return _facts(torch.vmap(lambda row: (row * w).sum())(x), torch.vmap(torch.sin, in_dims=1, out_dims=1)(x.detach()))


def transformed(torch: Any) -> Facts:
    """Use `func.grad` and `jvp`, also nested."""
    x = _leaf(torch, 3).detach()
    f = lambda v: (v * v * v).sum()
    value, tangent = torch.func.jvp(torch.func.grad(f), (x,), (torch.ones(3),))
    return [*_facts(torch.func.grad(f)(x), value, tangent, torch.func.hessian(f)(x)), *_flags(torch)]


def dual(torch: Any) -> Facts:
    """Use forward mode with dual numbers."""
    import importlib

    forward = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")
    x = _leaf(torch, 3).detach()
    with forward.dual_level():
        made = forward.make_dual(x, torch.ones(3)).square().sum()
        value, tangent = forward.unpack_dual(made)
    return _facts(value, tangent, x.square())


def autocast(torch: Any) -> Facts:
    """Use autocast with products in bfloat16."""
    w, x = _leaf(torch, 3, 2), _leaf(torch, 4, 3).detach()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = x @ w
        flags = _flags(torch)
    made.sum().backward()
    return [*_facts(made, w.grad, x @ w), *flags, *_flags(torch)]


def checkpoint(torch: Any) -> Facts:
    """Use activation checkpointing."""
    import importlib

    rerun = importlib.import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    w = _leaf(torch, 3)
    made = rerun(lambda v: (v * 2).sigmoid().square(), w, use_reentrant=False)
    made.sum().backward()
    return [*_facts(made, w.grad), *_flags(torch)]


def hooks(torch: Any) -> Facts:
    """Use hooks on saved tensors."""
    w, packed = _leaf(torch, 3), []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.tolist()) or t * 1, lambda t: t):
        made = (w * w).exp()
    made.sum().backward()
    other = _leaf(torch, 2)
    (other * other).sum().backward()
    return [*_facts(made, w.grad, other.grad), len(packed)]


def anomaly(torch: Any) -> Facts:
    """Use anomaly detection, which reports a NaN of backward."""
    w = _leaf(torch, 3)
    flags, error = [], ""
    with torch.autograd.detect_anomaly(check_nan=True):
        flags = [*_flags(torch), torch.is_anomaly_enabled()]  # global to the process in PyTorch
        try:
            (w.detach() - w).sqrt().mul(0).sum().backward()
        except RuntimeError as raised:
            error = str(raised)
    return [error, *flags, *_flags(torch), *_facts(w * 2)]


def _higher_order(torch: Any) -> Facts:
    """Use `scan`, `cond` and `while_loop`."""
    from torchlike._higher_order_ops import cond, scan, while_loop

    carry, outs = scan(lambda c, x: (c + x, c * x), torch.zeros(2), torch.ones(5, 2))
    chosen = cond(carry.sum() > 3, lambda v: v * 2, lambda v: v - 1, (carry,))
    count, total = while_loop(lambda n, t: n < 4, lambda n, t: (n + 1, t * 2), (torch.tensor(0), torch.ones(2)))
    return _facts(carry, outs, chosen, count, total)


def _compiled() -> Mode:
    import torchlike

    w = _leaf(torchlike, 3, 2)

    @torchlike.compile(fullgraph=True)
    def step(x: Any) -> Any:
        loss = (x @ w).square().mean()
        loss.backward()
        grad = w.grad.clone()
        w.grad = None
        return loss.detach(), grad

    def compiled(torch: Any) -> Facts:
        """Call a compiled step that all threads share."""
        return [*_facts(*step(_leaf(torch, 4, 3).detach())), *_flags(torch)]

    return compiled


def _compiled_anew(torch: Any) -> Facts:
    """Compile and capture a function at each call."""
    n = 3
    return _facts(torch.compile(lambda x: x * n + x.sum())(_leaf(torch, 4).detach()))


JUDGED: tuple[Mode, ...] = (plain, inference, no_grad, mapped, transformed, dual, autocast, checkpoint, hooks, anomaly)


def modes() -> list[Mode]:
    """Return all modes. Each call creates a new compiled function."""
    return [*JUDGED, _higher_order, _compiled(), _compiled_anew]
