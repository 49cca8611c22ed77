"""A few random ends of processes with loaders. `python -m tests.robust` tries three hundred."""

import pytest

from tests.robust import worker_kills


@pytest.mark.skipif(not worker_kills.PROC.exists(), reason="looks for processes in /proc")
def test_processes_and_memory_end_with_the_main_process():
    found = worker_kills.run(4, seed=1)
    assert found.differences == 0, found.report()
