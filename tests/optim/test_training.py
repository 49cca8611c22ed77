"""Whole training loops: PyTorch's loss curve, no compile after the first steps, one write per parameter and step."""

import numpy as np
import pytest
import torch

import torchlike
from tests.optim.cases import ONE_EACH, parameters, same
from torchlike._engine import stats
from torchlike._engine.trace.flush import forget_programs


def data(dtype="float32"):
    rng = np.random.default_rng(7)
    x = rng.standard_normal((16, 4)).astype(dtype)
    weights = [rng.standard_normal(shape).astype(dtype) * 0.3 for shape in ((4, 8), (8,), (8, 1))]
    return x, np.sin(x.sum(1, keepdims=True)).astype(dtype), weights


class Loop:
    """A small network that is fitted to a sine."""

    def __init__(self, library, name, options, dtype="float32"):
        x, y, weights = data(dtype)
        self.x, self.y = library.from_numpy(x), library.from_numpy(y)
        self.params = parameters(library, weights)
        self.optimizer = getattr(library.optim, name)(self.params, **options)

    def loss(self):
        self.optimizer.zero_grad()
        w1, b1, w2 = self.params
        error = (self.x @ w1 + b1).tanh() @ w2 - self.y
        loss = (error * error).mean()
        loss.backward()
        return loss

    def step(self):
        loss = self.loss()
        self.optimizer.step()
        return loss.item()


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_the_loss_curve_equals_pytorchs(name, options):
    ours, theirs = (Loop(library, name, options, "float64") for library in (torchlike, torch))
    np.testing.assert_allclose(
        [ours.step() for _ in range(20)], [theirs.step() for _ in range(20)], rtol=1e-8, atol=1e-10
    )
    for a, b in zip(ours.params, theirs.params):
        same(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_nothing_is_compiled_after_the_second_step(name, options):
    """Check that changing values compile no new program.

    The changing values are step counts, bias corrections, RAdam's warm-up, and a learning rate that equals another
    constant.
    """
    loop = Loop(torchlike, name, options)
    loop.step()
    loop.step()
    group = loop.optimizer.param_groups[0]
    compiles = stats.compiles
    for step in range(10):
        if "lr" in group:
            group["lr"] = (0.1, 0.01, 1e-8, 0.9)[step % 4]
        if "betas" in group:
            group["betas"] = (0.9 - 0.01 * step, 0.999)
        loop.step()
    assert stats.compiles == compiles


def test_first_and_later_steps_share_their_programs():
    """Check that two compiles cover all steps.

    The first update compiles a small program, and the second compiles the program of all later updates. Forgetting the
    programs makes this independent of earlier work in the process.
    """
    forget_programs()
    loop = Loop(torchlike, "SGD", dict(lr=0.1, momentum=0.9, dampening=0.5))
    made = []
    for _ in range(6):
        loop.loss()
        before = stats.compiles
        loop.optimizer.step()
        made.append(stats.compiles - before)
    assert max(made[:2]) <= 1
    assert made[2:] == [0] * 4


def test_reading_the_state_dict_compiles_nothing():
    loop = Loop(torchlike, "Adam", {})
    for _ in range(3):
        loop.step()
    compiles = stats.compiles
    for _ in range(3):
        loop.optimizer.state_dict()
        loop.step()
    assert stats.compiles == compiles


def test_the_loss_curve_with_a_scheduler_equals_pytorchs():
    curves = []
    for library in (torchlike, torch):
        loop = Loop(library, "AdamW", dict(lr=0.05), "float64")
        scheduler = library.optim.lr_scheduler.OneCycleLR(loop.optimizer, max_lr=0.1, total_steps=15)
        curve = []
        for _ in range(15):
            curve.append(loop.step())
            scheduler.step()
        curves.append(curve)
    np.testing.assert_allclose(*curves, rtol=1e-8)


def test_a_step_counts_as_one_write_of_each_parameter():
    param = torchlike.nn.Parameter(torchlike.ones(2))
    optimizer = torchlike.optim.Adam([param])
    param.grad = torchlike.ones(2)
    before, place = param._version, param.data_ptr()
    optimizer.step()
    assert (param._version, param.data_ptr()) == (before + 1, place)
    assert param.is_leaf and param.requires_grad
