"""Programs whose operators select a whole dim, or pad by nothing, at the greatest declared size."""

import pytest

import torchlike as torch
from torchlike import nn
from torchlike.export import Dim, export
from torchlike.nn import functional as F

MOST = 8
CALLS = ((2, 5), (3, MOST), (4, 2), (6, 7))


class Limited(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("w", torch.randn(MOST, 3, generator=torch.Generator().manual_seed(0)))

    def forward(self, x):
        return self.function(self.w, x)


def _written(w, x):
    made = x.new_zeros(x.shape[0], MOST, 3)
    made[:, : x.shape[1]] = x
    return made


def _scaled(w, x):
    return w.clone()[: x.shape[1]].mul_(2) + x


FORWARDS = {
    "first": lambda w, x: x + w[: x.shape[1]],
    "last": lambda w, x: x + w[-x.shape[1] :],
    "rest": lambda w, x: x + w[MOST - x.shape[1] :],
    "ellipsis": lambda w, x: x + w[: x.shape[1], ...],
    "with a new dim": lambda w, x: x + w[None, : x.shape[1]],
    "two slices": lambda w, x: (w @ w.T)[: x.shape[1], : x.shape[1]] @ x,
    "narrow": lambda w, x: x + w.narrow(0, 0, x.shape[1]),
    "split": lambda w, x: x + w.split([x.shape[1], MOST - x.shape[1]])[0],
    "pad": lambda w, x: F.pad(x, (0, 0, 0, MOST - x.shape[1])),
    "crop": lambda w, x: x + F.pad(w, (0, 0, 0, x.shape[1] - MOST)),
    "expand": lambda w, x: w[:1].expand(x.shape[1], 3) + x,
    "positions": lambda w, x: x + F.embedding(torch.arange(x.shape[1]), w),
    "write": _written,
    "write of a slice": _scaled,
    "roll": lambda w, x: x.roll(x.shape[1] - 1, 1),
    "unfold": lambda w, x: x.unfold(1, 2, 1).sum(-1),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FORWARDS)
def test_the_greatest_size_is_as_any_other(name):
    module = Limited(FORWARDS[name])
    dims = ({0: Dim("b"), 1: Dim("t", min=2, max=MOST)},)
    loaded = export(module, (torch.randn(2, 5, 3),), dynamic_shapes=dims).module()
    for batch, length in CALLS:
        x = torch.randn(batch, length, 3)
        torch.testing.assert_close(loaded(x), module(x))


def test_a_size_that_jax_cannot_lower_is_refused():
    module = Limited(lambda w, x: torch.cat([x, x.new_zeros(x.shape[0], MOST - x.shape[1], 3)], 1))
    with pytest.raises(RuntimeError, match="for varying t"):
        export(module, (torch.randn(2, 5, 3),), dynamic_shapes=({1: Dim("t", min=2, max=MOST)},))
