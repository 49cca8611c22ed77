"""The number of objects that a new shape leaves behind. Each such object slows every later garbage collection."""

from __future__ import annotations

import gc
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from torchlike._engine.interpreter import costs
from torchlike._engine.trace.waiting import on_host
from torchlike._engine.xla import background

PER_OPERATOR = 11  # a plan is 7; the rest are its key, its result's aval and shape, and its entry in a program


def test_a_plan_is_few_objects():
    weight, bias = torchlike.ones(8, 4), torchlike.ones(8)
    run = lambda n: torchlike.nn.functional.linear(torchlike.ones(n, 4), weight, bias).sum(-1).tolist()
    with torchlike.set_executor("numpy"):
        run(100)
        gc.collect()
        before = len(gc.get_objects())
        for n in range(101, 201):
            run(n)
        gc.collect()
    operators = 3 * 100
    assert len(gc.get_objects()) - before <= PER_OPERATOR * operators


def test_import_leaves_the_garbage_collector_unchanged():
    program = "import gc, torchlike; print(gc.isenabled(), gc.get_freeze_count())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "True 0\n"


@pytest.mark.parametrize(("threshold", "due"), [(None, 10_000), (123, 123), (0, 0)])
def test_the_collector_starts_after_a_step_unless_the_program_has_set_it(threshold, due):
    setting = "" if threshold is None else f"gc.set_threshold({threshold});"
    ask = "print(gc.get_threshold()[0], gc.get_threshold()[1:] == before[1:])"
    program = f"import gc; {setting} before = gc.get_threshold(); import torchlike; {ask}"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == f"{due} True\n"


def test_a_recorded_step_is_not_scanned():
    layers = [m for _ in range(100) for m in (torchlike.nn.Linear(4, 4), torchlike.nn.ReLU())]
    model, x = torchlike.nn.Sequential(*layers), torchlike.ones(2, 4)
    optimizer = torchlike.optim.SGD(model.parameters(), 0.1)

    def step():
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    for _ in range(costs.REPLACE + 1):
        step()
    background.wait_for_all()
    step()  # all programs are compiled
    scans = []
    count = lambda phase, info: scans.append(info["generation"]) if phase == "start" else None
    gc.collect()
    gc.callbacks.append(count)
    try:
        step()
        step()
    finally:
        gc.callbacks.remove(count)
    assert not scans


def test_elements_are_waited_for():
    array = jnp.ones((300, 300)) @ jnp.ones((300, 300))
    found = on_host(array)
    assert isinstance(found, np.ndarray) and (found == 300).all()
    assert on_host(found) is found
