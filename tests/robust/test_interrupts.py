"""A reproducible part of the interrupts that `python -m tests.robust` sends."""

import random
import signal

import pytest

from tests.robust.interrupted_io import Loads, Saves
from tests.robust.interrupts import Trainer, Trials
from tests.robust.moments import Moments, Points, heard_as_interrupts
from tests.robust.training import RECIPES

EACH = 8  # the number of trials of a recipe
SHORT = [recipe for recipe in RECIPES if recipe.name in ("momentum", "Adam, scheduled", "BatchNorm", "all")]
SIGNALS = [signal.SIGINT, signal.SIGALRM]  # SIGINT, and a signal whose handler in the program raises


class _Never(Moments):
    """A moment that never interrupts. All compared states must then be equal."""

    def _arm(self, delay, work):
        work()

    def _disarm(self):
        pass


@pytest.fixture(autouse=True)
def _interrupts():
    with heard_as_interrupts() as lost:
        yield
    assert not [each for each in lost if each[0] is not KeyboardInterrupt]


def _parts(recipe, compiled):
    return list(Trainer(recipe, compiled).windows())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("compiled", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("recipe", SHORT, ids=lambda recipe: recipe.name)
def test_without_an_interrupt_there_are_no_differences(recipe, compiled):
    trials = Trials(recipe, compiled, _Never(), random.Random(0))
    for part in _parts(recipe, compiled):
        trials.run(part, 0.0)
    trials.run_first(0.0)
    assert trials.outcome.differences == 0, trials.outcome.report()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("compiled", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("recipe", SHORT, ids=lambda recipe: recipe.name)
def test_a_step_is_whole_after_an_interrupt(recipe, compiled, number):
    trials = Trials(recipe, compiled, Points(number), random.Random(1))
    parts = _parts(recipe, compiled)
    for n in range(EACH):
        trials.run(parts[n % len(parts)], (n + 0.5) / EACH)
    trials.run_first(0.6)
    assert trials.outcome.differences == 0, trials.outcome.report()
    assert trials.outcome.heard > EACH // 2


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_checkpoint_is_whole_after_an_interrupt(number):
    with Saves(Points(number)) as saves:
        for n in range(12):
            saves.run((n + 0.5) / 12)
    assert saves.outcome.differences == 0, saves.outcome.report()
    assert saves.outcome.heard > 8


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("workers", [0, 2])
def test_batches_are_whole_after_an_interrupt(workers, number):
    loads, count = Loads(Points(number), workers), 20 if workers == 0 else 10
    for n in range(count):
        loads.run((n + 0.5) / count)
    assert loads.outcome.differences == 0, loads.outcome.report()
    assert loads.outcome.heard > 0.6 * count  # the places are counted in the first, cold run, and later runs have fewer
