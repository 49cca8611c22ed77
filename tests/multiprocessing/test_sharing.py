"""Tensors in memory that several processes share."""

import functools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import torchlike
from torchlike._engine.segment import Segment


@functools.cache
def shared():
    """Return the results of `sharing.py` by library. Both scripts wait for processes, so they run at once."""
    libraries = ("torchlike", "torch")
    with ThreadPoolExecutor() as pool:
        return dict(zip(libraries, pool.map(shared_by, libraries), strict=True))


def shared_by(library):
    environment = {**os.environ, "SHARING_LIBRARY": library, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("sharing.py")), library]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ["plain", "written, fork", "written, spawn", "pool", "tied"])
def test_shared_tensors(name):
    assert shared()["torchlike"][name] == shared()["torch"][name]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_training_of_a_shared_model(method):
    ours, theirs = (shared()[library][f"trained, {method}"] for library in ("torchlike", "torch"))
    numbers = [2, 3, 4]
    assert [x for i, x in enumerate(ours) if i not in numbers] == [x for i, x in enumerate(theirs) if i not in numbers]
    for i in numbers:
        torchlike.testing.assert_close(torchlike.tensor(ours[i]), torchlike.tensor(theirs[i]))


def test_a_shared_tensor_is_freed():
    count = lambda: len(os.listdir("/proc/self/fd"))
    torchlike.ones(3).share_memory_()
    before = count()
    for _ in range(20):
        torchlike.ones(1000).share_memory_()
    assert count() == before
    kept = torchlike.ones(1000).share_memory_()
    assert count() == before + 1
    assert kept.sum().item() == 1000


def test_a_segment_that_cannot_be_mapped_closes_its_descriptor_once():
    handle = os.memfd_create("empty")
    with pytest.raises(OSError):
        Segment(0, handle)
    with pytest.raises(OSError):  # the descriptor is closed
        os.fstat(handle)
