"""A compiled function that reads containers of Python classes gives the results of the uncompiled function."""

import warnings

import pytest

import torchlike
from tests.compile.container_programs import KINDS, program

PROGRAMS, OF_EACH_CHUNK = 200, 5
# Programs that once returned stale values: `data` of a `UserDict`, a length of 0, and keys in another order.
STALE = (3, 8, 9, 39, 199, 255, 280, 1261)


def plain(function):
    return function


def check(seed: int) -> int:
    """Compare the two runs of a program. Return the number of its compiled calls."""
    made, found = [], program(seed)

    def compile(function):
        made.append(torchlike.compile(function))
        return made[0]

    with warnings.catch_warnings(action="ignore"):
        want = found.results(torchlike, plain)
        got = found.results(torchlike, compile)
    assert got == want, f"{seed}\n{found.text}\n{found.changes}"
    return made[0].explained().runs


@pytest.mark.parametrize("seed", STALE)
def test_stale_before(seed):
    check(seed)


@pytest.mark.one_in(PROGRAMS)  # one chunk in the gate: each capture visits the objects of all tests
@pytest.mark.parametrize("first", range(0, PROGRAMS, OF_EACH_CHUNK))
def test_container_programs_equal_pytorchs(first):
    runs = [check(10_000 + seed) for seed in range(first, first + OF_EACH_CHUNK)]
    # Most programs are compiled, but not most of every chunk. The others change what they read, or call `next`.
    assert any(runs)


def test_all_kinds_are_drawn():
    texts = [program(seed).text for seed in range(PROGRAMS)]
    assert all(any(f"class Made({kind}):" in text for text in texts) for kind in KINDS)
