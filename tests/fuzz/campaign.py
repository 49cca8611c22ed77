"""A long fuzzer run: worker processes, a progress bar, and the table of results."""

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
    """The part of the programs that one process runs.

    If the process dies, that counts as a difference, and a new process runs the rest.
    """

    def __init__(self, target: Callable, seed: int, count: int) -> None:
        self.target, self.seed, self.left = target, seed, count
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.queue = context.Queue()  # one queue for each process: a process that dies may corrupt its queue
        self.worker = context.Process(target=self.target, daemon=True, args=(self.seed, self.left, self.queue))
        self.worker.start()

    def results(self) -> list:
        """Return the results that have just arrived: for each program its count, and its difference or None."""
        found: list = []
        # Read this before the queue: results that a dead process sent are then already in the queue.
        alive = self.worker.is_alive()
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
    """A long run of a fuzzer.

    Attributes:
      package: The fuzzer's package, such as `tests.fuzz`. Its `shard.run_shard(seed, count, queue)` runs programs. For
        each program it puts a count and a difference on the queue. A difference is a kind and a text, or None.
      counted: The unit of the counts, for the table.
      many: The number of programs in a full run. A shorter run does not change the table.
      head: The text above the table.
    """

    package: str
    counted: str
    many: int
    head: str

    def run(self, seed: int, count: int, processes: int) -> tuple[int, int, Counter]:
        """Run the programs and print each difference.

        Returns:
          The number of programs, the sum of their counts, and the differences by kind.
        """
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
        """Format the table of a run."""
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
        """Parse the command line, run the programs, and print a summary."""
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
