"""Programs in several processes print the same as PyTorch with Gloo."""

import os

import pytest

from tests.processes.launched import compared

# With three members, the order of a sum affects its last bits.
RUNS = [
    ("collectives", 3),
    ("sums", 3),
    ("messages", 2),
    ("gradients", 2),
    ("training", 2),
    ("meshes", 4),
    ("hooks", 2),
    ("no_sync", 2),
    ("libraries", 2),
    ("differing", 3),
    ("dtensor", 2),
    ("tensor_parallel", 2),
]

LONG = [("collectives", 2), ("differing", 2), ("dtensor_meshes", 4), ("tensor_parallel", 4)]  # with DTENSOR_CASES set


@pytest.mark.parametrize(("program", "size"), RUNS + LONG * ("DTENSOR_CASES" in os.environ))
def test_processes_print_the_same(program, size):
    theirs, ours = compared(program, size)
    for rank, (expected, found) in enumerate(zip(theirs, ours)):
        assert found == expected, f"rank {rank}"
        assert expected
