"""Checks that `tests/newest/recorded.json` holds the results of PyTorch."""

import pytest
import torch

from tests.newest.cases import CASES, plain, written
from tests.newest.test_recorded import RECORDED, agree


@pytest.mark.parametrize("name", CASES)
def test_results(name):
    assert agree(plain(CASES[name](torch)), RECORDED["cases"][name])


def test_the_file():
    assert written(torch) == RECORDED["file"]
