"""Faults at random moments of a training in four processes: `python -m tests.processes.faults [--count N] [--seed S]`.

With `--write`, the outcome is written to `docs/faults.md`.

A fault kills a rank, stops it (SIGSTOP), or raises an exception in it. The other ranks must end by themselves, with an
error message, soon after the timeout of the group. The training then starts again from its last checkpoint, until the
next fault. After the last fault it runs to its end. Its losses must equal those of a training without faults.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.house.source import ROOT
from tests.processes.launched import free_port

KINDS = ("kill", "stop", "raise")
SIZE, TIMEOUT = 4, 6
SLACK = 20  # seconds in which all processes end after the timeout of the group; four processes share two cores
TOLD = re.compile(r"Connection closed by peer|Timed out after \d+ms|coordination service of rank 0 cannot be reached")


class Report(NamedTuple):
    """The outcome of one fault."""

    kind: str
    rank: int
    seconds: float  # from the fault until the last of the other ranks ended
    problem: str


class Training:
    """The processes of one start of the training."""

    def __init__(self, folder: Path, steps: int, fault: tuple[int, int], compiled: bool) -> None:
        common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(SIZE)}
        common |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "GROUP_TIMEOUT": str(TIMEOUT)}
        common |= {"COMPILED": "yes"} if compiled else {}
        script = str(Path(__file__).with_name("training.py"))
        arguments = [script, str(folder), str(steps), *map(str, fault)]
        self.errors = [folder / f"stderr{rank}" for rank in range(SIZE)]
        self.processes = []
        for rank in range(SIZE):
            with self.errors[rank].open("w") as errors:
                self.processes.append(
                    subprocess.Popen(
                        [sys.executable, "-m", "torchlike", *arguments],
                        env={**os.environ, **common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                        stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL,
                        stderr=errors,
                        text=True,
                    )
                )

    def wait_until_it_trains(self) -> None:
        """Wait for the line that rank 0 prints after some steps."""
        stdout = self.processes[0].stdout
        assert stdout is not None
        assert stdout.readline() == "trains\n", self.errors[0].read_text()[-2000:]

    def ends(self, faulty: int | None, seconds: float) -> str:
        """Wait for all processes but the faulty one. Return what is wrong, or ""."""
        end = time.monotonic() + seconds
        for rank, process in enumerate(self.processes):
            if rank == faulty:
                continue
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                return f"rank {rank} did not end within {seconds:.0f} s"
            text = self.errors[rank].read_text()
            if faulty is not None and not (process.returncode and TOLD.search(text)):
                return f"rank {rank} ended with {process.returncode}: {text[-800:]}"
            if faulty is None and process.returncode:
                return f"rank {rank} failed: {text[-800:]}"
        return ""

    def kill(self) -> None:
        """Kill all processes."""
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def strike(folder: Path, steps: int, kind: str, chance: random.Random, compiled: bool) -> Report:
    """Start the training, cause one fault, and report how the other ranks ended."""
    rank = chance.randrange(SIZE)
    begin = 10 * (len(losses_of(folder)) // 10)
    fault = (rank, begin + chance.randrange(4, 40)) if kind == "raise" else (-1, -1)
    training = Training(folder, steps, fault, compiled)
    try:
        training.wait_until_it_trains()
        if kind == "raise":
            training.processes[rank].wait(60)
        else:
            time.sleep(chance.random())
            training.processes[rank].send_signal(signal.SIGKILL if kind == "kill" else signal.SIGSTOP)
        struck = time.monotonic()
        problem = training.ends(rank, TIMEOUT + SLACK)
        return Report(kind, rank, time.monotonic() - struck, problem)
    finally:
        training.kill()


def losses_of(folder: Path) -> list[float]:
    """Return the losses in the last checkpoint."""
    import torchlike

    path = folder / "last.pt"
    return torchlike.load(path)["losses"] if path.exists() else []


def whole(folder: Path, steps: int, compiled: bool) -> list[float]:
    """Run the training to its end and return its losses."""
    training = Training(folder, steps, (-1, -1), compiled)
    try:
        problem = training.ends(None, 1800)
        assert not problem, problem
    finally:
        training.kill()
    return losses_of(folder)


def main(count: int, seed: int, compiled: bool = False) -> tuple[list[Report], float]:
    """Cause `count` faults. Return the reports, and the largest relative difference of the losses."""
    chance, steps = random.Random(seed), 40 * (count + 2)
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / "faults", Path(name) / "whole"]
        for folder in folders:
            folder.mkdir()
        reports = []
        for i in range(count):
            reports.append(strike(folders[0], steps, KINDS[i % len(KINDS)], chance, compiled))
            print(f"{i + 1}/{count}", *reports[-1][:2], f"{reports[-1].seconds:.1f} s", reports[-1].problem, flush=True)
        found, expected = whole(folders[0], steps, compiled), whole(folders[1], steps, compiled)
        assert len(found) == steps
        # A program may be interpreted in one run and compiled in the other, which rounds differently.
        worst = max(abs(a - b) / abs(b) for a, b in zip(found, expected))
        print(f"losses of {steps} steps: at most {worst:.1e} apart (relative)")
        assert worst < 1e-4, "the losses differ"
    return reports, worst


def table(made: list[Report], worst: float, command: str) -> str:
    """Return the outcome as a Markdown table."""
    lines = [
        "# Faults during training in four processes",
        "",
        f"Written by `{command}`. A fault is one rank that is",
        "killed, stopped with SIGSTOP, or raises. The other ranks must end with an error message within the",
        f"group's timeout of {TIMEOUT} s and {SLACK} s for their end (four processes share {os.cpu_count()} cores).",
        "The training then starts again from its last checkpoint.",
        "",
        f"Losses after all restarts, over those of a training without faults: at most {worst:.1e} apart (relative).",
        "",
        "| fault | others ended by themselves | seconds, median | seconds, longest |",
        "|---|---|---|---|",
    ]
    for kind in KINDS:
        of_kind = [r for r in made if r.kind == kind]
        if of_kind:
            taken = [r.seconds for r in of_kind]
            ended = f"{sum(not r.problem for r in of_kind)} of {len(of_kind)}"
            lines.append(f"| {kind} | {ended} | {median(taken):.1f} | {max(taken):.1f} |")
    lines += [f"\nFault {i}: {r.kind} of rank {r.rank}: {r.problem}" for i, r in enumerate(made, 1) if r.problem]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--write", action="store_true", help="write docs/faults.md")
    given = parser.parse_args()
    made, worst = main(given.count, given.seed, given.compiled)
    options = f"--count {given.count} --seed {given.seed}" + " --compiled" * given.compiled
    text = table(made, worst, f"python -m tests.processes.faults {options} --write")
    print(text)
    if given.write:
        (ROOT / "docs/faults.md").write_text(text)
    sys.exit(any(r.problem for r in made))
