"""Element-wise functions compiled by XLA have float32's accuracy over their whole domain, gradients included.

The judge is PyTorch in float64, because its float32 results have errors of their own.
"""

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import to_ours, to_theirs

NEAR_ONE = 1 - np.logspace(-7, -1, 200)
POWERS = np.logspace(-6, 4, 300)
CLOSE = POWERS * np.tile([0.97, 1.0, 1.02], 100)
UNARY = {
    "erfinv": np.concatenate([NEAR_ONE, -NEAR_ONE, np.linspace(-0.9, 0.9, 101), [1, -1, 2]]),
    "special.erfcx": np.concatenate([np.linspace(-9, 30, 1000), POWERS, [np.inf, -np.inf]]),
    "exp2": np.concatenate([np.linspace(-120, 127.9, 1000), [np.inf, -np.inf, 200, 0]]),
    "lgamma": np.array([0.0, 0.5, 3, 20, -0.5, -3.5]),
    "sinc": np.concatenate([np.logspace(-4, 1, 300), [0]]),
}
BINARY = {
    "igamma": (POWERS, CLOSE),
    "igammac": (POWERS, CLOSE),
    "special.zeta": (np.array([130, 200, 101, 2.2e8, 30, 2, 3]), np.array([2, 0.5, 1.5, 8.9, 200, 1e10, 0.25])),
    "ldexp": (np.linspace(-3, 3, 61), np.arange(61.0) * 2),
    "floor_divide": tuple(np.array(np.meshgrid(*[[0, 1, -1, 5, np.inf, -np.inf]] * 2)).reshape(2, -1)),
}


def _called(library, name, arrays, gradient):
    function = library
    for part in name.split("."):
        function = getattr(function, part)
    if not gradient:
        return [function(*arrays)]
    leaves = [a.detach().requires_grad_() for a in arrays]
    return library.autograd.grad(function(*leaves).sum(), leaves)


def _compare(name, arrays, gradient, rtol):
    single = [torch.tensor(a, dtype=torch.float32) for a in arrays]
    due = _called(torch, name, [a.double() for a in single], gradient)
    with torchlike.set_executor("xla"):
        found = [to_theirs(t) for t in _called(torchlike, name, [to_ours(a) for a in single], gradient)]
    for mine, exact in zip(found, due):
        assert mine.dtype == torch.float32
        torch.testing.assert_close(mine.double(), exact.float().double(), rtol=rtol, atol=3e-6, equal_nan=True)


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name, gradient):
    _compare(name, [UNARY[name]], gradient, 5e-6 if gradient else 2e-6)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(name):
    _compare(name, BINARY[name], False, 3e-6)


def test_the_gradient_of_ldexp():
    _compare("ldexp", BINARY["ldexp"], True, 3e-6)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_floor_division_by_infinity(executor):
    a, b = (torch.tensor(x, dtype=torch.float32) for x in BINARY["floor_divide"])
    with torchlike.set_executor(executor):
        found = to_theirs(torchlike.floor_divide(to_ours(a), to_ours(b)))
    torch.testing.assert_close(found, torch.floor_divide(a, b), rtol=0, atol=0, equal_nan=True)
    known = ~found.isnan()
    assert (found.signbit() == torch.floor_divide(a, b).signbit())[known].all()


def test_the_second_derivative_of_sinc_at_zero():
    x = torchlike.zeros(1, dtype=torchlike.float64, requires_grad=True)
    (slope,) = torchlike.autograd.grad(torchlike.sinc(x).sum(), x, create_graph=True)
    assert torchlike.autograd.grad(slope.sum(), x)[0].item() == pytest.approx(-(np.pi**2) / 3)  # PyTorch gives NaN


@pytest.mark.parametrize("q", [0.3, 2.5])
def test_both_derivatives_of_zeta(q):
    x, y = (torchlike.tensor(v, dtype=torchlike.float64, requires_grad=True) for v in (2.5, q))
    assert torchlike.autograd.gradcheck(torchlike.special.zeta, (x, y))
