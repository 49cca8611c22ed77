"""A compiled function keeps no arrays of the call from which it was captured, and no program of its own."""

import gc

import pytest

import torchlike as torch
from torchlike._engine import Value
from torchlike._engine.programs import programs

SHAPE = (33, 7)


def _arrays():
    gc.collect()
    values = [x for x in gc.get_objects() if type(x) is Value and tuple(x.aval.shape) == SHAPE]
    return {id(value.array) for value in values}


@pytest.mark.parametrize("within", [True, False])
def test_a_compiled_function_keeps_no_old_parameters(within):
    layer = torch.nn.Linear(SHAPE[1], SHAPE[0], bias=False)
    optimizer = torch.optim.AdamW(layer.parameters())
    before = _arrays()

    def step(x):
        loss = layer(x).square().sum()
        if within:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        return loss

    compiled = torch.compile(step)
    for _ in range(4):
        loss = compiled(torch.ones(2, SHAPE[1]))
        if not within:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    loss = None
    assert len(_arrays() - before) <= 3  # the weight and AdamW's two averages; no copy from the captured call


def test_models_of_one_structure_share_their_programs():
    def trained():
        layer = torch.nn.Linear(SHAPE[1], SHAPE[0])
        torch.compile(layer)(torch.ones(2, SHAPE[1])).square().sum().backward()
        return layer.bias.grad

    trained().sum().item()
    before = len(programs)
    for _ in range(3):
        gradient = trained()
        gradient.sum().item()
    assert len(programs) == before
