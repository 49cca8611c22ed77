"""`python -m tests.fuzz --count 20000 --seed 1`: many programs, each difference printed as a small script."""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections import Counter
from queue import Empty


def main() -> None:
    """Read the command line, share the programs among processes, print what differs."""
    from tqdm import tqdm

    from tests.fuzz.shard import run_shard

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=20000, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    share = -(-given.count // given.processes)
    workers = [
        context.Process(target=run_shard, daemon=True, args=(given.seed * 1_000_000 + i * share, share, queue))
        for i in range(given.processes)
    ]
    for worker in workers:
        worker.start()
    ran, different, left, kinds = 0, 0, len(workers), Counter()
    with tqdm(total=share * given.processes, unit="program") as bar:
        while left:
            try:
                found = queue.get(timeout=5)
            except Empty:
                if not any(worker.is_alive() for worker in workers):
                    break
                continue
            if found == "done":
                left -= 1
                continue
            ran += 1
            bar.update()
            if found is not None:
                different += 1
                kinds[found[0]] += 1
                if kinds[found[0]] == 1 and found[1]:
                    bar.write(f"--- difference {different}\n{found[1]}\n")
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    print(f"{ran} programs, {different} differences" + (f"; {left} processes died" if left else ""))
    raise SystemExit(bool(different or left))


if __name__ == "__main__":
    main()
