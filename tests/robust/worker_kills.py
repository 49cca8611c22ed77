"""Random ends of processes with loaders: kills and interrupts of the main process and of its workers.

As a script, the module trains with loaders until it is ended: `python -m tests.robust.worker_kills --train MARK`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.robust.outcome import Difference, Outcome

LONGEST = 40  # seconds that a process may take to end
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
MARK = "TORCHLIKE_WORKER_KILLS"  # an environment variable that marks the processes of one trial
PROC = Path("/proc")


def run(count: int, seed: int = 0) -> Outcome:
    """Run the trials: a signal at a random time to the main process, or to one of its workers."""
    rng, outcome = random.Random(seed), Outcome("loaders, random kills and interrupts")
    for trial in range(count):
        outcome.trials += 1
        try:
            outcome.heard += _trial(rng, f"{os.getpid()}-{trial}")
        except Exception as error:
            outcome.add(f"trial {trial}", error)
    return outcome


def _trial(rng: random.Random, mark: str) -> bool:
    segments = _segments()
    command = [sys.executable, "-W", "ignore", "-m", __name__, "--train"]
    with subprocess.Popen(
        command, env={**os.environ, MARK: mark}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as main:
        assert main.stdout is not None
        main.stdout.readline()  # the first epoch has begun
        time.sleep(rng.random() * 1.5)
        targets = [pid for pid in marked(mark) if pid != main.pid]
        target = rng.choice(targets) if targets and rng.random() < 0.5 else main.pid
        number = rng.choice(SIGNALS)
        try:
            os.kill(target, number)
        except ProcessLookupError:  # a worker that has just ended
            main.kill()
        if target != main.pid and number == signal.SIGINT:  # workers leave it to the main process
            time.sleep(0.2)
            main.send_signal(signal.SIGTERM)
        try:
            main.wait(LONGEST)
        except subprocess.TimeoutExpired:
            main.kill()
            raise Difference("the main process does not end", f"{number.name} to {target}") from None
    end = time.monotonic() + LONGEST
    while marked(mark) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in (left := marked(mark)):
        os.kill(pid, signal.SIGKILL)
    if left:
        raise Difference("workers are left", f"{number.name} to {target}: {left}")
    if _segments() > segments:
        raise Difference("segments are left", str(_segments() - segments))
    return True


def marked(mark: str) -> list[int]:
    """Return the ids of the processes of a trial that have not ended."""
    found, entry = [], f"{MARK}={mark}".encode()
    for path in PROC.glob("[0-9]*"):
        try:
            if entry in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
        except OSError:  # it has ended, or belongs to another user
            continue
    return found


def _segments() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("*") if "torch" in path.name}


def train() -> None:
    """Train with loaders, epoch after epoch, with programs of XLA before and between."""
    import torchlike as torch
    from torchlike.utils.data import DataLoader, Dataset, IterableDataset

    class Rows(Dataset):
        def __len__(self) -> int:
            return 40

        def __getitem__(self, i: int) -> tuple:
            time.sleep(0.001)
            return torch.randn(200, 100), i % 3

    class Stream(IterableDataset):
        def __iter__(self) -> Iterator:
            return iter(torch.randn(50, 300, 100))

    network = torch.nn.Sequential(torch.nn.Linear(100, 30), torch.nn.ReLU(), torch.nn.Linear(30, 3))
    optimizer = torch.optim.Adam(network.parameters())
    torch.jax.to_jax(torch.ones(2)).block_until_ready()
    print("begun", flush=True)
    for epoch in range(10_000):
        loader = DataLoader(Rows(), 4, num_workers=2, persistent_workers=epoch % 2 == 0)
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(x).mean(1), y).backward()
            optimizer.step()
        for n, x in enumerate(DataLoader(Stream(), 2, num_workers=2)):
            x.sum().item()
            if n == 20:
                break


if __name__ == "__main__":
    if sys.argv[1:] == ["--train"]:
        train()
    else:
        print(run(int(sys.argv[1])).report())
