"""Lint, format and type checks as tests, so that one command runs every check."""

import subprocess
import sys

import pytest

from tests.house.source import ROOT

COMMANDS = [
    ["ruff", "check"],
    ["ruff", "format", "--check"],
    ["pyright", "--pythonpath", sys.executable],
]


@pytest.mark.timeout(1800)  # pyright takes 100 s on a quiet machine
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_tool(command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_typed_package_says_so():
    assert (ROOT / "torchlike" / "py.typed").is_file()
