"""A rank that is killed, stopped, or raises an exception in training; `python -m tests.processes.faults` has more."""

import pytest

from tests.processes.faults import __main__ as faults


@pytest.mark.long
def test_other_ranks_end_with_a_message_and_the_training_continues():
    reports, _ = faults.main(3, seed=0)
    assert [report.problem for report in reports] == [""] * len(reports)
