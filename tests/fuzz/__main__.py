"""`python -m tests.fuzz --count 20000 --seed 1`: many programs, each difference printed as a small script."""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
from collections import Counter
from queue import Empty


class Shard:
    """One process's share of the programs. A process that dies is a difference, and another one takes over the rest."""

    def __init__(self, seed: int, count: int) -> None:
        self.seed, self.left = seed, count
        self._start()

    def _start(self) -> None:
        from tests.fuzz.shard import run_shard

        context = multiprocessing.get_context("spawn")
        self.queue = context.Queue()  # of its own: a process that dies may leave one unusable
        self.worker = context.Process(target=run_shard, daemon=True, args=(self.seed, self.left, self.queue))
        self.worker.start()

    def results(self) -> list:
        """What has come in the last moment: for each program its difference, or None."""
        found: list = []
        alive = self.worker.is_alive()  # asked first: what it has sent is there then
        with contextlib.suppress(Empty):
            while len(found) < min(self.left, 20):
                found.append(self.queue.get(timeout=0.5))
        died = bool(self.left) and not alive and not found
        if died:
            found.append(("a process died", f"at the program of seed {self.seed}: exit {self.worker.exitcode}"))
        self.seed, self.left = self.seed + len(found), self.left - len(found)
        if died and self.left:
            self._start()
        return found


def main() -> None:
    """Read the command line, share the programs among processes, print what differs."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=20000, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    share = -(-given.count // given.processes)
    shards = [Shard(given.seed * 1_000_000 + i * share, share) for i in range(given.processes)]
    different, kinds = 0, Counter()
    with tqdm(total=share * given.processes, unit="program") as bar:
        while not all(shard.left == 0 for shard in shards):
            for found in [found for shard in shards for found in shard.results()]:
                bar.update()
                if found is not None:
                    different += 1
                    kinds[found[0]] += 1
                    if kinds[found[0]] == 1 and found[1]:
                        bar.write(f"--- difference {different}\n{found[1]}\n")
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    print(f"{share * given.processes} programs, {different} differences")
    raise SystemExit(bool(different))


if __name__ == "__main__":
    main()
