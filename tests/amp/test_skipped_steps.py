"""Steps that overflowed on an accelerator: the device skips them, and nothing waits. CPU devices stand in."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

import torchlike
from tests.amp import skipping

pytestmark = pytest.mark.filterwarnings("ignore:.*lr_scheduler.step")  # PyTorch's, after a skipped first step
FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


@pytest.fixture(scope="module")
def found():
    code = "from tests.amp import skipping; skipping.main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **FOUR}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def _agree(ours, theirs, what):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), what
        for key in theirs:
            _agree(ours[key], theirs[key], f"{what} {key}")
    elif isinstance(theirs, str):
        assert ours == theirs, what
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), what
        for mine, yours in zip(ours, theirs):
            _agree(mine, yours, what)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6, err_msg=what)


@pytest.mark.parametrize("number", range(len(skipping.OVERFLOWS)))
@pytest.mark.parametrize(("kind", "form"), skipping.CASES)
def test_the_numbers_and_the_state_are_pytorchs(found, kind, form, number):
    theirs = skipping.trains(torch, "cpu", kind, skipping.OVERFLOWS[number])
    ours = found[f"{kind} {number} {form}"]
    if form == "compiled":
        assert ours.pop("recordings") == 1
    _agree(ours, theirs, kind)


@pytest.mark.parametrize("kind", ["AdamW", "SGD"])
def test_a_skipped_first_step_makes_no_state(found, kind):
    theirs = skipping.begins(torch, "cpu", kind)
    _agree(found[f"begins {kind}"], theirs, kind)
    _agree(skipping.begins(torchlike, "cpu", kind), theirs, kind)


@pytest.mark.parametrize("name", skipping.CHANGES)
def test_a_hook_and_a_replaced_step_are_not_called_for_a_skipped_step(found, name):
    theirs = skipping.trains(torch, "cpu", "AdamW", skipping.OVERFLOWS[0], skipping.CHANGES[name])
    _agree(found[name], theirs, name)


@pytest.mark.parametrize("kind", [*skipping.OPTIONS, *skipping.WAITING])
def test_a_step_reads_nothing(found, kind):
    assert found[f"reads {kind}"] == (3 if kind in skipping.WAITING else 0)
