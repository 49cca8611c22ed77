"""The first programs of the fuzzer, the same in every run. `python -m tests.fuzz` runs more programs."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.programs import programs
from tests.fuzz.run import difference

PROGRAMS = 300
_ran: set = set()


@pytest.mark.slow
@settings(
    max_examples=4 * PROGRAMS,
    derandomize=True,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_random_programs(program):
    if len(_ran) < PROGRAMS and program not in _ran:  # Hypothesis generates many programs twice
        assert difference(program) is None, f"{program}\n{difference(program)}"
        _ran.add(program)
