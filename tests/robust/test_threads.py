"""Threads in different modes, a few rounds of each. `python -m tests.robust` runs many."""

import sys
import threading
import time

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


def test_a_thread_waits_for_a_value_of_another_threads_capture():
    """A thread uses a value of a call that a second thread captures, while a third thread flushes pending work."""
    kept, ready, found = [], threading.Event(), {}

    def captured(x):
        kept.append(x * 3)
        ready.set()
        time.sleep(0.1)
        return kept[-1] + 1

    def uses():
        ready.wait()
        own = torchlike.ones(2) * 5
        found["sum"], found["own"] = (own + kept[0]).tolist(), own.tolist()

    def flushes():
        ready.wait()
        found["others"] = [(torchlike.ones(2) + 1).tolist() for _ in range(50)]

    others = [threading.Thread(target=target, daemon=True) for target in (uses, flushes)]
    for other in others:
        other.start()
    assert torchlike.compile(captured)(torchlike.ones(2)).tolist() == [4.0, 4.0]
    for other in others:
        other.join(30)
    assert found == {"sum": [8.0, 8.0], "own": [5.0, 5.0], "others": [[2.0, 2.0]] * 50}


WRITES = {
    "an element": lambda x, i: x.__setitem__(i, x[i] + 1),
    "a slice": lambda x, i: x[i : i + 1].add_(1),
    "through a list": lambda x, i: x.__setitem__([i], x[[i]] + 1),
    "a row that is filled": lambda x, i: x.select(0, i).fill_(x[i].item() + 1),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_threads_that_write_to_parts_of_one_tensor(write):
    """Each thread writes to its own elements, and no write is lost."""
    x = torchlike.zeros(8)
    each = [threading.Thread(target=lambda i=i: [write(x, i) for _ in range(100)]) for i in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in each:
            thread.start()
        for thread in each:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert x.tolist() == [100.0] * 4 + [0.0] * 4
