"""Regression tests for the differences that the fuzzer has found (`tests/fuzz_steps/found.py`)."""

import pytest

from tests.fuzz_steps.found import FOUND
from tests.fuzz_steps.program import Program
from tests.fuzz_steps.run import difference


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    assert difference(Program(FOUND[name].strip())) is None
