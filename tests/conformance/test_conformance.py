"""Check the coverage table: run a few samples of each entry and compare the outcome with the table."""

from __future__ import annotations

import random

import pytest
import torch

import torchlike
from tests.conformance import exclusions, report
from tests.conformance.call import Limits
from tests.conformance.compare import difference
from tests.conformance.entries import load
from tests.conformance.run import judge, judge_compiled
from tests.gate import gated

pytestmark = pytest.mark.filterwarnings("ignore")

# The lengths of the tables of exclusions. Lower a number when an entry is removed; never raise it.
WITHOUT_VALUES, UP_TO_A_CHOICE, ILL_CONDITIONED, DIFFERENT_THROUGH_XLA = 8, 6, 1, 9
GROUPS = 20
FEW = Limits(samples=1, gradients=1)
WITH_GRADIENTS = 80  # one in this many entries is checked in every dtype and with gradients


@pytest.mark.slow
@pytest.mark.parametrize("group", gated(range(GROUPS), lambda group: group == 0))
def test_entries_recorded_as_passing_pass(group):
    known = report.read()
    entries = load()[group::GROUPS]
    broken = [line for i, entry in enumerate(entries) for line in _broken(entry, known[entry.name], i % WITH_GRADIENTS)]
    assert not broken, "\n".join(broken)


def _broken(entry, known, quick) -> list[str]:
    found = judge(entry, FEW, quick=bool(quick))
    passed = {check for check, v in known.items() if v.passed == v.total}
    return [f"{entry.name}, {check}: {v.failure}" for check, v in found.items() if v.failure and check in passed]


COMPILED = 8  # entries; ``python -m tests.conformance --executor xla`` checks all of them
FEW_COMPILED = Limits(samples=2, gradients=2)


def test_entries_recorded_as_passing_under_xla_pass():
    known = report.read()
    for entry in random.Random(2).sample(load(), COMPILED):
        found = judge_compiled(entry, FEW_COMPILED)
        due = {check for check, v in known[entry.name].items() if v.passed == v.total}
        assert not {check: v.failure for check, v in found.items() if v.failure and check in due}, entry.name


def test_each_known_difference_through_xla_has_a_reason():
    failing = {name for name, v in report.read().items() if report.passes(v, "xla") is False}
    assert failing == exclusions.DIFFERENT_THROUGH_XLA.keys()


def test_rounding_is_no_difference_but_a_wrong_formula_is(monkeypatch):
    log1p = next(e for e in load() if e.name == "log1p")
    assert not any(v.failure for v in judge_compiled(log1p, FEW_COMPILED).values())
    monkeypatch.setattr(torchlike, "log1p", lambda x: torchlike.log(1 + x) * 1.00001)
    assert "xla forward float32" in {check for check, v in judge_compiled(log1p, FEW_COMPILED).items() if v.failure}


def test_the_table_has_every_entry():
    assert list(report.read()) == [entry.name for entry in load()]


def test_the_page_is_of_the_data():
    assert report.PAGE.read_text("utf-8") == report.page(report.read())


def test_the_exclusions_do_not_grow():
    assert len(exclusions.WITHOUT_VALUES) == WITHOUT_VALUES
    assert len(exclusions.UP_TO_A_CHOICE) == UP_TO_A_CHOICE
    assert len(exclusions.ILL_CONDITIONED) == ILL_CONDITIONED
    assert len(exclusions.DIFFERENT_THROUGH_XLA) == DIFFERENT_THROUGH_XLA
    names = {entry.name for entry in load()}
    loose = exclusions.WITHOUT_VALUES.keys() | exclusions.UP_TO_A_CHOICE.keys() | exclusions.ILL_CONDITIONED.keys()
    assert names >= loose


DIFFERENT = {
    "value": (lambda: torchlike.ones(2) * 1.001, lambda: torch.ones(2)),
    "dtype": (lambda: torchlike.ones(2, dtype=torchlike.float64), lambda: torch.ones(2)),
    "shape": (lambda: torchlike.ones(2, 1), lambda: torch.ones(2)),
    "kind": (lambda: 1.0, lambda: torch.ones(())),
    "number": (lambda: 1, lambda: 1.0),
    "length": (lambda: (torchlike.ones(1),), lambda: (torch.ones(1), torch.ones(1))),
    "item": (lambda: [torchlike.zeros(1)], lambda: [torch.ones(1)]),
}


@pytest.mark.parametrize("ours, theirs", DIFFERENT.values(), ids=DIFFERENT)
def test_a_difference_is_seen(ours, theirs):
    assert difference(ours(), theirs()) is not None


def test_the_stride_of_a_view_is_seen():
    base = torch.ones(2, 3)
    memory = frozenset([base.untyped_storage().data_ptr()])
    assert difference(torchlike.ones(2, 3).t(), base.t(), memory) is None
    assert "stride" in str(difference(torchlike.ones(3, 2), base.t(), memory))


def test_a_wrong_operator_is_found(monkeypatch):
    sin = next(e for e in load() if e.name == "sin")
    assert not any(v.failure for v in judge(sin, FEW).values())
    monkeypatch.setattr(torchlike, "sin", torchlike.cos)
    wrong = judge(sin, FEW)
    assert {check.split()[0] for check, v in wrong.items() if v.failure} == {"forward", "gradients", "second", "out="}
