"""Threads in different modes, a few rounds of each: `python -m tests.robust` runs many."""

import pytest
import torch

import torchlike
from tests.robust import modes, threads


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", modes.JUDGED, ids=lambda mode: mode.__name__)
def test_a_mode_alone_is_pytorchs(mode):
    assert mode(torchlike) == mode(torch)


def test_threads_in_different_modes():
    outcome = threads.sessions(rounds=60, turns=6)
    assert outcome.differences == 0, outcome.report()
    assert outcome.trials == 60 * threads.THREADS


def test_two_threads_in_one_compiled_function():
    outcome = threads.same_function(rounds=200)
    assert outcome.differences == 0, outcome.report()


@pytest.mark.parametrize("capture", threads.CAPTURES)
def test_a_function_that_waits_for_another_thread(capture):
    outcome = threads.waiting(capture)
    assert outcome.differences == 0, outcome.report()
