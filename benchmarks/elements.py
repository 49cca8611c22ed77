"""Benchmarks of Python loops that read and write single elements, against PyTorch on one thread, in processor time.

`python -m benchmarks.elements` writes `ELEMENTS.md` and `ELEMENTS.json` next to this file. With arguments, it only runs
the loops whose names contain one of the arguments. Each loop runs in a new process, so that its first run is the first
of the process.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from statistics import median

from benchmarks.turns import write

RUNS, PROCESSES = 3, 3  # runs in each process; processes of each library
LIMIT = 5.0
ABOUT = """
# Loops over elements

Written by `python -m benchmarks.elements`: one thread each, processor time, medians of three processes. Each row is a
Python loop that reads and writes single elements or rows. The first run in a process includes everything that is
prepared once; the third run includes nothing of this kind.
"""


def edit_distance(L):
    a, b = "kitten sitting on the mitten of a", "a sitting kitten on mittens often"
    table = L.zeros(len(a) + 1, len(b) + 1, dtype=L.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table


def table_of_targets(L):
    table = L.zeros(50, 40)
    for i in range(50):
        for j in range(40):
            table[i, j] = i + j if i == 0 or j == 0 else table[i - 1, j - 1] + 1
    return table


def histogram(L):
    counts = L.zeros(10, dtype=L.int64)
    for x in L.arange(1000) * 7 % 10:
        counts[x] += 1
    return counts


def read_modify_write(L):
    x = L.linspace(0, 1, 1000)
    for i in range(1000):
        x[i] = x[i] * 2 + 1
    return x


def running_maximum(L):
    x = (L.arange(1000) * 37 % 101).float()
    best, found = x[0], L.zeros(1000)
    for i in range(1000):
        if x[i] > best:
            best = x[i]
        found[i] = best
    return found


def mask(L):
    lengths, made = L.arange(64) % 50, L.zeros(64, 50, dtype=L.bool)
    for i, n in enumerate(lengths):
        made[i, :n] = True
    for i in range(64):
        for j in range(0, 50, 7):
            made[i, j] = False
    return made


def prefix_sums(L):
    x, sums = L.arange(1000.0), L.zeros(1001)
    for i in range(1000):
        sums[i + 1] = sums[i] + x[i]
    return sums


def collate(L):
    images = [L.full((3, 8, 8), float(i)) for i in range(256)]
    batch, labels = L.zeros(256, 3, 8, 8), L.zeros(256, dtype=L.int64)
    for i, image in enumerate(images):
        batch[i] = image
        labels[i] = i % 10
    return batch + labels[:, None, None, None]


def suppression(L):
    start = L.arange(60) * 13 % 47 + 0.5
    end, kept = start + 9, L.ones(60, dtype=L.bool)
    for i in range(60):
        if not kept[i]:
            continue
        for j in range(i + 1, 60):
            if kept[j] and min(end[i], end[j]) - max(start[i], start[j]) > 4:
                kept[j] = False
    return kept


def reading(L):
    x, total = L.linspace(0, 1, 2000).reshape(50, 40), 0.0
    for i in range(50):
        for j in range(40):
            total += float(x[i, j]) + x[i, j].item()
    for row in x:
        for v in row:
            total += float(v)
    return L.tensor(total)


def walk(L):
    table = L.zeros(40, 40)
    for row in range(40):
        here = table[row]
        for j in range(1, 40):
            here[j] = here[j - 1] + row
    return table


def row_sums(L):
    x = L.arange(2000.0).reshape(200, 10)
    for i in range(1, 200):
        x[i] = x[i] + x[i - 1]
        x[i, 3:5] += 1
    return x


LOOPS = {
    f.__name__.replace("_", " "): f
    for f in (
        *(edit_distance, table_of_targets, histogram, read_modify_write, running_maximum, mask, prefix_sums),
        *(collate, suppression, reading, walk, row_sums),
    )
}


def timed(library: str, name: str) -> dict:
    """Return the processor seconds of each run of a loop in this process, and its result."""
    module = __import__(library)
    if library == "torch":
        module.set_num_threads(1)
    seconds, made = [], None
    for _ in range(RUNS):
        started = time.process_time()
        made = LOOPS[name](module).tolist()
        seconds.append(time.process_time() - started)
    return {"seconds": seconds, "result": made}


def asked(library: str, name: str) -> dict:
    """Return what `timed` returns in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.elements", "--one", library, name], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def rows(name: str) -> list[dict]:
    """Return the rows of a loop: its first and its third run."""
    turns = [{library: asked(library, name) for library in ("torch", "torchlike")} for _ in range(PROCESSES)]
    if any(turn["torch"]["result"] != turn["torchlike"]["result"] for turn in turns):
        raise AssertionError(f"the results of {name!r} differ")
    made = []
    for run, which in ((0, "first run"), (RUNS - 1, "third run")):
        theirs, ours = (1e3 * median(turn[n]["seconds"][run] for turn in turns) for n in ("torch", "torchlike"))
        made.append(
            {"operator": f"{name}, {which}", "PyTorch ms": theirs, "torchlike ms": ours, "ratio": ours / theirs}
        )
    return made


def main(wanted: list[str]) -> None:
    with contextlib.suppress(AttributeError):  # a platform without CPU affinity
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])  # before the libraries count the cores
    if wanted[:1] == ["--one"]:
        print(json.dumps(timed(*wanted[1:])))
        return
    found = []
    for name in LOOPS:
        if not wanted or any(w in name for w in wanted):
            found += rows(name)
            print(
                *[{k: v if isinstance(v, str) else round(v, 2) for k, v in row.items()} for row in found[-2:]], sep="\n"
            )
    if not wanted:
        write("ELEMENTS", ABOUT, found, LIMIT)


if __name__ == "__main__":
    main(sys.argv[1:])
