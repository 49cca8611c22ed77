"""The first programs of the fuzzer, the same in every run. `python -m tests.fuzz_steps` runs any number of programs."""

import pytest

from tests.fuzz_steps.program import script
from tests.fuzz_steps.run import Ran, difference
from tests.fuzz_steps.writer import program_of
from tests.gate import gated

PROGRAMS, SHARES = 200, 10


@pytest.mark.slow
@pytest.mark.parametrize("share", gated(range(SHARES), lambda share: share == 0))
def test_random_steps(share):
    ran = Ran()
    for seed in range(share, PROGRAMS, SHARES):
        program = program_of(seed, executor="numpy")
        found = difference(program, ran=ran)
        assert found is None, f"seed {seed}\n{script(program)}\n{found}"
    assert ran.replays > PROGRAMS // SHARES // 2  # without replayed calls, the programs would test nothing
