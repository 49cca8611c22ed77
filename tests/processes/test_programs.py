"""Programs in several processes print the same as PyTorch with Gloo."""

import pytest

from tests.gate import gated
from tests.processes.launched import compared

RUNS = [
    ("collectives", 2),
    ("messages", 2),
    ("gradients", 2),
    ("training", 2),
    ("differing", 2),
    ("dtensor", 2),
    ("libraries", 2),
    ("pipelines", 2),
    ("small_parts", 2),
    ("compressed", 2),
]
# With three members, the order of a sum affects its last bits.
LONG = [
    ("hooks", 2),
    ("no_sync", 2),
    ("collectives", 3),
    ("sums", 3),
    ("meshes", 4),
    ("differing", 3),
    ("differing_cases", 2),
    ("differing_cases", 3),
    ("differing_cases", 4),
    ("dtensor_meshes", 4),
    ("pipelines", 4),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("program", "size"), gated([*RUNS, *LONG], lambda each: each in RUNS))
def test_processes_print_the_same(program, size):
    theirs, ours = compared(program, size)
    for rank, (expected, found) in enumerate(zip(theirs, ours)):
        assert found == expected, f"rank {rank}"
        assert expected
