"""The prompt of `python -m torchlike`, compared with Python's: statements from a pipe, and a terminal."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence

import pytest

from tests.api.entered import TORCHLIKE, both_ended, ended, without_runpy, without_sources
from tests.house.source import ROOT

STATEMENTS = """\
x = 6
x * 7
def f():
    return 1 / 0

f()
y = = 1
import sys; sys.argv, sys.path[0], __name__, "__file__" in dir()
_[0]
"""
PROGRAM = """
import sys
x = 1
def g():
    {end}
g()
"""
ENDS = {"ends": "pass", "fails": "1 / 0", "exits": "sys.exit(3)"}


def without_banner(stderr):
    """Remove the line that only torchlike's prompt prints."""
    return "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith("torchlike "))


@pytest.mark.parametrize("end", ["", "exit(5)", "sys.exit('why')"])
def test_statements(end, tmp_path):
    ours, theirs = both_ended(["-i"], tmp_path, STATEMENTS + end + "\n")
    assert (ours.stdout, ours.status) == (theirs.stdout, theirs.status)
    assert without_sources(without_banner(ours.stderr)) == without_sources(theirs.stderr)
    assert "'import torch' imports torchlike" in ours.stderr and "/torchlike/_api/" not in ours.stderr


@pytest.mark.parametrize(
    "how, end", [("program.py", "ends"), ("-m program", "fails"), ("-c", "fails"), ("-c", "exits")]
)
def test_the_prompt_after_a_program(how, end, tmp_path):
    source = PROGRAM.format(end=ENDS[end])
    (tmp_path / "program.py").write_text(source)
    args = ["-i", *how.split(), *([source] if how == "-c" else []), "a"]
    ours, theirs = both_ended(args, tmp_path, "x, sys.argv\nsys.last_value\n1 / 0\n" + "exit(2)\n" * (end == "fails"))
    assert (ours.stdout, ours.status) == (theirs.stdout, theirs.status)
    assert without_sources(ours.stderr) == without_sources(without_runpy(theirs.stderr))


@pytest.mark.parametrize("source", ["print('started', __name__); x = 3", "1 / 0", "x = = 3", None])
def test_the_startup_file(source, tmp_path):
    path = tmp_path / "startup.py"
    if source is not None:
        path.write_text(source)
    ours, theirs = both_ended(["-i"], tmp_path, "'x' in dir()\n", PYTHONSTARTUP=str(path))
    assert ours.stdout == theirs.stdout
    assert without_sources(without_banner(ours.stderr)) == without_sources(theirs.stderr)


def test_the_lines_of_statements_are_known(tmp_path):
    found = ended([*TORCHLIKE, "-i"], tmp_path, "import torch\na = torch.ones(2)\na + torch.ones(3)\n").stderr
    assert "    a + torch.ones(3)\n    ~~^~~~~~~~~~~~~~~\n" in found
    assert "RuntimeError: The size of tensor a (2)" in found


def test_an_error_of_torchlike_shows_the_statement_only(tmp_path):
    statements = "import torch\nx = torch.ones(2)\nx @ torch.ones(3)\nx.to('nope')\nimport sys; sys.last_value.args\n"
    found = ended([*TORCHLIKE, "-i"], tmp_path, statements)
    assert found.stderr.count("Traceback") == 2 and str(ROOT) not in found.stderr
    assert "x.to('nope')" in found.stderr and "nope" in found.stdout


def test_quiet_has_no_banner(tmp_path):
    assert ended([TORCHLIKE[0], "-q", *TORCHLIKE[1:], "-i"], tmp_path).stderr == ">>> \n"


def test_a_terminal(tmp_path):
    """Without a program, a terminal gets the prompt, with completion, history and Python's startup file."""
    (tmp_path / "startup.py").write_text("started = 'by a file'")
    home = {"HOME": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "startup.py"), "PYTHONPATH": str(ROOT)}
    lines = ["import torch", "torch.nn.Line\t\t", "started", "def f():\n  return torch.__name__\n", "f()", "exit(6)"]
    said, status = typed(TORCHLIKE, lines, home)
    assert status == 6
    assert "<class 'torch.nn.modules.linear.Linear'>" in said and "'by a file'" in said
    assert "'torch'" in said
    history = (tmp_path / ".python_history").read_text()
    assert "import torch\n" in history and "torch.nn.Linear\n" in history


def typed(command: Sequence[str], lines: list[str], env: dict[str, str]) -> tuple[str, int]:
    """Start a command in a terminal, and type a line at each prompt. Return what it wrote, and its exit status."""
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        command, stdin=inside, stdout=inside, stderr=inside, env={**os.environ, **env, "TERM": "dumb"}
    )
    os.close(inside)
    said = ""
    for line in lines:
        said += _until(terminal, ">>> ")
        os.write(terminal, line.encode() + b"\n")
    said += _until(terminal, "\0")
    os.close(terminal)
    return said, process.wait()


def _until(terminal: int, wanted: str) -> str:
    """Read from a terminal until the wanted text or its end."""
    said, end = "", time.monotonic() + 120
    while wanted not in said and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                said += os.read(terminal, 4096).decode()
            except OSError:  # Linux reports the end of a terminal as an error
                break
    return said
