"""Python and `python -m torchlike`, run as commands with the same arguments."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from tests.house.source import ROOT

PYTHON, TORCHLIKE = (sys.executable,), (sys.executable, "-m", "torchlike")


class Ended(NamedTuple):
    """What a command wrote, and its exit status."""

    stdout: str
    stderr: str
    status: int


def ended(command: Sequence[str], folder, stdin: str = "", **env: str) -> Ended:
    """Run a command in a folder to its end."""
    found = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        input=stdin,
        capture_output=True,
        text=True,
    )
    return Ended(found.stdout, found.stderr, found.returncode)


def both_ended(args: Sequence[str], folder, stdin: str = "", **env: str) -> tuple[Ended, Ended]:
    """Run `python` and `python -m torchlike` with the same arguments. Return torchlike's result first."""
    ours, theirs = (ended([*command, *args], folder, stdin, **env) for command in (TORCHLIKE, PYTHON))
    return ours, theirs


def without_runpy(stderr: str) -> str:
    """Remove Python's own frames, which `python -m module` shows."""
    return re.sub(r'  File "<frozen runpy>".*\n', "", stderr)


def without_sources(stderr: str) -> str:
    """Remove the lines of statements at the prompt, which Python shows since 3.13, and torchlike always."""
    return re.sub(r'(  File "<stdin>)(?:-\d+)?(".*\n)(?:    .*\n)*', r"\1\2", stderr)
