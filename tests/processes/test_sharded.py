"""Training in several processes agrees with PyTorch with Gloo.

The programs train in float64 where possible, so that the tolerances are small. `python -m tests.long` takes twenty
steps, in more numbers of processes.
"""

import pytest

from tests.processes import nearly
from tests.processes.launched import compared, said, started

RUNS = [("fsdp_training", 2), ("ddp_training", 2)]
LONG = [
    ("fsdp_training", 2),
    ("fsdp_wrapped", 2),
    ("fsdp_modules", 2),
    ("zero", 2),
    ("fsdp_meshes", 4),
    ("fsdp_training", 3),
    ("fsdp_training", 4),
    ("fsdp_wrapped", 3),
    ("fsdp_wrapped", 4),
    ("zero", 4),
    ("fsdp_modules", 4),
    ("tensor_parallel", 2),
    ("tensor_parallel", 4),
    ("ddp_training", 2),
    ("ddp_training", 4),
    ("uneven", 2),
    ("uneven", 3),
]

ROUNDING = 1e-9
TOLERANCES = {
    "float32": 1e-5,  # parameters and activations in float32
    "clipped": 1e-5,
    "norm": 1e-5,
    "bfloat16": 4e-2,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("program", "size"), RUNS)
def test_processes_agree(program, size):
    theirs, ours = compared(program, size)
    nearly.check(theirs, ours, TOLERANCES, ROUNDING)


@pytest.mark.long
@pytest.mark.parametrize(("program", "size"), LONG)
def test_processes_agree_for_twenty_steps(program, size, monkeypatch):
    monkeypatch.setenv("TRAINING_STEPS", "20")
    theirs, ours = compared(program, size)
    nearly.check(theirs, ours, TOLERANCES, ROUNDING)


def test_a_step_of_several_processes_is_compiled_as_a_whole():
    found = said(started("fsdp_compiled", 2, ("-m", "torchlike")))
    assert found == ["close True True\n"] * 2


@pytest.mark.long
def test_a_step_on_a_mesh_of_two_dims_is_compiled_as_a_whole():
    found = said(started("grids_compiled", 4, ("-m", "torchlike")))
    assert [line.partition(" ")[0] for line in found[0].splitlines()] == ["parallel", "parallel", "copies", "copies"]
    assert all("close True" in line and "False" not in line for text in found for line in text.splitlines())


def test_a_difference_is_found():
    assert nearly.difference("loss 1.25 at 3", "loss 1.25 at 3") == 0
    assert nearly.difference("loss 2.0 [1.0]", "loss 2.0 [1.5]") == 0.25
    assert nearly.difference("loss 1.25 at 3", "loss 1.25 at 4") == float("inf")
    assert nearly.difference("loss 1.25", "loss nan") == float("inf")
    with pytest.raises(AssertionError, match="rank 1"):
        nearly.check(["loss 1.0", "loss 1.0"], ["loss 1.0", "loss 1.1"], {}, 1e-9)
    with pytest.raises(AssertionError, match="lines"):
        nearly.check(["loss 1.0\nloss 2.0"], ["loss 1.0"], {}, 1e-9)
