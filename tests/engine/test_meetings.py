"""The keys of meetings in the coordination service, with a dictionary in the place of the service."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from torchlike._engine.ranks import meeting


class Service:
    """The keys of two ranks that are threads."""

    client = True

    def __init__(self):
        self.keys, self.most, self.changed = {}, 0, threading.Condition()

    def put(self, key, value):
        with self.changed:
            assert key not in self.keys
            self.keys[key] = value
            self.most = max(self.most, len(self.keys))
            self.changed.notify_all()

    def get(self, key, seconds):
        with self.changed:
            self.changed.wait_for(lambda: key in self.keys, seconds)
            return self.keys.get(key)

    def try_get(self, key):
        return self.keys.get(key)

    def delete(self, key):
        with self.changed:
            del self.keys[key]

    def ended(self):
        return set()

    def alive(self):
        return [0, 1]


@pytest.fixture
def service(monkeypatch):
    made = Service()
    monkeypatch.setattr(meeting, "processes", made)
    return made


def together(run):
    """Call `run` with the meetings of each of two ranks."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, [meeting.Meetings("group", (0, 1), rank, 30) for rank in range(2)]))


def test_keys_are_deleted_after_all_ranks_have_read_them(service):
    def programs(met):
        compiled = []
        for i in range(20):
            assert met.agree(f"program {i}", ["sum"])
            met.compiled(lambda i=i: compiled.append(i))
            time.sleep(0.001 * met._own)  # so that one rank is ahead of the other
        return compiled

    assert together(programs) == [list(range(20))] * 2
    assert service.most <= 8  # the keys of two meetings, and of one compile
    assert sorted(service.keys) == [
        *[f"compiled/group/20/{rank}" for rank in range(2)],
        *[f"meet/group/19/{rank}" for rank in range(2)],
    ]


def test_ranks_with_other_programs_go_on(service):
    def programs(met):
        found = [met.agree(f"program of {met._own}", ["sum"])]
        met.alone("sum")
        return [*found, met.agree("common", ["sum"]), met.number]

    assert together(programs) == [[False, True, 2]] * 2
    assert sorted(service.keys) == [f"meet/group/1/{rank}" for rank in range(2)]
