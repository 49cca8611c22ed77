"""Programs of all kinds on a GPU give the numbers of the CPU, with every executor."""

import pytest

import torchlike
from tests.targets.programs import ALL, EXECUTORS, draws, trains, trains_compiled
from torchlike._engine import set_executor

pytestmark = pytest.mark.gpu
RANDOM = draws, trains, trains_compiled  # those whose random numbers follow the device


def _flat(x):
    return [n for part in x for n in _flat(part)] if isinstance(x, list) else [] if x is None else [float(x)]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("program", ALL)
def test_programs(program, executor):
    with set_executor(executor):
        found, due = (torchlike.manual_seed(0) and program(device) for device in ("cuda", "cpu"))
    assert len(_flat(found)) == len(_flat(due))
    if program not in RANDOM:
        assert _flat(found) == pytest.approx(_flat(due), rel=1e-4, abs=1e-5)


def test_a_seed_repeats_a_run():
    first, second = (trains_compiled("cuda") for _ in range(2))
    assert first == second == pytest.approx(trains("cuda"), rel=1e-3)


def test_one_process_of_the_same_seed_draws_the_same_numbers_with_every_executor():
    found = []
    for executor in EXECUTORS:
        with set_executor(executor):
            found.append(draws("cuda"))
    assert found[0] == found[1] == found[2]
    assert torchlike.cuda.is_available()
