"""Kills processes while they save.

    python -m tests.serialization.kills --count 300

A child process saves a checkpoint over an older one and is killed at a random moment. The file must then be the
complete old checkpoint or the complete new one. At most one temporary file may remain, and none after the next save.
"""

import argparse
import io
import multiprocessing
import os
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import torchlike

_FLOATS_OF_A_MEGABYTE = 1 << 18


@dataclass
class Trial:
    """The outcome of one kill."""

    killed: bool  # whether the kill came before the end of the save
    new: bool
    whole: bool
    strays: int
    strays_after_next: int


def _save(path, number, megabytes, pipe):
    torchlike.save(checkpoint(0, 5), io.BytesIO())  # initializes JAX
    saved = checkpoint(number, megabytes)
    pipe.send("begins")
    torchlike.save(saved, path)
    pipe.send("ends")


def checkpoint(number, megabytes):
    """Return a state dictionary whose values all identify the checkpoint. Its tensors are already computed."""
    parts = (np.full(5 * _FLOATS_OF_A_MEGABYTE, number + i, np.float32) for i in range(megabytes // 5))
    return {"number": number, **{f"part{i}": torchlike.from_numpy(part) for i, part in enumerate(parts)}}


class Kills:
    """Child processes that save to a file in `folder`. They are forked from a server that has imported torchlike."""

    def __init__(self, folder, megabytes=50, seed=0):
        self._path = Path(folder) / "checkpoint.pt"
        self._megabytes = megabytes
        self._random = random.Random(seed)
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["torchlike", __name__])
        self._number = 0
        self._ended = True

    def __enter__(self):
        self._save_whole()
        self._seconds = self._run(None)
        return self

    def __exit__(self, *_):
        pass

    def _run(self, delay):
        """Save the next checkpoint in a child. Kill the child after `delay` seconds, or let it end if `delay` is None.

        Return the seconds from the beginning of the save to its end or to the kill.
        """
        self._number += 1
        ours, theirs = self._context.Pipe(duplex=False)
        child = self._context.Process(target=_save, args=(self._path, self._number, self._megabytes, theirs))
        child.start()
        theirs.close()
        assert ours.recv() == "begins"
        start = time.perf_counter()
        if delay is None:
            assert ours.recv() == "ends"
        else:
            _wait(start + delay)
            child.kill()
        seconds = time.perf_counter() - start
        child.join()
        self._ended = delay is None or _received(ours) == "ends"
        return seconds

    def _save_whole(self):
        self._number += 1
        torchlike.save(checkpoint(self._number, self._megabytes), self._path)

    def trial(self):
        """Kill one save, inspect the remaining files, and save again."""
        before = self._number
        self._run(self._random.uniform(0, 1.2 * self._seconds))
        found = self._found()
        strays = len(self._strays())
        killed, attempted = not self._ended, self._number
        self._save_whole()
        after = len(self._strays())
        whole = found in ((before, attempted) if killed else (attempted,)) and self._found() == self._number
        return Trial(killed, found == attempted, whole, strays, after)

    def _strays(self):
        return [name for name in os.listdir(self._path.parent) if name != self._path.name]

    def _found(self):
        """Return the number of the checkpoint in the file, or None if the file is damaged."""
        try:
            found = torchlike.load(self._path)
        except Exception:
            return None
        number = found["number"]
        parts = [found[f"part{i}"].numpy() for i in range(self._megabytes // 5)]
        return number if all((part == number + i).all() for i, part in enumerate(parts)) else None


def _received(pipe):
    try:
        return pipe.recv()
    except EOFError:
        return None


def _wait(moment):
    left = moment - time.perf_counter()
    if left > 0:
        time.sleep(left)


def table(trials, megabytes):
    rows = {
        "kills": len(trials),
        "... before the save had ended": sum(t.killed for t in trials),
        "... that left the old file": sum(not t.new for t in trials),
        "... that left the new file": sum(t.new for t in trials),
        "file damaged or lost": sum(not t.whole for t in trials),
        "one temporary file left": sum(t.strays == 1 for t in trials),
        "more than one left": sum(t.strays > 1 for t in trials),
        "any left after the next save": sum(t.strays_after_next > 0 for t in trials),
        "passed": sum(t.whole and t.strays <= 1 and not t.strays_after_next for t in trials),
    }
    lines = [
        "# Kills while saving",
        "",
        f"Written by `python -m tests.serialization.kills --count {len(trials)}`. In each trial a process saves a",
        f"checkpoint of {megabytes} MB over an older one and is killed (`SIGKILL`) at a random moment between the",
        "start of `torchlike.save` and 1.2 times its duration. Then the file is loaded, every number is compared,",
        "and the checkpoint is saved again.",
        "",
        "| | count |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in rows.items()),
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Kills(folder, options.megabytes, options.seed) as kills:
        trials = [kills.trial() for _ in range(options.count)]
    text = table(trials, options.megabytes)
    print(text)
    if options.out:
        options.out.write_text(text, "utf-8")
    return sum(not (t.whole and t.strays <= 1 and not t.strays_after_next) for t in trials)


if __name__ == "__main__":
    raise SystemExit(main())
