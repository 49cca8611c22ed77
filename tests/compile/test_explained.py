"""`explain()` reports for each compiled function how often it ran compiled, what changed, and why it ran uncompiled."""

from __future__ import annotations

import types

import pytest

import torchlike
from torchlike._compile.compiled import PATIENCE

SCALE = 1.0


def told(f):
    """Return the report about one function."""
    return f.explained()


def counts(causes):
    return {cause.reason: cause.count for cause in causes}


def test_it_names_the_global_that_changed():
    global SCALE
    f = torchlike.compile(lambda x: x * SCALE)
    for i in range(5):
        SCALE = 2.0 + i
        f(torchlike.ones(2))
        f(torchlike.ones(2))
    function = told(f)
    assert (function.runs, function.recordings, function.signatures) == (5, 5, 1)
    assert counts(function.again) == {"global `SCALE` changed": 4}
    assert function.uncompiled == ()


class Box:
    def __init__(self):
        self.k = 2.0


def made() -> types.SimpleNamespace:
    return types.SimpleNamespace(
        box=Box(), table={"a": 1.0}, items=[1.0, 2.0], w=torchlike.ones(2), model=torchlike.nn.ReLU()
    )


CHANGES = {
    "`box.k` changed": lambda held: setattr(held.box, "k", 3.0),
    "the class of `box` changed": lambda held: setattr(held.box, "__class__", type("Other", (Box,), {})),
    "`table['a']` changed": lambda held: held.table.update(a=2.0),
    "the keys of `table` changed": lambda held: held.table.update(b=2.0),
    "`items[1]` changed": lambda held: held.items.__setitem__(1, 5.0),
    "the length of `items` changed": lambda held: held.items.append(5.0),
    "the shape of a tensor changed": lambda held: held.w.resize_(1),
    "`model.training` changed": lambda held: held.model.eval(),
}


@pytest.mark.parametrize("words, change", CHANGES.items(), ids=CHANGES)
def test_it_names_what_changed(words, change):
    held = made()
    box, table, items, w, model = held.box, held.table, held.items, held.w, held.model
    f = torchlike.compile(lambda x: model(x * box.k + table["a"] + sum(items) + w))
    f(torchlike.ones(2))
    change(held)
    f(torchlike.ones(2))
    assert counts(told(f).again) == {words: 1}


def test_calls_that_run_uncompiled_are_counted_with_their_reasons():
    seen = []

    def f(x):
        seen.append(1)
        return x * 2

    f = torchlike.compile(f)
    for _ in range(PATIENCE + 3):
        f(torchlike.ones(2))
    ((reason, count),) = told(f).uncompiled
    assert count == PATIENCE + 3
    assert "test_explained.py:" in reason and "the length of `seen`" in reason
    assert f"uncompiled: {told(f).name}: {reason} ({count} times)" in str(torchlike.explain())


def test_errors_stances_and_waiting_are_reasons_too():
    def f(x):
        if len(x) > 2:
            raise ValueError("long")
        return x * 2

    f = torchlike.compile(f, dynamic=True)
    f(torchlike.ones(2))
    with torchlike.compiler.set_stance("eager_on_recompile"):
        f(torchlike.ones(1))
    for _ in range(2):
        with pytest.raises(ValueError):
            f(torchlike.ones(3))
    found = counts(told(f).uncompiled)
    assert [count for reason, count in found.items() if "it raises ValueError" in reason] == [1]
    assert [count for reason, count in found.items() if "first time" in reason] == [2]
    assert [count for reason, count in found.items() if "stance" in reason] == [1]


def test_a_region_counts_what_happens_within():
    f, other = torchlike.compile(lambda x: x * 2, name="inside"), torchlike.compile(lambda x: x * 3, name="outside")
    for each in (f, other):
        each(torchlike.ones(2))
        each(torchlike.ones(2))
    with torchlike.explain() as report:
        f(torchlike.ones(2))
    assert [(each.name, each.runs) for each in report.functions] == [("inside", 1)]


def test_runs_of_dropped_recordings_are_counted():
    box = types.SimpleNamespace(k=0.0)
    f = torchlike.compile(lambda x: x * box.k, recompile_limit=2)
    for i in range(6):
        box.k = float(i)
        f(torchlike.ones(2))
        f(torchlike.ones(2))
    assert told(f).runs == 6
    assert told(f).recordings == 2
