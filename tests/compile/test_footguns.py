"""Compiled functions give what the same functions give as they are written, in PyTorch and here."""

import pytest
import torch

import torchlike
from tests.compile import (
    footguns_arguments,
    footguns_python_objects,
    footguns_python_values,
    footguns_python_world,
    footguns_state,
    footguns_training,
)
from tests.compile.cases import CASES

ALL = (
    footguns_arguments,
    footguns_python_objects,
    footguns_python_values,
    footguns_python_world,
    footguns_state,
    footguns_training,
)


def plain(function):
    return function


@pytest.mark.parametrize("name", CASES)
def test_footgun(name):
    case = CASES[name]
    theirs = case(torch, plain)
    assert case(torchlike, plain) == pytest.approx(theirs, rel=1e-5, abs=1e-6)
    assert case(torchlike, torchlike.compile) == pytest.approx(theirs, rel=1e-5, abs=1e-6)


def test_there_are_enough_of_them():
    assert len(CASES) >= 40
    assert all(any(case.__module__ == module.__name__ for case in CASES.values()) for module in ALL)
