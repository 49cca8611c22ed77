"""A few operators' first, second and third derivatives by `gradcheck`; `derivatives.py` checks all of them."""

import subprocess
import sys

import pytest

import torchlike
from tests.autograd import derivatives, derivatives_table
from tests.house.source import ROOT
from tests.ops.row import JUDGED

QUICK = ["exp", "mul", "softmax", "cat"]


def test_the_command_passes():
    done = subprocess.run(
        [sys.executable, "-m", "tests.autograd.derivatives", *QUICK], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _power(exponent, wrong):
    """x**exponent, whose `wrong`-th derivative is a quarter too large and all before it right."""

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


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("order", derivatives.ORDERS)
def test_a_wrong_derivative_is_found_at_its_order(monkeypatch, order):
    monkeypatch.setattr(derivatives, "function", lambda library, key: _power(5, order))
    monkeypatch.setattr(derivatives, "MOST_SAMPLES", 1)
    assert min(derivatives.check("exp").wrong) == order


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_history_cut_short_is_found(monkeypatch):
    """What depends on its input in truth and not in the graph: the weight of `x * x.detach()` changes with `x`."""
    monkeypatch.setattr(derivatives, "function", lambda library, key: lambda x: x * x.detach())
    monkeypatch.setattr(derivatives, "MOST_SAMPLES", 1)
    assert 1 in derivatives.check("exp", [1]).wrong


def test_the_table_holds_every_operator():
    table = derivatives_table.read()
    assert sorted(table) == JUDGED, "run `python -m tests.autograd.derivatives --table` with the names that differ"
    assert [name for name, words in table.items() if "wrong" in words] == []
