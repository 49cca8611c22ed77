"""The first programs of the fuzzer, the same in every run. `python -m tests.fuzz_autograd` runs more programs."""

import pytest

from tests.fuzz_autograd.run import difference
from tests.fuzz_autograd.writer import program_of
from tests.gate import gated

PROGRAMS, SHARES = 400, 4


@pytest.mark.slow
@pytest.mark.parametrize("share", gated(range(SHARES), lambda share: share == 0))
def test_random_autograd(share):
    for seed in range(share * PROGRAMS // SHARES, (share + 1) * PROGRAMS // SHARES):
        program = program_of(seed)
        found = difference(program)
        assert found is None, f"seed {seed}\n{program}\n{found}"
