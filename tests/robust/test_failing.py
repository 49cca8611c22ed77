"""Failing statements, each under one executor; late failures under all executors.

`python -m tests.robust` runs all statements under all executors.
"""

import pytest

from tests.robust import failing
from tests.robust.statements import STATEMENTS

NAMES = sorted(STATEMENTS)
EARLY = [name for name in NAMES if not name.startswith("late")]
LATE = [name for name in NAMES if name.startswith("late")]


def test_there_are_at_least_two_hundred_statements():
    assert len(EARLY) >= 200


@pytest.mark.parametrize("executor", failing.EXECUTORS)
def test_a_failing_statement_does_not_affect_later_statements(executor):
    chosen = EARLY[failing.EXECUTORS.index(executor) :: len(failing.EXECUTORS)]
    outcome = failing.run(executor, chosen)
    assert outcome.differences == 0, outcome.report()


@pytest.mark.parametrize("executor", failing.EXECUTORS)
def test_a_late_failure_does_not_affect_later_statements(executor):
    outcome = failing.run(executor, LATE)
    assert outcome.differences == 0, outcome.report()
