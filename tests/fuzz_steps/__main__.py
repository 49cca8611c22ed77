"""`python -m tests.fuzz_steps`: many programs, each difference printed as a small script; leaves docs/fuzz_steps.md."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path

from tests.fuzz.__main__ import Shard, run

MANY = 20_000  # a run of fewer leaves the table as it is
PAGE = Path(__file__).parents[2] / "docs" / "fuzz_steps.md"
HEAD = """# Random training steps, beside PyTorch's

Written by `python -m tests.fuzz_steps`: random modules, optimizers, schedulers, hooks, steps and edits between them,
run by PyTorch, and here both as written and with the step (or a part of it) compiled. After each call parameters,
buffers, gradients, the optimizer's state, results and who shares memory with whom are compared. Recorded calls are run
again by NumPy, and in 3 of 100 programs by XLA. What was ever found is kept in `tests/compile` and `tests/optim`.
"""


class StepShard(Shard):
    """One process's share of the programs."""

    def target(self) -> Callable:
        from tests.fuzz_steps.shard import run_shard

        return run_shard


def page(seed: int, programs: int, replays: int, differences: int) -> str:
    """The table of a run."""
    found = {"seed": seed, "programs": f"{programs:,}", "calls run from a recording": f"{replays:,}",
             "differences": differences, "date": date.today(), "PyTorch": version("torch"), "JAX": version("jax"),
             "NumPy": version("numpy")}  # fmt: skip
    rows = [list(found), ["---"] * len(found), list(found.values())]
    return HEAD + "\n" + "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows) + "\n"


def main() -> None:
    """Read the command line, run, sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_steps", description=__doc__)
    parser.add_argument("--count", type=int, default=MANY, help="programs to run")
    parser.add_argument("--seed", type=int, default=0, help="another seed writes other programs")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    programs, replays, kinds = run(given.seed, given.count, given.processes, StepShard)
    for kind, times in kinds.most_common():
        print(f"{times:6} {kind}")
    print(f"{programs} programs, {replays} calls run from a recording, {kinds.total()} differences")
    if programs >= MANY:
        PAGE.write_text(page(given.seed, programs, replays, kinds.total()))
    raise SystemExit(bool(kinds))


if __name__ == "__main__":
    main()
