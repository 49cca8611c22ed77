"""Benchmark of data-parallel training: one DDP step of 25 million parameters, in two processes of one thread each.

`python -m benchmarks.ddp` writes `DDP.md` and `DDP.json` next to this file.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.report import processor

HERE = Path(__file__).parent
SIDES = ("PyTorch", "torchlike", "torchlike.compile", "JAX by hand")
RANKS, WARM, ROUNDS, STEPS = 2, 4, 8, 3
LIMITS = {"torchlike": 1.3, "torchlike.compile": 1.0}
# One thread per process, for every library. XLA has no such option for its own thread pool: it counts the cores that
# the process may use. All processes but PyTorch's are pinned to one core; PyTorch obeys OMP_NUM_THREADS.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}


class Ranks:
    """The processes of one side."""

    def __init__(self, name: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as found:
            port = found.getsockname()[1]
        common = {**os.environ, **ONE_THREAD, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        self.processes = [
            subprocess.Popen(
                ["taskset", "-c", str(rank), sys.executable, "-m", "benchmarks.ddp_rank", name],
                env={**common, "WORLD_SIZE": str(RANKS), "RANK": str(rank), "LOCAL_RANK": str(rank)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(RANKS)
        ]

    def steps(self, count: int) -> list[float]:
        """Return the milliseconds of each step: those of the slower rank."""
        for process in self.processes:
            process.stdin.write(f"{count}\n")
            process.stdin.flush()
        return [max(step) for step in zip(*map(answer, self.processes))]

    def end(self) -> None:
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            process.wait(60)


def answer(process: subprocess.Popen) -> list[float]:
    """Read the milliseconds that a process prints. Other lines are messages of Gloo."""
    for line in process.stdout:
        if line.startswith("ms "):
            return json.loads(line[3:])
    raise RuntimeError(f"a rank ended with {process.wait()}")


def measured() -> dict[str, list[float]]:
    """Return the milliseconds of all steps of each side. The sides run in turns."""
    sides = {}
    for name in SIDES:
        sides[name] = Ranks(name)
        sides[name].steps(WARM)
    taken: dict[str, list[float]] = {name: [] for name in SIDES}
    for turn in range(ROUNDS):
        for name, ranks in sides.items():
            taken[name] += ranks.steps(STEPS)
        print(f"round {turn + 1} of {ROUNDS}", file=sys.stderr, flush=True)
    for ranks in sides.values():
        ranks.end()
    return taken


def table(taken: dict[str, list[float]]) -> str:
    base = median(taken["PyTorch"])
    lines = [
        "# Data-parallel training",
        "",
        "Written by `python -m benchmarks.ddp`: one step of DistributedDataParallel with 25 million parameters (three",
        f"linear layers, AdamW, 32 rows per rank), {RANKS} processes pinned to one core each, Gloo. The sides run in",
        f"turns, {ROUNDS * STEPS} steps each. {processor()}.",
        "",
        "| side | median ms | fastest ms | over PyTorch | at most |",
        "|---|---|---|---|---|",
    ]
    for name, steps in taken.items():
        limit = f"{LIMITS[name]:g}" if name in LIMITS else ""
        lines.append(f"| {name} | {median(steps):.0f} | {min(steps):.0f} | {median(steps) / base:.2f} | {limit} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    taken = measured()
    (HERE / "DDP.md").write_text(table(taken))
    facts = {"python": platform.python_version(), "processor": processor(), "ms": taken}
    (HERE / "DDP.json").write_text(json.dumps(facts, indent=1) + "\n")
    print(table(taken))


if __name__ == "__main__":
    main()
