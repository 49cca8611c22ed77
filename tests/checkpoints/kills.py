"""Kills processes while they save a checkpoint over an older one.

    python -m tests.checkpoints.kills --count 50

The folder must then hold the complete old checkpoint or the complete new one, for torchlike and for PyTorch, and the
next save removes what is left over.
"""

import argparse
import importlib
import multiprocessing
import os
import random
import tempfile
import time
import warnings
from dataclasses import dataclass

import numpy as np

import torchlike
import torchlike.distributed.checkpoint as ours

_PARTS = 12


@dataclass
class Trial:
    """The outcome of one kill."""

    killed: bool  # whether the kill came before the end of the save
    new: bool  # whether the folder holds the new checkpoint
    read_by_pytorch: bool
    left_over: int  # files that the checkpoint does not use
    left_over_after_next: int


def state(L, number, floats):
    """Return a state dict whose values all identify the checkpoint."""
    parts = {f"part{i}": L.from_numpy(np.full(floats, number, np.float32)) for i in range(_PARTS)}
    return {"number": number, **parts}


def _save(path, number, floats, pipe=None):
    warnings.simplefilter("ignore")
    saved = state(torchlike, number, floats)
    if pipe is not None:
        pipe.send("begins")
    ours.save(saved, storage_writer=ours.FileSystemWriter(path, thread_count=3))
    if pipe is not None:
        pipe.send("ends")


def _numbers(L, dcp, path, floats):
    """Return the numbers that the values of the checkpoint identify."""
    found = state(L, -1, floats)
    dcp.load(found, checkpoint_id=path)
    return {found["number"], *(int(x) for i in range(_PARTS) for x in np.unique(found[f"part{i}"].numpy()))}


def _theirs():
    return importlib.import_module("torch.distributed.checkpoint")  # late, because children need not import it


def _left_over(path):
    used = {stored.relative_path for stored in ours.FileSystemReader(path).read_metadata().storage_data.values()}
    return len(set(os.listdir(path)) - used - {".metadata"})


class Kills:
    """Child processes that save to a folder. They are forked from a server that has imported torchlike."""

    def __init__(self, folder, floats=300_000, seed=0):
        self._path, self._floats, self._random = str(folder), floats, random.Random(seed)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["torchlike.distributed.checkpoint", __name__])
        self._number = 0
        begin = time.perf_counter()
        _save(self._path, self._number, self._floats)
        self._duration = time.perf_counter() - begin

    def trial(self):
        """Kill one save at a random moment, check the folder, and save again."""
        self._number += 1
        here, there = self._context.Pipe()
        child = self._context.Process(target=_save, args=(self._path, self._number, self._floats, there))
        child.start()
        here.recv()
        time.sleep(self._random.uniform(0, 1.2 * self._duration))
        child.kill()
        child.join()
        killed = not here.poll()
        found = _numbers(torchlike, ours, self._path, self._floats)
        assert found in ({self._number}, {self._number - 1}), (found, self._number)
        also = _numbers(importlib.import_module("torch"), _theirs(), self._path, self._floats) == found
        left = _left_over(self._path)
        _save(self._path, self._number, self._floats)
        return Trial(killed, found == {self._number}, also, left, _left_over(self._path))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=50)
    with tempfile.TemporaryDirectory() as where:
        kills = Kills(where)
        trials = [kills.trial() for _ in range(parser.parse_args().count)]
    assert all(trial.read_by_pytorch and not trial.left_over_after_next for trial in trials)
    print(
        f"{len(trials)} saves: {sum(t.killed for t in trials)} killed, {sum(t.new for t in trials)} new, "
        f"{sum(t.left_over > 0 for t in trials)} left files over"
    )
