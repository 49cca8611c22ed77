"""Tests of the benchmarks: all contenders compute the same losses, and the table reports ratios over a limit."""

import numpy as np
import pytest
import torch

import torchlike
from benchmarks import models_torch, report
from benchmarks.models import SPECS
from benchmarks.rows import Check, Row, over
from tests.gate import gated

STEPS = 20


def losses(library, spec):
    torch.manual_seed(0)
    weights = {name: value.numpy().copy() for name, value in models_torch.build(torch, spec).state_dict().items()}
    step = models_torch.stepper(library, spec, weights, "cpu")
    return [step() for _ in range(STEPS)]


@pytest.mark.slow
@pytest.mark.parametrize("name", gated(SPECS, lambda name: name in ("mlp3", "cnn", "lstm", "gpt4")))
def test_losses_agree_with_pytorch_over_20_steps(name):
    np.testing.assert_allclose(losses(torchlike, SPECS[name]), losses(torch, SPECS[name]), rtol=1e-4)


def test_a_ratio_over_its_limit_fails_its_row():
    figures = {"torchlike": 3.0, "PyTorch eager": 2.0}
    assert Row("step", "ms", figures, over(figures, "PyTorch eager", 1.5)).verdict == "pass"
    assert Row("step", "ms", figures, over(figures, "PyTorch eager", 1.4)).verdict == "FAIL"


def test_a_ratio_without_a_limit_is_shown_and_not_judged():
    row = Row("step", "ms", {}, [Check("over PyTorch eager", 7.0)])
    assert row.verdict == "" and "over PyTorch eager 7 |" in report.table([row])


def test_a_contender_that_failed_says_why_in_its_cell():
    row = Row("step", "ms", {"PyTorch eager": 2.0}, failures={"torchlike": "RuntimeError: no|such"})
    assert row.verdict == "FAIL" and "failed: RuntimeError: no/such" in report.table([row])
