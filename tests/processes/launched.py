"""Run a program in several processes, with PyTorch and with torchlike, and return its output."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.house.source import ROOT

PROGRAMS = Path(__file__).parent / "programs"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def started(program: str, size: int, command: tuple[str, ...]) -> list[subprocess.Popen]:
    """Start `size` processes that connect through their environment variables."""
    common = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": str(size),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
    }
    return [
        subprocess.Popen(
            [sys.executable, *command, str(PROGRAMS / f"{program}.py")],
            env={**os.environ, **common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]


def said(processes: list[subprocess.Popen]) -> list[str]:
    """Return the output of each process. Fail if a process exits with an error."""
    with ThreadPoolExecutor(len(processes)) as pool:  # a process with a full pipe would stop the others
        ends = list(pool.map(lambda process: process.communicate(timeout=300), processes))
    for process, (_, errors) in zip(processes, ends):
        assert process.returncode == 0, errors[-3000:]
    return [printed for printed, _ in ends]


def compared(program: str, size: int) -> tuple[list[str], list[str]]:
    """Return the output of PyTorch's processes, and of torchlike's."""
    return said(started(program, size, ())), said(started(program, size, ("-m", "torchlike")))
