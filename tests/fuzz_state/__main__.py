"""`python -m tests.fuzz_state`: many programs, each difference printed as a small script; leaves docs/fuzz_state.md."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections import Counter
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

MANY = 5_000  # a run of fewer leaves the table as it is
PAGE = Path(__file__).parents[2] / "docs" / "fuzz_state.md"
HEAD = """# Random programs of Python state around compiled functions

Written by `python -m tests.fuzz_state`: a function reads and changes Python state of {kinds} kinds (containers,
classes, closures, caches, modules, the environment, ...), and the program changes some of it between calls. Each
program runs with and without `torchlike.compile`; the results and the state left behind must be equal after every call.
"""


def run(seed: int, count: int, processes: int) -> tuple[int, int, list[str]]:
    """Share the programs among processes and print what differs: programs, calls, differences."""
    from tqdm import tqdm

    from tests.fuzz_state.shard import run_shard

    share, context = -(-count // processes), multiprocessing.get_context("spawn")
    queue: Any = context.Queue()
    workers = [context.Process(target=run_shard, daemon=True, args=(seed * 1_000_000 + i * share, share, queue))
               for i in range(processes)]  # fmt: skip
    for worker in workers:
        worker.start()
    calls, differences = 0, []
    with tqdm(total=share * processes, unit="program") as bar:
        for _ in range(share * processes):
            made, found = queue.get(timeout=300)
            calls += made
            bar.update()
            if found is not None:
                differences.append(found)
                bar.write(f"--- difference {len(differences)}\n{found}\n")
    return share * processes, calls, differences


def page(seed: int, programs: int, calls: int, differences: int, seconds: float) -> str:
    """The table of a run."""
    from tests.fuzz_state.programs import PIECES

    found = {"seed": seed, "programs": f"{programs:,}", "calls": f"{calls:,}", "differences": differences,
             "programs a second": f"{programs / seconds:.0f}", "date": date.today(), "Python": _python(),
             "JAX": version("jax")}  # fmt: skip
    rows = [list(found), ["---"] * len(found), list(found.values())]
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return HEAD.format(kinds=len(PIECES)) + "\n" + "\n".join(lines) + "\n"


def _python() -> str:
    import platform

    return platform.python_version()


def main() -> None:
    """Read the command line, run, sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_state", description=__doc__)
    parser.add_argument("--count", type=int, default=MANY, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    begin = time.perf_counter()
    programs, calls, differences = run(given.seed, given.count, given.processes)
    seconds = time.perf_counter() - begin
    kinds = Counter(found.rpartition("\n# ")[2].partition("\n")[0] for found in differences)
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    print(f"{programs} programs, {calls} calls, {len(differences)} differences, {programs / seconds:.1f} a second")
    if programs >= MANY:
        PAGE.write_text(page(given.seed, programs, calls, len(differences), seconds))
    raise SystemExit(bool(differences))


if __name__ == "__main__":
    main()
