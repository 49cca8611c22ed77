"""Programs behave as in PyTorch: traced or scripted, called with two inputs, saved and loaded."""

import pytest

from tests.jit.__main__ import PAGE, written
from tests.jit.compared import DIFFERENT, all_programs, compared

PROGRAMS = all_programs()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "run", "program"), PROGRAMS, ids=[name for name, _, _ in PROGRAMS])
def test_program(name, run, program):
    due, found = compared(run, program)
    assert (found == due) == (name not in DIFFERENT)


def test_the_table_of_the_page_is_fresh():
    page = PAGE.read_text("utf-8")
    assert page == written(page)  # otherwise: python -m tests.jit --write
