"""Random compiled functions that return views, saved tensors and lists of them, beside PyTorch without compilation.

After each of three calls, values, layouts, shared memory, gradients of the results and of the parameters are compared.
More programs: `python -m tests.compile.test_random_results FIRST COUNT`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.utils.checkpoint

import torchlike
import torchlike.utils.checkpoint

VIEWS = (
    "t.t()",
    "t[1:]",
    "t[:, 0]",
    "t.view(-1)",
    "t.unsqueeze(0)",
    "t.reshape(2, -1)",
    "t.expand(2, *t.shape)",
    "t.transpose(0, -1)",
    "t.squeeze()",
    "t.chunk(2)[0]",
    "t.unbind(0)[0]",
    "t.narrow(0, 0, 1)",
    "t.detach()",
    "t[..., ::2]",
    "t.view_as(t)",
    "t.permute(*range(t.dim() - 1, -1, -1))",
    "t.diagonal()",
    "t.unflatten(0, (1, -1))",
    "t.as_strided((2,), (1,))",
)
OPERATORS = (
    "t * 2",
    "t.exp()",
    "t.tanh()",
    "t + x.sum()",
    "t.clone()",
    "square(t)",
    "product(t, t.detach() * 2)[0]",
    "product(t, t)[1]",
    "checkpoint(lambda q: q.tanh() * q, t, use_reentrant=False)",
    "checkpoint(lambda q: square(q).sin(), t, use_reentrant=False)",
    "t * w.sum()",
    "t.softmax(-1)",
    "t.contiguous()",
    "t.mul_(1.5)",
    "t.relu_()",
    "torch.cat([t, t])",
    "torch.where(t > 0, t, -t)",
)
EDITS = ("o.mul_(2)", "o.add_(o.detach())", "o.relu_()", "o.t()", "o.clone()", "o.detach()", "o.view(-1)[0]", "None")


def source(rng: random.Random) -> str:
    """Return the source text of a random function."""
    lines, names = ["def f(x):", "    t0 = layer(x)"], ["t0"]
    for i in range(1, rng.randrange(2, 7)):
        body = rng.choice(VIEWS if rng.random() < 0.5 else OPERATORS)
        lines.append(f"    t{i} = (lambda t: {body})({rng.choice(names)})")
        names.append(f"t{i}")
    results = [rng.choice(names) for _ in range(rng.randrange(1, 4))]
    results += rng.choice(([], [], ["x"], ["w"], ["t0.sum()"], ["None"], ["3"]))
    listed = ", ".join(results)
    form = rng.choice(("({},)", "[{}]", "dict(zip('abcdef', [{}]))"))
    return "\n".join([*lines, f"    return {form.format(listed)}"])


def functions(library: Any) -> dict[str, Any]:
    """Return the custom functions that the programs call."""

    class Square(library.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class Product(library.autograd.Function):
        @staticmethod
        def forward(a, b):
            return a * b, b.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs, output[0])

        @staticmethod
        def backward(ctx, g, h):
            a, b, c = ctx.saved_tensors
            return g * b, g * a + h * b.cos() + 0 * c

    checkpoint = library.utils.checkpoint.checkpoint
    return {"square": Square.apply, "product": Product.apply, "checkpoint": checkpoint, "torch": library}


def run(library: Any, transform: Callable, seed: int) -> list:
    """Return what three calls of a random function show."""
    rng = random.Random(seed)
    library.manual_seed(seed)
    layer = library.nn.Linear(4, 4, dtype=library.float64)
    w = library.nn.Parameter(library.linspace(0.5, 1, 4, dtype=library.float64))
    scope: dict[str, Any] = {**functions(library), "layer": layer, "w": w}
    exec(source(rng), scope)
    function, found = transform(scope["f"]), []
    needs_grad = rng.random() < 0.3
    for call in range(3):
        edits = [(rng.random(), rng.choice(EDITS)) for _ in range(rng.randrange(3))]
        shares = [rng.random() for _ in range(8)]
        x = (library.arange(16.0, dtype=library.float64).reshape(4, 4) / 10 + call).sin().requires_grad_(needs_grad)
        try:
            _call(library, function, [*layer.parameters(), w, x], edits, shares, found)
        except (RuntimeError, IndexError) as error:
            found.append(str(error).partition(", which is output")[0].partition("Output 0 of")[0])
    return found


def _call(library: Any, function: Callable, leaves: list, edits: list, shares: list[float], found: list) -> None:
    """Call a function, edit its results, run a backward pass and add what can be seen to `found`."""
    returned = function(leaves[-1])
    given = list(returned.values()) if isinstance(returned, dict) else list(returned)
    results = [r for r in given if isinstance(r, library.Tensor)]
    found.append((type(returned).__name__, [r for r in given if not isinstance(r, library.Tensor)]))
    addresses = [r.untyped_storage().data_ptr() for r in results]
    found.append([a == b for a in addresses for b in addresses])
    for at, edit in edits:
        with library.set_grad_enabled(not results[int(at * len(results))].is_leaf):
            eval(edit, {"o": results[int(at * len(results))]})
    found += [(tuple(r.shape), r.stride(), r.storage_offset(), r.requires_grad, r.is_leaf) for r in results]
    found += [r.detach().numpy().copy() for r in results]
    losses = [(r * r).mean() for r, share in zip(results, shares) if r.requires_grad and share < 0.7]
    if losses:
        sum(losses).backward()
    found += [None if p.grad is None else p.grad.numpy().copy() for p in leaves]
    for p in leaves[:-1]:
        p.grad = None


def difference(seed: int) -> str | None:
    """Return where a compiled program differs from PyTorch's, or None."""
    theirs, ours = run(torch, lambda f: f, seed), run(torchlike, torchlike.compile, seed)
    if any(isinstance(x, str) for x in theirs):  # PyTorch refuses a write to a result; a compiled result is no view
        return None
    for place, (mine, due) in enumerate(zip(ours, theirs)):
        is_same = type(mine) is type(due) and (
            np.allclose(mine, due, rtol=1e-9, atol=1e-12) if isinstance(due, np.ndarray) else mine == due
        )
        if not is_same:
            return f"{seed}: entry {place}\n{source(random.Random(seed))}\n{mine}\nnot\n{due}"
    return None if len(ours) == len(theirs) else f"{seed}: {ours[-1]}"


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_results(first):
    assert [text for seed in range(first, first + 10) if (text := difference(seed))] == []


if __name__ == "__main__":
    begin, count = map(int, sys.argv[1:])
    different = [text for seed in range(begin, begin + count) if (text := difference(seed))]
    print(*different, f"{count} programs, {len(different)} differences", sep="\n")
