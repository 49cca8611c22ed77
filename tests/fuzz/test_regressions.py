"""Regression tests for the differences that the fuzzer has found (`tests/fuzz/found`)."""

import pytest

from tests.fuzz.found import FOUND
from tests.fuzz.programs import Program
from tests.fuzz.run import difference


@pytest.mark.one_in(3)
@pytest.mark.parametrize("watched", [True, False], ids=["watched", "at the end"])
@pytest.mark.parametrize("name", FOUND)
def test_found(name, watched):
    assert difference(Program.of(FOUND[name], watched=watched)) is None
