"""Sparse gradients within compiled calls."""

import numpy as np
import pytest

import torchlike

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")


def functions(optimizer="SparseAdam", padding_idx=None, **options):
    """Return the functions of a training loop by name, and the embedding table of their model.

    The model is the table and a linear layer, each with its own optimizer.
    """
    torch = torchlike
    torch.manual_seed(0)
    table, linear = torch.nn.Embedding(20, 4, sparse=True, padding_idx=padding_idx), torch.nn.Linear(4, 1)
    first = getattr(torch.optim, optimizer)(table.parameters(), lr=0.1, **options)
    second = torch.optim.Adam(linear.parameters(), lr=0.01)

    def zero():
        first.zero_grad()
        second.zero_grad()

    def loss(x, y):
        return ((linear(table(x).mean(1))[:, 0] - y) ** 2).mean()

    def update():
        first.step()
        second.step()

    def step(x, y):
        zero()
        found = loss(x, y)
        found.backward()
        update()
        return found

    def passes(x, y):
        zero()
        found = loss(x, y)
        found.backward()
        return found

    def twice(x, y):
        zero()
        loss(x, y).backward()
        found = loss(x.flip(0), y)
        found.backward()
        update()
        return found

    return {"step": step, "loss": loss, "passes": passes, "twice": twice, "zero": zero, "update": update}, table


def curve(wrap, what, **options):
    """Return the losses and the final table of a few steps, with the function named `what` wrapped by `wrap`."""
    made, table = functions(**options)
    call, losses = wrap(made[what]), []
    for _ in range(6):
        x, y = torchlike.randint(0, 20, (6, 3)), torchlike.randn(6)
        loss = call(x, y)
        if what == "loss":
            made["zero"]()
            loss.backward()
        if what in ("loss", "passes"):
            made["update"]()
        losses.append(loss.item())
    return [*losses, *table.weight.detach().reshape(-1).tolist()]


def whole(function):
    return torchlike.compile(function, fullgraph=True)


def same_curves(wrap, what, options):
    found, due = (curve(w, what, **options) for w in (wrap, lambda f: f))
    np.testing.assert_allclose(found, due, rtol=1e-4, atol=1e-6)  # a compiled program rounds in another order


@pytest.mark.parametrize("what", ["step", "loss", "passes"])
@pytest.mark.parametrize("optimizer", ["SparseAdam", "Adagrad", "SGD"])
def test_compiled_whole(optimizer, what):
    same_curves(whole, what, {"optimizer": optimizer})


# Cases that need the indices on the host. They run uncompiled, or raise if compilation is required.
ON_THE_HOST = [
    ({"padding_idx": 1}, "step", "a sparse gradient with padding_idx"),
    ({}, "twice", "the indices of a sparse tensor"),
    ({"optimizer": "SGD", "momentum": 0.9}, "step", "a sparse momentum buffer"),
]


@pytest.mark.parametrize(("options", "what", "reason"), ON_THE_HOST, ids=[c[2] for c in ON_THE_HOST])
def test_not_compiled_whole(options, what, reason):
    same_curves(torchlike.compile, what, options)
    with pytest.raises(RuntimeError, match=reason):
        curve(whole, what, **options)
