"""Run a program in a process of its own, with PyTorch, with torchlike, or over a mesh of eight CPU devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.house.source import ROOT

PROGRAMS = Path(__file__).parent / "programs"
PYTORCH = None


def started(mesh: str | None, program: str, *arguments: str) -> subprocess.Popen:
    """Start a program.

    Args:
      mesh: the axes of the mesh, "" for one device, or `PYTORCH`.
      program: the name of the program.
      arguments: its arguments.
    """
    command = [] if mesh is PYTORCH else ["-m", "torchlike", *(["--mesh", mesh] if mesh else [])]
    return subprocess.Popen(
        [sys.executable, *command, str(PROGRAMS / f"{program}.py"), *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error::UserWarning"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen) -> list[dict[str, Any]]:
    """Return the objects that a program printed. Fail if it exits with an error."""
    printed, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors[-3000:]
    return [json.loads(line) for line in printed.splitlines()]


def difference(one: list[float], other: list[float]) -> float:
    """Return the largest relative difference between two lists of numbers."""
    assert len(one) == len(other)
    return max(abs(a - b) / abs(b) for a, b in zip(one, other))
