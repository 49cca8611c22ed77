"""Writes to the memory of a saved parameter through other tensors, each with a version counter of its own.

PyTorch's backward raises if the counter of the saved parameter has counted a write. It does not notice other writes,
and computes the gradient from the new elements.
"""

import random

import pytest
import torch

import torchlike

PROGRAMS = 300
REPLACE = ["weight.data = part", "scale.data = part", "both.data = parts"]
HIDDEN = ["weight.data.mul_", "scale.data.mul_"]
OTHER = ["weight.mul_", "scale.mul_", "vector.mul_", "vector[1:].add_", "multiply", "square"]


def statements(seed):
    """Return the names of a program's statements. A program replaces data or writes through `.data`, not both."""
    choose = random.Random(seed)
    return choose.choices([*OTHER, *choose.choice([REPLACE, HIDDEN])], k=choose.randint(3, 8))


def run(library, program):
    """Return the gradients, or PyTorch's error up to the version numbers, and the version counters."""
    vector = library.ones(3)
    weight, scale = library.nn.Parameter(library.ones(2)), library.nn.Parameter(library.ones(()))
    loss = (weight.sum() + scale) * 0
    for statement in program:
        with library.no_grad():
            match statement:
                case "weight.data = part":
                    weight.data = vector[:2]
                case "scale.data = part":
                    scale.data = vector[2]
                case "both.data = parts":
                    weight.data, scale.data = vector[:2].view_as(weight).data, vector[2:].view_as(scale).data
                case "weight.data.mul_":
                    weight.data.mul_(3)
                case "scale.data.mul_":
                    scale.data.mul_(3)
                case "weight.mul_":
                    weight.mul_(0.5)
                case "scale.mul_":
                    scale.mul_(0.5)
                case "vector.mul_":
                    vector.mul_(2)
                case "vector[1:].add_":
                    vector[1:].add_(1)
        if statement == "multiply":
            loss = loss + (weight * 2).sum() * scale
        elif statement == "square":
            loss = loss + (weight * weight).sum() + scale * scale
    try:
        loss.backward()
        found = [weight.grad.tolist(), scale.grad.tolist()]
    except RuntimeError as error:
        found = str(error).partition(" is at version ")[0]
    return found, weight._version, scale._version, vector._version


@pytest.mark.parametrize("share", range(10))
def test_random_programs(share):
    for seed in range(share, PROGRAMS, 10):
        program = statements(seed)
        assert run(torchlike, program) == run(torch, program), (seed, program)


def test_programs_of_both_kinds_are_drawn():
    found = [run(torch, statements(seed))[0] for seed in range(PROGRAMS)]
    assert sum(isinstance(each, str) for each in found) > PROGRAMS / 20
    assert len({str(each) for each in found}) > 50
