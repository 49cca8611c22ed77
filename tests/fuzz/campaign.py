"""A long run of a fuzzer: processes that share the programs, a progress bar, and the table that the run leaves."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from queue import Empty

DOCS = Path(__file__).parents[2] / "docs"


class Shard:
    """One process's share of the programs. A process that dies is a difference, and another one takes over the rest."""

    def __init__(self, target: Callable, seed: int, count: int) -> None:
        self.target, self.seed, self.left = target, seed, count
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.queue = context.Queue()  # of its own: a process that dies may leave one unusable
        self.worker = context.Process(target=self.target, daemon=True, args=(self.seed, self.left, self.queue))
        self.worker.start()

    def results(self) -> list:
        """What has come in the last moment: for each program its count, and its difference or None."""
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


@dataclass(frozen=True)
class Campaign:
    """A fuzzer's long run.

    Attributes:
      package: `tests.fuzz`, say. Its `shard.run_shard(seed, count, queue)` runs programs, and puts for each a count and
        its difference: a kind and a text, or None.
      counted: what the counts are of, for the table.
      many: the programs of a whole run. A run of fewer leaves the table as it is.
      head: the text above the table.
    """

    package: str
    counted: str
    many: int
    head: str

    def run(self, seed: int, count: int, processes: int) -> tuple[int, int, Counter]:
        """Print what differs; return how many programs there were, the sum of their counts, and the differences by
        kind."""
        from tqdm import tqdm

        share = -(-count // processes)
        target = importlib.import_module(f"{self.package}.shard").run_shard
        shards = [Shard(target, seed * 1_000_000 + i * share, share) for i in range(processes)]
        total, kinds = 0, Counter()
        with tqdm(total=share * processes, unit="program") as bar:
            while not all(shard.left == 0 for shard in shards):
                for counted, found in [each for shard in shards for each in shard.results()]:
                    bar.update()
                    total += counted
                    if found is not None:
                        kinds[found[0]] += 1
                        bar.write(f"--- difference {kinds.total()}\n{found[1]}\n")
        return share * processes, total, kinds

    def page(self, seed: int, programs: int, total: int, differences: int, seconds: float) -> str:
        """The table of a run."""
        found = {
            "seed": seed,
            "programs": f"{programs:,}",
            self.counted: f"{total:,}",
            "differences": differences,
            "programs a second": f"{programs / seconds:.1f}",
            "date": date.today(),
            "PyTorch": version("torch"),
            "JAX": version("jax"),
            "NumPy": version("numpy"),
        }
        rows = [list(found), ["---"] * len(found), list(found.values())]
        return self.head + "\n" + "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows) + "\n"

    def main(self) -> None:
        """Read the command line, run, sum up."""
        parser = argparse.ArgumentParser(prog=f"python -m {self.package}", description=self.head.partition("\n")[0][2:])
        parser.add_argument("--count", type=int, default=self.many, help="programs to run")
        parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
        parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
        given = parser.parse_args()
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        begin = time.perf_counter()
        programs, total, kinds = self.run(given.seed, given.count, given.processes)
        seconds = time.perf_counter() - begin
        for kind, times in kinds.most_common():
            print(f"{times:6} {kind}")
        print(f"{programs} programs, {total} {self.counted}, {kinds.total()} differences, {seconds:.0f} s")
        if programs >= self.many:
            name = self.package.rpartition(".")[2]
            (DOCS / f"{name}.md").write_text(self.page(given.seed, programs, total, kinds.total(), seconds))
        raise SystemExit(bool(kinds))
