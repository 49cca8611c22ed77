"""Check the tables of the modules' and the optimizers' databases, and run a part of their entries again."""

from __future__ import annotations

import pytest

import torchlike
from tests.conformance import report
from tests.conformance.call import Limits
from tests.conformance.database import Database, broken
from tests.conformance.modules.entries import chosen
from tests.conformance.modules.run import DATABASE as MODULES
from tests.conformance.modules.run import judge
from tests.conformance.optimizers.run import DATABASE as OPTIMIZERS
from tests.gate import gated

pytestmark = pytest.mark.filterwarnings("ignore")
BOTH = pytest.mark.parametrize("database", [MODULES, OPTIMIZERS], ids=lambda each: each.name)
# The lengths of the tables of known differences. Lower a number when an entry is removed; never raise it.
KNOWN = {"modules": 11, "optimizers": 6}
GROUPS = [(MODULES, group, 20) for group in range(20)] + [(OPTIMIZERS, group, 10) for group in range(10)]
FEW = {"modules": Limits(samples=1), "optimizers": Limits(samples=2)}


@pytest.mark.slow
@pytest.mark.parametrize("database, group, groups", gated(GROUPS, lambda each: each[1] == 0))
def test_entries_recorded_as_equal_are_equal(database, group, groups):
    names = [entry.name for entry in database.load()][group::groups]
    found = broken(database, names, FEW[database.name])
    assert not found, "\n".join(found)


@BOTH
def test_each_difference_has_a_reason(database: Database):
    failing = [(n, c) for n, checks in report.read(database.data).items() for c, v in checks.items() if v.failure]
    assert [each for each in failing if database.reason(*each) is None] == []
    used = {database.reason(*each) for each in failing}
    assert used == set(database.known.values())
    assert len(database.known) == KNOWN[database.name]


@BOTH
def test_the_table_has_every_entry(database: Database):
    assert list(report.read(database.data)) == [entry.name for entry in database.load()]


@BOTH
def test_the_page_is_of_the_data(database: Database):
    assert database.page_path.read_text("utf-8") == database.page(report.read(database.data))


def test_a_wrong_module_is_found(monkeypatch):
    (tanh,) = chosen(["nn.Tanh"])
    assert not any(v.failure for v in judge(tanh, Limits(samples=1)).values())
    monkeypatch.setattr(torchlike.nn.Tanh, "forward", lambda self, x: x.sin())
    wrong = {check for check, v in judge(tanh, Limits(samples=1)).items() if v.failure}
    assert {"forward float32", "gradients float64", "second gradients", "copies"} <= wrong
