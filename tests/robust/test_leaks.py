"""What some hundred steps leave behind. `python -m tests.robust` runs thirty thousand, and looks at memory, too."""

import pytest

import torchlike
from tests.robust import leaks

# By which executor, so that none is exchanged later; the steps after which nothing may grow; and all of them.
SHORT = {
    "recorded": ("xla", 40, 160),
    "compiled": ("xla", 40, 160),
    "shapes": ("numpy", 2 * leaks.SHAPES, 5 * leaks.SHAPES),
    "failing often": ("xla", 150, 290),
    "functions": ("xla", 15, 45),
    "loaders": ("auto", 3, 6),
    "loaders with workers": ("auto", 3, 6),
}


@pytest.mark.parametrize("row", SHORT)
def test_steps_leave_nothing_behind(row):
    executor, first, steps = SHORT[row]
    with torchlike.set_executor(executor):
        found = leaks.measure(row, steps, first)
        if found.differences(memory=False):  # of what other tests have left, something is dropped or filled once
            found = leaks.measure(row, steps, first)
    assert found.differences(memory=False) == [], found


def test_what_is_left_behind_is_found(monkeypatch):
    kept = []
    monkeypatch.setitem(leaks.ROWS, "leaking", lambda: lambda n: kept.append(torchlike.ones(2) * n))
    found = leaks.measure("leaking", 200, 100)
    assert [difference for difference in found.differences(memory=False) if "ours" in difference]
