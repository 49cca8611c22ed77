"""Leaks of a few hundred steps. `python -m tests.robust` runs thirty thousand, and also checks memory."""

import pytest

import torchlike
from tests.gate import gated
from tests.robust import leaks

# For each row: the executor (fixed, unless it is "auto", so that no program moves from NumPy to XLA while objects are
# counted), the step after which nothing may grow, and the number of steps.
SHORT = {
    "recorded": ("xla", 40, 160),
    "compiled": ("xla", 40, 160),
    "shapes": ("numpy", 2 * leaks.SHAPES, 5 * leaks.SHAPES),
    "failing often": ("xla", 150, 290),
    "functions": ("xla", 15, 45),
    "loaders": ("auto", 3, 6),
    "loaders with workers": ("auto", 3, 6),
}


@pytest.mark.parametrize("row", gated(SHORT, lambda row: row in ("recorded", "compiled")))
def test_steps_leave_nothing_behind(row):
    executor, first, steps = SHORT[row]
    with torchlike.set_executor(executor):
        found = leaks.measure(row, steps, first)
        # Objects that other tests left behind may be dropped, or caches filled, once. Measure again.
        if found.differences(memory=False):
            found = leaks.measure(row, steps, first)
    assert found.differences(memory=False) == [], found


def test_leaked_tensors_are_found(monkeypatch):
    kept = []
    monkeypatch.setitem(leaks.ROWS, "leaking", lambda: lambda n: kept.append(torchlike.ones(2) * n))
    found = leaks.measure("leaking", 200, 100)
    assert [difference for difference in found.differences(memory=False) if "ours" in difference]
