"""Function transforms: results, and whether they have a gradient graph, must equal PyTorch's under every executor."""

import pytest
import torch

import torchlike
from tests.func import programs_derivatives, programs_vmap
from tests.func.refused import REFUSED
from tests.oracle import both, outcome

PROGRAMS = {**programs_vmap.ALIKE, **programs_derivatives.ALIKE}


# Strides are not compared. They depend on how each library stacks the examples.
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_results(name):
    both(PROGRAMS[name], stride=False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["per_sample_gradients", "hessians", "nested", "jvp", "index"])
@pytest.mark.parametrize("executor", ["numpy", "xla", "immediate"])
def test_same_results_by_each_executor(name, executor):
    with torchlike.set_executor(executor):
        both(PROGRAMS[name], stride=False)


@pytest.mark.parametrize("name", REFUSED)
def test_same_refusals(name):
    theirs, ours = outcome(REFUSED[name], torch), outcome(REFUSED[name], torchlike)
    assert theirs.error is not None
    assert ours.sentence == theirs.sentence
