"""Control flow over tensors: the numbers, gradients and errors are PyTorch's."""

import pytest
import torch

import torchlike
from tests.control_flow.programs import ALIKE, REFUSED
from tests.oracle import both, outcome


@pytest.fixture(autouse=True)
def _fresh_tracer():
    """Reset PyTorch's tracer, so that one program does not influence the next."""
    torch._dynamo.reset()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ALIKE)
def test_same_results(name):
    both(ALIKE[name])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_same_refusals(case):
    theirs, ours = outcome(case.program, torch).error, outcome(case.program, torchlike).error
    assert theirs is not None and ours is not None
    assert (type(ours).__module__, type(ours).__name__) == (type(theirs).__module__, type(theirs).__name__), str(ours)
    if case.text:
        assert str(ours) == str(theirs)
