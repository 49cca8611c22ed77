"""`python -m tests.fuzz`: many programs, each difference printed as a small script; leaves docs/fuzz.md."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from queue import Empty

MANY = 20_000  # a run of fewer leaves the table as it is
PAGE = Path(__file__).parents[2] / "docs" / "fuzz.md"
HEAD = """# Random programs, beside PyTorch's

Written by `python -m tests.fuzz`: programs of views, writes, indices, arithmetic and gradients, run by both libraries.
After each statement, or at the end, everything that can be seen is compared: errors, values, gradients, shapes,
strides, flags, versions, who shares memory with whom. What was ever found is kept in `tests/fuzz/found`.
"""


class Shard:
    """One process's share of the programs. A process that dies is a difference, and another one takes over the rest."""

    def __init__(self, seed: int, count: int) -> None:
        self.seed, self.left = seed, count
        self._start()

    def target(self) -> Callable:
        """What the process runs: `run_shard(seed, count, queue)`."""
        from tests.fuzz.shard import run_shard

        return run_shard

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.queue = context.Queue()  # of its own: a process that dies may leave one unusable
        self.worker = context.Process(target=self.target(), daemon=True, args=(self.seed, self.left, self.queue))
        self.worker.start()

    def results(self) -> list:
        """What has come in the last moment: for each program how many statements it has, and its difference or None."""
        found: list = []
        alive = self.worker.is_alive()  # asked first: what it has sent is there then
        with contextlib.suppress(Empty):
            while len(found) < min(self.left, 20):
                found.append(self.queue.get(timeout=0.5))
        died = bool(self.left) and not alive and not found
        if died:
            found.append((0, ("a process died", f"at the program of seed {self.seed}: exit {self.worker.exitcode}")))
        self.seed, self.left = self.seed + len(found), self.left - len(found)
        if died and self.left:
            self._start()
        return found


def run(seed: int, count: int, processes: int, kind: type[Shard] = Shard) -> tuple[int, int, Counter]:
    """Share the programs among processes and print what differs: how many there were, their statements, and how often
    each kind of difference."""
    from tqdm import tqdm

    share = -(-count // processes)
    shards = [kind(seed * 1_000_000 + i * share, share) for i in range(processes)]
    statements, kinds = 0, Counter()
    with tqdm(total=share * processes, unit="program") as bar:
        while not all(shard.left == 0 for shard in shards):
            for length, found in [each for shard in shards for each in shard.results()]:
                bar.update()
                statements += length
                if found is not None:
                    kinds[found[0]] += 1
                    bar.write(f"--- difference {kinds.total()}\n{found[1]}\n")
    return share * processes, statements, kinds


def page(seed: int, programs: int, statements: int, differences: int) -> str:
    """The table of a run."""
    found = {"seed": seed, "programs": f"{programs:,}", "statements": f"{statements:,}", "differences": differences,
             "date": date.today(), "PyTorch": version("torch"), "JAX": version("jax"),
             "NumPy": version("numpy")}  # fmt: skip
    rows = [list(found), ["---"] * len(found), list(found.values())]
    return HEAD + "\n" + "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows) + "\n"


def main() -> None:
    """Read the command line, run, sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=MANY, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    programs, statements, kinds = run(given.seed, given.count, given.processes)
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    print(f"{programs} programs, {statements} statements, {kinds.total()} differences")
    if programs >= MANY:
        PAGE.write_text(page(given.seed, programs, statements, kinds.total()))
    raise SystemExit(bool(kinds))


if __name__ == "__main__":
    main()
