"""A few random ends of processes with loaders. `python -m tests.robust` tries three hundred."""

from tests.robust import worker_kills


def test_processes_and_memory_end_with_the_main_process():
    found = worker_kills.run(4, seed=1)
    assert found.differences == 0, found.report()
