"""Check that donation decisions are the same for different ways in which an interpreter counts references."""

import json
import subprocess
import sys

import pytest

from tests.engine.refcounted import COUNTING
from tests.house.source import ROOT

FREE_AND_HELD = {
    "donated": [True, False],
    "noted writes": [0, 1],
    "copied gradients": 0,
    "packed state": [3, 0, 2, 2],
    "memory of our own": [[True, True], [False, False]],
    "swapped": True,
    "overwritten by a compiled step": [True, False],
}


@pytest.mark.parametrize("counting", COUNTING)
def test_decisions_follow_what_the_interpreter_counts(counting):
    command = [sys.executable, "-m", "tests.engine.refcounted", counting]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == FREE_AND_HELD
