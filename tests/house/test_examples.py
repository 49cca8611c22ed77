"""Tests that the example scripts print the same first loss under both libraries, and that their models learn."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.gate import gated

ROOT = Path(__file__).parents[2]
SHORT = {"digits_cnn": "--epochs=1", "vae": "--epochs=1", "lstm": "--epochs=1", "char_gpt": "--steps=5"}
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
EACH = pytest.mark.parametrize("name", gated(SHORT, lambda name: name in ("digits_cnn", "char_gpt")))


def run(name, *args, under):
    """Run the script and return its output. `under` is the library that `import torch` imports in it."""
    command = [sys.executable, *(["-m", "torchlike"] if under == "torchlike" else []), f"examples/{name}.py", *args]
    settings = os.environ | {"OMP_NUM_THREADS": str(CORES), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def figure(label, printed):
    """Return the number that is printed after the label, a percentage as a fraction."""
    number, percent = re.search(rf"{label}: ([-+.\de]+)(%?)", printed).groups()
    return float(number) / (100 if percent else 1)


@EACH
def test_one_seed_gives_one_first_loss_and_weights_that_pytorch_loads(name, tmp_path):
    saved = tmp_path / "weights.pt"
    ours = run(name, SHORT[name], f"--save={saved}", under="torchlike")
    theirs = run(name, SHORT[name], under="torch")
    assert figure("first loss", ours) == pytest.approx(figure("first loss", theirs), rel=1e-5)
    assert all(value.isfinite().all() for value in torch.load(saved, weights_only=True).values())


@pytest.mark.parametrize("name", gated(SHORT, lambda name: name == "digits_cnn"))
def test_another_seed_gives_another_first_loss(name):
    losses = [figure("first loss", run(name, SHORT[name], f"--seed={seed}", under="torchlike")) for seed in (0, 1)]
    assert losses[0] != losses[1]


@pytest.mark.long
@pytest.mark.parametrize(("name", "least"), [("digits_cnn", 0.97), ("lstm", 0.96)])
def test_reads_held_out_digits_as_well_as_pytorch_does(name, least):
    ours, theirs = (figure("held-out accuracy", run(name, under=library)) for library in ("torchlike", "torch"))
    assert ours >= least
    assert ours >= theirs - 0.01


@pytest.mark.long
def test_vae_learns_as_well_as_pytorch_does():
    ours, theirs = (figure("held-out negative ELBO", run("vae", under=library)) for library in ("torchlike", "torch"))
    assert ours == pytest.approx(theirs, rel=0.02)


@pytest.mark.long
def test_char_gpt_learns_to_spell():
    printed = run("char_gpt", under="torchlike")
    assert figure("first loss", printed) > 4
    assert figure("held-out loss", printed) < 2.2
