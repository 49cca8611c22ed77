"""Regression tests for the differences that the fuzzer has found (`tests/fuzz_autograd/found.py`)."""

import pytest

from tests.fuzz.programs import Program
from tests.fuzz_autograd.found import FOUND
from tests.fuzz_autograd.run import difference


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    assert difference(Program.of(FOUND[name], executor="auto")) is None
