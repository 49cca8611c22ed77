"""Compiled functions may return views of tensors that they create. As in PyTorch, the results are not views."""

import warnings

import pytest
import torch
import torch.utils.checkpoint

import torchlike
import torchlike.utils.checkpoint


def _squared(library):
    """Return a custom function that saves its input."""

    class Squared(library.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    return Squared.apply


SQUARED = {library.Tensor: _squared(library) for library in (torch, torchlike)}


def checkpointed(x):
    checkpoint = (torch if isinstance(x, torch.Tensor) else torchlike).utils.checkpoint.checkpoint
    return checkpoint(lambda a: a.tanh() * a, x, use_reentrant=False).sum()


PROGRAMS = {
    "view": lambda m, x: m(x).view(-1),
    "select": lambda m, x: m(x)[:, 1],
    "last slice": lambda m, x: (m(x) * 2)[:, 1:],
    "transposed": lambda m, x: m(x).t(),
    "squeezed": lambda m, x: m(x)[:, :1].squeeze(-1),
    "expanded": lambda m, x: m(x).expand(2, 4, 3),
    "detached": lambda m, x: m(x)[1].detach(),
    "pieces": lambda m, x: m(x).chunk(2),
    "unbound": lambda m, x: m(x).unbind(1),
    "beside another": lambda m, x: (x + 1, m(x).t()),
    "written before": lambda m, x: m(x).relu().clone().t().mul_(2),
    "saved by a function": lambda m, x: (z := m(x).unsqueeze(1).squeeze(1), SQUARED[type(x)](z).sum()),
    "read again by a checkpoint": lambda m, x: (z := m(x).unsqueeze(1).squeeze(1), checkpointed(z)),
    "saved result": lambda m, x: m(x / 9).exp().reshape(2, 6),
}


def all_of(results):
    return results if isinstance(results, tuple) else (results,)


def _seen(program, library, backend):
    """Return what three calls give, and the gradients of the parameters."""
    library._dynamo.reset()
    library.manual_seed(0)
    m = library.nn.Linear(3, 3)
    run = library.compile(lambda x: program(m, x), fullgraph=True, **backend)
    found = []
    for step in range(3):
        results = run(library.arange(12.0).view(4, 3) + step)
        for t in all_of(results):
            found.append((t._is_view(), t._base is None, t.stride(), t.storage_offset(), type(t.grad_fn).__name__))
            found.append(t.tolist())
        losses = [(t * t).sum() for t in all_of(results) if t.requires_grad]
        if losses:
            library.stack(losses).sum().backward()
        found.append(None if m.weight.grad is None else m.weight.grad.tolist())
    return found


def _rounded(x):
    if isinstance(x, list | tuple):
        return [_rounded(y) for y in x]
    return float(f"{x:.4g}") if isinstance(x, float) else x


@pytest.mark.parametrize("name", PROGRAMS)
def test_returned_view(name):
    with warnings.catch_warnings(action="ignore"):
        want = _seen(PROGRAMS[name], torch, {"backend": "aot_eager"})
    got = _seen(PROGRAMS[name], torchlike, {})
    assert _rounded(got) == _rounded(want)
