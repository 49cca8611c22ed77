"""Compiled training steps: losses, programs, memory."""

import pytest

import torchlike
from benchmarks import compiling
from tests.compile import long


@pytest.mark.parametrize("name", ["mlp3", "mlp10"])
def test_losses_are_those_of_the_recorded_step(name):
    assert long.difference(name, steps=100) <= 1e-5


def test_one_program_serves_changing_steps(monkeypatch):
    monkeypatch.setattr(compiling, "STEPS", 40)
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


def test_state_is_made_in_the_memory_of_tensors_that_were_written_to():
    model = torchlike.nn.Linear(3, 3)
    optimizer = torchlike.optim.Adam(model.parameters())

    @torchlike.compile(fullgraph=True)
    def step(x):
        model(x).square().sum().backward()
        scratch = [x.clone() for _ in range(20)]
        for each in scratch:
            each.mul_(2)
        del scratch, each  # Python reuses their ids for the state of the optimizer
        optimizer.step()
        optimizer.zero_grad()

    for _ in range(3):
        step(torchlike.ones(2, 3))
    assert all(kept["exp_avg"].count_nonzero() for kept in optimizer.state.values())


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


class _Trainer:
    """A step whose code contains the name `optimizer`, as an attribute."""

    def __init__(self):
        self.w = torchlike.nn.Parameter(torchlike.ones(2))
        self.optimizer = torchlike.optim.SGD([self.w], lr=0.1)
        self.scheduler = torchlike.optim.lr_scheduler.StepLR(self.optimizer, 2)

    def step(self, x):
        (self.w * x).sum().backward()
        self.optimizer.step()
        self.scheduler.step()
        self.optimizer.zero_grad()


def test_an_attribute_named_optimizer_does_not_prevent_the_capture():
    step = torchlike.compile(_Trainer().step)
    for _ in range(5):
        step(torchlike.ones(2))
    assert (step.explained().recordings, step.explained().runs) == (1, 4)


def test_a_scheduler_whose_optimizer_is_replaced():
    w = torchlike.nn.Parameter(torchlike.ones(2))
    scheduler = torchlike.optim.lr_scheduler.StepLR(torchlike.optim.SGD([w], lr=1.0), 2)

    @torchlike.compile(fullgraph=True)
    def step(x):
        (w * x).sum().backward()
        scheduler.optimizer.step()
        scheduler.optimizer.zero_grad()

    for _ in range(2):
        step(torchlike.ones(2))
    scheduler.optimizer = torchlike.optim.SGD([w], lr=0.0)
    step(torchlike.ones(2))
    assert w.tolist() == [-1, -1]
