"""Check that donation decisions are the same for different ways in which an interpreter counts references."""

import json
import subprocess
import sys

import pytest

import torchlike
from tests.engine.refcounted import COUNTING
from tests.house.source import ROOT

FREE_AND_HELD = {
    "donated": [True, False],
    "noted writes": [0, 1],
    "copied gradients": 0,
    "packed state": [3, 0, 2, 2],
    "memory of our own": [[True, True], [False, False]],
    "overwritten by a compiled step": [True, False],
}


@pytest.mark.parametrize("counting", COUNTING)
def test_decisions_follow_what_the_interpreter_counts(counting):
    command = [sys.executable, "-m", "tests.engine.refcounted", counting]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == FREE_AND_HELD


def test_calls_of_compiled_functions_keep_the_counts_of_singletons():
    """Before Python 3.12, True and None are counted, and Python aborts when their counts reach 0."""
    network = torchlike.nn.Linear(4, 2)
    optimizer = torchlike.optim.SGD(network.parameters(), lr=0.1)
    x = torchlike.ones(3, 4)

    @torchlike.compile
    def step(x):
        optimizer.zero_grad()
        network(x).sum().backward()
        optimizer.step()

    counts = lambda: [sys.getrefcount(each) for each in (True, False, None)]
    for _ in range(15):
        step(x)
    before = counts()
    for _ in range(50):
        step(x)
    assert all(now >= then - 5 for now, then in zip(counts(), before, strict=True))


@pytest.mark.parametrize("source", sorted((ROOT / "torchlike" / "_native").glob("*.c")), ids=lambda path: path.name)
def test_native_modules_count_the_singletons(source):
    """The `Py_RETURN` macros of Python 3.12 and newer do not, but the module that they compile runs on 3.11 too."""
    assert "Py_RETURN" not in source.read_text()
