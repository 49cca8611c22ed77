"""Tests of `derivatives.py`, which checks derivatives up to the third order numerically.

The command runs for a few operators only. The other tests check that it finds wrong derivatives.
"""

import subprocess
import sys
from copy import copy

import numpy as np
import pytest

import torchlike
from tests.autograd import derivatives, derivatives_line, derivatives_table
from tests.house.source import ROOT
from tests.ops.row import JUDGED
from tests.ops.sample import Sample, normal
from tests.ops.samples import SAMPLES

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
QUICK = ["exp", "mul"]


def test_the_command_passes():
    done = subprocess.run(
        [sys.executable, "-m", "tests.autograd.derivatives", *QUICK], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _power(exponent, wrong):
    """Return x**exponent, with a derivative of order `wrong` that is a quarter too large. Lower orders are correct."""

    def slope(x):
        found = _power(exponent - 1, wrong - 1)(x) if wrong > 1 else x ** (exponent - 1)
        return found * (exponent * 1.25 if wrong == 1 else exponent)

    class Power(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x**exponent

        @staticmethod
        def backward(ctx, grad):
            return grad * slope(ctx.saved_tensors[0]).conj()

        @staticmethod
        def jvp(ctx, tangent):
            return tangent * slope(ctx.saved_tensors[0])

    return Power.apply


def _checked(monkeypatch, call, samples, orders=derivatives.ORDERS):
    """Return the result of checking a function that replaces a torchlike operator."""
    named = derivatives_line.function
    monkeypatch.setattr(derivatives, "SAMPLES", {"exp": samples})
    monkeypatch.setattr(derivatives_line, "function", lambda of, key: call if of is torchlike else named(of, key))
    return derivatives.check("exp", orders)


@pytest.mark.parametrize("order", derivatives.ORDERS)
def test_a_wrong_derivative_is_found_at_its_order(monkeypatch, order):
    assert min(_checked(monkeypatch, _power(5, order), [Sample(normal(2))]).wrong) == order


def test_a_history_cut_short_is_found(monkeypatch):
    """Check that a missing gradient is found: `x * x.detach()` has no gradient through its second factor."""
    assert 1 in _checked(monkeypatch, lambda x: x * x.detach(), [Sample(normal(2))], [1]).wrong


def test_a_gradient_that_pytorch_alone_has_is_found(monkeypatch):
    assert 1 in _checked(monkeypatch, lambda x: x.detach().exp(), [Sample(normal(2))]).wrong


def _in_single_precision(slope):
    """Return a product for single precision only, which multiplies the gradient of its first factor by `slope`."""

    class Product(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            if x.dtype is torchlike.float64:
                raise RuntimeError("Expected single precision, got Double")
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * slope * y, grad * x

        @staticmethod
        def jvp(ctx, change, other):
            x, y = ctx.saved_tensors
            return change * slope * y + x * other

    return Product.apply


@pytest.mark.parametrize("slope", [1, 1.01])
def test_operators_of_float32_only_are_checked_in_float32(monkeypatch, slope):
    found = _checked(monkeypatch, _in_single_precision(slope), [Sample(normal(2), normal(2, seed=1))])
    assert [found.word(order) for order in (1, 2)] == (["passed"] * 2 if slope == 1 else ["wrong"] * 2)


def test_changes_stay_within_what_an_argument_is_taken_to_be(monkeypatch):
    kept = SAMPLES["cholesky_inverse"][0]
    free = copy(kept)
    free.kinds = {}
    assert not derivatives.check("cholesky_inverse", [1]).wrong
    monkeypatch.setitem(derivatives.SAMPLES, "cholesky_inverse", [free])
    assert derivatives.check("cholesky_inverse", [1]).wrong


def test_a_derivative_that_pytorch_refuses_in_the_same_words_is_refused(monkeypatch):
    key = "nn.functional.ctc_loss"
    monkeypatch.setitem(derivatives.SAMPLES, key, SAMPLES[key][:1])
    found = derivatives.check(key, [1, 2])
    assert [found.word(order) for order in (1, 2)] == ["passed", "refused"]


@pytest.mark.parametrize(("name", "at", "due"), [("i1", [0.0, 1e-9, -1e-7], 3 / 8), ("i1e", [1e-9, 1e-7], 15 / 8)])
def test_near_zero_the_third_derivative_of_a_bessel_function_is_that_of_its_series(name, at, due):
    """Compare with the series. PyTorch's third derivative, 256 near zero and 0 at zero, is wrong."""
    x = torchlike.tensor(at, dtype=torchlike.float64, requires_grad=True)
    found = getattr(torchlike.special, name)(x)
    for _ in range(3):
        (found,) = torchlike.autograd.grad(found.sum(), x, create_graph=True)
    np.testing.assert_allclose(found.detach().numpy(), due, rtol=1e-6)


def test_the_table_holds_every_operator():
    table = derivatives_table.read()
    assert sorted(table) == JUDGED, "run `python -m tests.autograd.derivatives --table` with the names that differ"
    assert [name for name, words in table.items() if "wrong" in words] == []
