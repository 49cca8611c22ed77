"""Tests that the type stubs are up to date with the operator registry."""

import pytest

from tests.house.source import ROOT
from tools.make_stubs import stubs

STUBS = stubs()


@pytest.mark.parametrize("path", STUBS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_stub_is_fresh(path):
    assert path.read_text("utf-8") == STUBS[path], "run `python -m tools.make_stubs`"
