"""Compiled training steps: losses, programs, memory."""

import pytest

import torchlike
from benchmarks import compiling
from tests.compile import long


@pytest.mark.parametrize("name", ["mlp3", "mlp10"])
def test_losses_are_those_of_the_recorded_step(name):
    assert long.difference(name, steps=100) <= 1e-5


def test_one_program_serves_a_thousand_changing_steps(monkeypatch):
    monkeypatch.setattr(compiling, "STEPS", 100)
    assert compiling.programs() == 1


def test_the_state_is_overwritten_in_place():
    model = torchlike.nn.Linear(64, 64)
    optimizer = torchlike.optim.Adam(model.parameters())

    @torchlike.compile(fullgraph=True)
    def step(x):
        model(x).square().sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(3):
        step(torchlike.ones(2, 64))
    state = 3 * 4 * (64 * 64 + 64)
    assert step.memory().alias_size_in_bytes >= state


def test_a_scheduler_steps_inside():
    w = torchlike.nn.Parameter(torchlike.ones(2))
    optimizer = torchlike.optim.SGD([w], lr=0.1)
    scheduler = torchlike.optim.lr_scheduler.StepLR(optimizer, 2)

    @torchlike.compile(fullgraph=True)
    def step(x):
        (w * x).sum().backward()
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()

    for _ in range(5):
        step(torchlike.ones(2))
    assert (step.explained().recordings, step.explained().runs) == (1, 4)
