"""Transfers in a training step on an accelerator. CPU devices stand in for accelerators."""

import json
import os
import subprocess
import sys
from pathlib import Path

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
    "two devices": "the elements of a tensor are needed",
}


@pytest.mark.one_in(3)
@FORMS
@NAMES
def test_a_training_step_reads_no_arrays(found, name, form):
    assert found[name][form]["step"]["to_host"] == 0


@FORMS
@NAMES
def test_item_reads_one_array(found, name, form):
    assert found[name][form]["item"] == [1, 1]


@FORMS
@NAMES
def test_jax_logs_the_same_transfers(found, name, form):
    step, audit = found[name][form]["step"], found[name][form]["audit"]
    assert audit == [step["to_device"], step["between"], step["to_host"]]


# The transfers of a step and their bytes. Two of AdamW's eight numbers are a new vector in each step. The others change
# with the learning rate only. All samples share 16 bytes. Other numbers repeat and stay on the device.
TRANSFERS = dict.fromkeys(("AdamW", "gradient accumulation", "Embedding", "GPT", "Dropout"), (1, 16))
TRANSFERS |= {"OneCycleLR": (2, 64), "AveragedModel (EMA)": (1, 8)}


@pytest.mark.parametrize("name", steps.STEPS)
def test_a_compiled_step_is_one_program_that_takes_at_most_64_bytes(found, name):
    of = found[name]["compiled"]
    if name in REFUSED:
        assert all(REFUSED[name] in reason for reason in of["refused"])
        assert of["refused"]
    else:
        assert of["refused"] == []
        expected = (1, *TRANSFERS.get(name, (0, 0)))
        assert (of["step"]["programs"], of["step"]["to_device"], of["step"]["to_device_bytes"]) == expected


def test_the_table_in_the_docs_is_up_to_date(found):
    page = table.PAGE.read_text().partition(table.BEGIN)[2].splitlines()
    assert page == table.lines(found), "run: python -m tests.targets.table"


# A barrier of `synchronize`, an array over the memory of another one on the CPU, and arrays over a mesh.
OTHER_PUTS = {"torchlike/_engine/accelerators.py", "torchlike/jax/_arrays.py", "torchlike/_engine/xla/mesh.py"}


def test_only_one_module_puts_arrays_on_devices():
    files = [path for path in Path("torchlike").rglob("*.py") if "device_put" in path.read_text()]
    assert {path.as_posix() for path in files} == {"torchlike/_engine/xla/transfers.py", *OTHER_PUTS}


def test_moves_between_devices_do_not_pass_the_host(found):
    step = found["two devices"]["recorded"]["step"]
    assert (step["to_host"], step["between"]) == (0, 2)  # forward and backward
    assert step["to_device"] == 2  # the numbers of the optimizer, for each device


@pytest.mark.parametrize("name", [name for name in steps.STEPS if name != "Dropout"])
@FORMS
def test_losses_and_tensors_equal_pytorchs(found, name, form):
    losses, tensors = steps.run(torch, name, "cpu", table.WARM)
    np.testing.assert_allclose(found[name][form]["losses"], losses, rtol=1e-4)
    for ours, theirs in zip(found[name][form]["tensors"], tensors, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=2e-4)


OTHERS = """
import json, jax, numpy as np
import torchlike as torch
from torchlike._dtypes.devices import stand_ins
from torchlike._engine import boundary, set_executor
from torchlike._engine.xla.transfers import counted

found = {}

def count(name, work):
    with counted() as counts:
        result = work()
    found[name] = [counts.to_host, counts.to_device, counts.between, result]
    return result

def trained():
    net = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(4)]).to("cuda")
    optimizer, x = torch.optim.AdamW(net.parameters()), torch.ones(2, 3, device="cuda")

    def step():
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    for _ in range(3):
        step()
    return net, optimizer, step

with stand_ins("cuda", jax.devices()[1:3]):
    net, optimizer, step = trained()
    count("packs made and split", lambda: [optimizer.state and None, step(), step()][0])
    compiled = torch.compile(step)
    count("first compiled call", compiled)
    alias = net[0].weight._value  # another owner of an array that the next call overwrites
    count("compiled call that copies", compiled)
    del alias
    count("wait", lambda: torch.cuda.synchronize())

    x = torch.ones(2000, 3, device="cuda")
    count("copy_", lambda: torch.zeros(2000, 3, device="cuda:1").copy_(x) is None)
    for name, make in {
        "zeros": lambda: torch.zeros(300, 300, device="cuda"),
        "arange": lambda: torch.arange(9, device="cuda"),
        "full": lambda: torch.full((300, 2), 2.5, device="cuda", dtype=torch.bfloat16),
        "ones_like": lambda: torch.ones_like(x),
    }.items():
        first = make()
        first.add_(1)
        boundary()
        made = count(name, make)
        found[name][3] = made.float().sum().item()

    rows, table = torch.tensor([0, 7]).to("cuda"), torch.ones(3, 2, device="cuda")
    count("bad index", lambda: torch.nn.functional.embedding(rows, table) is None)
    found["bad index"][3] = str(torch.nn.functional.embedding(rows, table)[1].tolist())
    with set_executor("immediate"):
        try:
            torch.nn.functional.embedding(rows, table)
        except IndexError as error:
            found["immediate"] = str(error)

    p = torch.ones(2, device="cuda", requires_grad=True)
    optimizer = torch.optim.Adam([p])
    def again():
        optimizer.zero_grad()
        p.sum().backward()
        optimizer.step()
    again()
    held = optimizer.state[p]["step"]
    again()
    once = torch.compile(again)
    once(), once()
    found["held counter"] = [str(held.device), held.item(), (held + 1).item(), optimizer.state[p]["step"].item()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def others():
    done = subprocess.run(
        [sys.executable, "-c", OTHERS], env={**os.environ, **table.FOUR}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "name", ["packs made and split", "first compiled call", "compiled call that copies", "wait", "copy_", "bad index"]
)
def test_other_work_reads_no_arrays(others, name):
    assert others[name][0] == 0


def test_a_copy_between_accelerators_does_not_pass_the_host(others):
    assert others["copy_"][1:3] == [0, 1]


@pytest.mark.parametrize(("name", "total"), [("zeros", 0.0), ("arange", 36.0), ("full", 1500.0), ("ones_like", 6000.0)])
def test_a_constant_is_not_transferred_again(others, name, total):
    assert others[name] == [0, 0, 0, total]


def test_an_index_on_an_accelerator_is_checked_only_if_operators_run_immediately(others):
    assert others["bad index"][3] == "[nan, nan]"
    assert others["immediate"] == "index out of range in self"


def test_a_step_counter_that_user_code_keeps_is_a_cpu_tensor(others):
    assert others["held counter"] == ["cpu", 4.0, 5.0, 4.0]
