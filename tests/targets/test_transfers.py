"""Transfers in a training step on an accelerator. CPU devices stand in for accelerators."""

import numpy as np
import pytest
import torch

from tests.targets import steps, table


@pytest.fixture(scope="module")
def found():
    return table.counted_steps([*steps.STEPS])


FORMS = pytest.mark.parametrize("form", table.FORMS)
NAMES = pytest.mark.parametrize("name", steps.STEPS)
REFUSED = {
    "AveragedModel (EMA)": "the elements of a tensor are needed",  # `n_averaged` is a tensor on the CPU
    "Dropout": "random numbers are changed on the host before they are used",
    "two devices": "the elements of a tensor are needed",
}


@FORMS
@NAMES
def test_a_step_reads_nothing(found, name, form):
    assert found[name][form]["step"]["to_host"] == 0


@FORMS
@NAMES
def test_item_is_one_read(found, name, form):
    assert found[name][form]["item"] == [1, 1]


@FORMS
@NAMES
def test_jax_logs_the_same_transfers(found, name, form):
    step = found[name][form]["step"]
    assert found[name][form]["audit"] == [step["to_device"], step["between"], step["to_host"]]


@NAMES
def test_a_compiled_step_is_one_program_with_one_transfer(found, name):
    of = found[name]["compiled"]
    if name in REFUSED:
        assert all(REFUSED[name] in reason for reason in of["refused"])
        assert of["refused"]
    else:
        assert of["refused"] == []
        assert (of["step"]["programs"], of["step"]["to_device"]) == (1, 1)


def test_moves_between_devices_do_not_pass_the_host(found):
    step = found["two devices"]["recorded"]["step"]
    assert (step["to_host"], step["between"]) == (0, 2)  # forward and backward
    assert step["to_device"] == 2  # the scalars of the optimizer, for each device


@pytest.mark.parametrize("name", [name for name in steps.STEPS if name != "Dropout"])
@FORMS
def test_the_numbers_are_pytorchs(found, name, form):
    losses, tensors = steps.run(torch, name, "cpu", table.WARM)
    np.testing.assert_allclose(found[name][form]["losses"], losses, rtol=1e-4)
    for ours, theirs in zip(found[name][form]["tensors"], tensors, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=2e-4)
