"""Tests of the overloads of `torch.ops.aten`."""

import pytest
import torch

import torchlike
from tools import make_overloads


@pytest.mark.parametrize("name", ["add", "relu", "view", "_foreach_maximum_", "_foreach_pow", "mul_", "sum"])
def test_names(name):
    theirs, ours = (getattr(library.ops.aten, name) for library in (torch, torchlike))
    assert ours.overloads() == theirs.overloads()
    assert str(getattr(ours, ours.overloads()[0])) == str(getattr(theirs, theirs.overloads()[0]))


def test_an_unknown_name():
    messages = []
    for library in (torch, torchlike):
        assert not hasattr(library.ops.aten.relu, "Tensor")
        with pytest.raises(AttributeError) as error:
            library.ops.aten.add.unknown
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_the_table_is_current():
    assert make_overloads.TABLE.read_text().splitlines() == make_overloads.lines()
