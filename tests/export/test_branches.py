"""A forward that compares a size must take the same branch at every declared size. Otherwise, export refuses it."""

import pytest

import torchlike as torch
from torchlike import nn
from torchlike.export import Dim, export

B, T = Dim("b"), Dim("t")


class Branching(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def _branch_on(condition):
    return Branching(lambda x: x.sin() if condition(x) else x.cos())


def _export(module, *dims):
    return export(module, (torch.ones(3, 5, 4),), dynamic_shapes=(dict(enumerate(dims)),))


# Comparisons with two results, dims whose sizes give both results, and dims whose sizes give one.
FLIPS = {
    "t > 100": (lambda x: x.shape[1] > 100, (B, T), (B, Dim("t", max=100))),
    "t >= 7": (lambda x: x.size(1) >= 7, (B, Dim("t", max=7)), (B, Dim("t", max=6))),
    "100 < t": (lambda x: x.size()[1] > 100, (B, T), (B, Dim("t", max=64))),
    "t < 4": (lambda x: x.shape[1] < 4, (B, T), (B, Dim("t", min=4))),
    "t == 40": (lambda x: x.shape[1] == 40, (B, T), (B, Dim("t", max=39))),
    "t - 3 != 0": (lambda x: bool(x.shape[1] - 3), (B, T), (B, Dim("t", min=4))),
    "2*t > 60": (lambda x: x.shape[1] * 2 > 60, (B, T), (B, Dim("t", max=30))),
    "t//2 == 20": (lambda x: x.shape[1] // 2 == 20, (B, T), (B, Dim("t", max=39))),
    "b*t > 1000": (lambda x: x.shape[0] * x.shape[1] > 1000, (B, T), (Dim("b", max=20), Dim("t", max=50))),
    "b == t": (lambda x: x.shape[0] == x.shape[1], (B, T), (Dim("b", max=4), Dim("t", min=5))),
    "min(t, 30)": (lambda x: x[:, : min(x.shape[1], 30)].shape != x.shape, (B, T), (B, Dim("t", max=30))),
}


@pytest.mark.parametrize("name", FLIPS)
def test_a_comparison_with_two_results_is_refused_unless_limits_decide_it(name):
    condition, open_dims, limited = FLIPS[name]
    module = _branch_on(condition)
    with pytest.raises(RuntimeError, match="for varying"):
        _export(module, *open_dims)
    loaded = _export(module, *limited).module()
    for batch, length in ((2, 5), (3, 6), (4, 5)):
        x = torch.randn(batch, length, 4)
        torch.testing.assert_close(loaded(x), module(x))


CONSTANT = {
    "t > 1": lambda x: x.shape[1] > 1,
    "4 == 4": lambda x: x.shape[2] == 4,
    "equal shapes": lambda x: x.shape == x.cos().shape,
    "not empty": lambda x: bool(x.shape[0]),
    "t + b > t": lambda x: x.shape[0] + x.shape[1] > x.shape[1],
    "odd": lambda x: x.shape[1] * 2 == 7,
}


@pytest.mark.parametrize("name", CONSTANT)
def test_a_comparison_with_one_result_is_exported(name):
    module = _branch_on(CONSTANT[name])
    x = torch.randn(7, 11, 4)
    torch.testing.assert_close(_export(module, B, T).module()(x), module(x))


def test_a_branch_with_the_same_operators_is_exported():
    module = Branching(lambda x: (x.contiguous() if x.shape[0] >= 64 else x).sin())
    x = torch.randn(70, 5, 4)
    torch.testing.assert_close(_export(module, B, T).module()(x), module(x))


def test_the_error_names_the_line_and_the_remedy():
    with pytest.raises(RuntimeError) as refused:
        _export(_branch_on(lambda x: x.shape[1] > 100), B, T)
    assert "`t > 100` at tests/export/test_branches.py:" in str(refused.value)
    assert "Dim(min=..., max=...)" in str(refused.value)
