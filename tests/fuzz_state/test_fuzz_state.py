"""The first programs of the fuzzer, the same in every run. `python -m tests.fuzz_state` runs any number of programs."""

import pytest

from tests.fuzz_state.piece import PIECES
from tests.fuzz_state.programs import program_of
from tests.fuzz_state.run import difference

PROGRAMS = 100


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", range(0, PROGRAMS, 10))
def test_random_programs(first):
    for seed in range(first, first + 10):
        program = program_of(seed)
        found = difference(program)
        assert found is None, f"{program.text()}\n{found}"


def test_a_program_is_that_of_its_seed():
    assert program_of(7) == program_of(7)
    assert program_of(7) != program_of(8)


def test_every_kind_of_state_occurs():
    texts = "".join(program_of(seed).text() for seed in range(2000))
    assert all(piece.setup.split("@")[0].strip().split("\n")[0] in texts for piece in PIECES.values())


def test_a_compile_that_freezes_results_is_found(monkeypatch):
    """Check that a `compile` that freezes the first result fails in most programs."""

    def freezes(function):
        results = []

        def call(*args):
            results.append(results[0] if results else function(*args))
            return results[0]

        return call

    monkeypatch.setattr("torchlike.compile", freezes)
    assert sum(difference(program_of(seed)) is not None for seed in range(40)) > 10
