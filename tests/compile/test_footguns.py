"""A function compiled by torchlike gives the results of the uncompiled function, in torchlike and in PyTorch."""

import importlib
from pathlib import Path

import pytest
import torch

import torchlike
from tests.compile.cases import CASES

# Each module registers its cases on import.
ALL = [
    importlib.import_module(f"tests.compile.{file.stem}")
    for file in sorted(Path(__file__).parent.glob("footguns_*.py"))
]


def plain(function):
    return function


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CASES)
def test_footgun(name):
    case = CASES[name]
    theirs = case(torch, plain)
    assert case(torchlike, plain) == pytest.approx(theirs, rel=1e-5, abs=1e-6)
    assert case(torchlike, torchlike.compile) == pytest.approx(theirs, rel=1e-5, abs=1e-6)


def test_there_are_enough_of_them():
    assert len(CASES) >= 40
    assert all(any(case.__module__ == module.__name__ for case in CASES.values()) for module in ALL)
