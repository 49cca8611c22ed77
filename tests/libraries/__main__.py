"""Run programs that use libraries written for PyTorch, and compare their output in PyTorch and in torchlike.

    python -m tests.libraries [program ...]

Writes the table rows of the programs that it runs to `docs/libraries.md`. The libraries of `requirements.txt` must be
installed.
"""

from __future__ import annotations

import ast
import difflib
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

from tests.house.source import ROOT

PROGRAMS = [
    *sorted((Path(__file__).parent / "programs").glob("*.py")),
    *sorted((Path(__file__).parent / "programs" / "in_two").glob("*.py")),
]
TABLE = ROOT / "docs" / "libraries.md"
INTRODUCTION = """# Libraries written for PyTorch

Written by `python -m tests.libraries`. Each program uses an unmodified library; it is run by PyTorch and by
`python -m torchlike`, and the output is compared line by line. The seconds are those of the whole process, including
imports and compilation. The programs are in `tests/libraries/programs`; the last ones run in two processes.

| libraries | what the program does | lines | result | PyTorch, s | torchlike, s |
|---|---|--:|---|--:|--:|
"""


def run(command: list[str]) -> tuple[str, str, float]:
    """Run a command and return its output, its error text and its seconds."""
    quiet = {
        "TRANSFORMERS_VERBOSITY": "error",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "DDE_BACKEND": "pytorch",
        "YOLO_VERBOSE": "false",
    }
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:  # some libraries write files to the working directory
        done = subprocess.run(command, env={**os.environ, **quiet}, cwd=place, capture_output=True, text=True)
    said = done.stderr if done.returncode else ""
    return done.stdout, said, time.perf_counter() - began


def outputs(program: Path) -> tuple[tuple[str, str, float], tuple[str, str, float]]:
    """Run a program in PyTorch and in torchlike.

    If it uses two processes, sort the lines of the output, because their order is random.
    """
    if program.parent.name != "in_two":
        return run([sys.executable, str(program)]), run([sys.executable, "-m", "torchlike", str(program)])
    options = ["--standalone", "--nproc-per-node", "2", str(program)]
    ends = (run([sys.executable, "-m", f"{library}.distributed.run", *options]) for library in ("torch", "torchlike"))
    (theirs, wrong, slow), (ours, failed, fast) = ends
    theirs, ours = ("".join(sorted(said.splitlines(keepends=True))) for said in (theirs, ours))
    return (theirs, wrong, slow), (ours, failed, fast)


def described(program: Path) -> tuple[list[str], str]:
    """Return the libraries named at the start of a program's docstring, and the description that follows."""
    libraries, _, does = (ast.get_docstring(ast.parse(program.read_text("utf-8"))) or "").partition(": ")
    return libraries.replace(" and ", ", ").split(", "), " ".join(does.split()).rstrip(".")


def numbered(library: str) -> str:
    """Return a library's name with its version."""
    for name in (library, library.replace("_", "-"), f"{library}-ppl"):
        try:
            return f"{library} {version(name)}"
        except PackageNotFoundError:
            continue
    return library


def row(program: Path) -> tuple[str, bool, str]:
    """Return a program's row of the table, whether the outputs are equal, and how they differ."""
    (theirs, wrong, slow), (ours, failed, fast) = outputs(program)
    same = theirs == ours and bool(theirs) and not wrong and not failed
    lines = list(difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "PyTorch", "torchlike", lineterm="", n=0))
    libraries, does = described(program)
    cells = ", ".join(map(numbered, libraries)), does, len(theirs.splitlines()), "same" if same else "**differs**"
    said = "\n".join([*lines[:20], *wrong.splitlines()[-3:], *failed.splitlines()[-3:]])
    return f"| {' | '.join(map(str, cells))} | {slow:.1f} | {fast:.1f} |", same, said


def written() -> dict[str, str]:
    """Return the rows of the table by the description of their program."""
    lines = TABLE.read_text(encoding="utf-8").removeprefix(INTRODUCTION).splitlines()
    return {line.split(" | ")[1]: line for line in lines}


def main(names: list[str]) -> int:
    """Run the named programs, or all of them. The exit status is the number of programs that differ."""
    chosen = [program for program in PROGRAMS if not names or program.stem in names]
    rows, differ = written(), 0
    for program in (bar := tqdm(chosen)):
        bar.set_description(program.stem)
        line, same, said = row(program)
        rows[described(program)[1]] = line
        if not same:
            differ += 1
            bar.write(f"{program.stem} differs:\n{said}")
        lines = [rows[does] for _, does in map(described, PROGRAMS) if does in rows]
        TABLE.write_text("\n".join([INTRODUCTION + lines[0], *lines[1:], ""]), encoding="utf-8")
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
