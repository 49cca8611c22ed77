"""The first programs of the fuzzer, the same in every run. `python -m tests.fuzz_functions` runs more programs."""

from dataclasses import replace
from random import Random

import pytest

from tests.fuzz_functions.forms import FORMS
from tests.fuzz_functions.program import Program, program_of
from tests.fuzz_functions.run import difference, script
from tests.fuzz_functions.stacks import stack_of
from tests.gate import gated

PROGRAMS, SHARES = 500, 20


@pytest.mark.slow
@pytest.mark.parametrize("share", gated(range(SHARES), lambda share: share == 0))
def test_random_functions(share):
    for seed in range(share, PROGRAMS, SHARES):
        program = program_of(seed)
        found = difference(program)
        assert found is None, f"seed {seed}\n{script(program)}\n{found}"


@pytest.mark.slow
@pytest.mark.parametrize("share", gated(range(SHARES), lambda share: share == 1))
def test_random_stacks_of_transformations(share):
    for seed in range(share, PROGRAMS, SHARES):
        program = replace(program_of(seed), form=stack_of(Random(seed)))
        found = difference(program)
        assert found is None, f"seed {seed}\n{script(program)}\n{found}"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_each_form_returns_tensors(form):
    statements = "a = x.sin() @ y", "a[0] = z"
    assert difference(Program(statements, "a, s * y * y", form)) is None
    wrong = Program(statements, "a, s * y * y * len(torch.__name__)", form)
    assert (difference(wrong) is None) == (form in ("half", "meta"))
