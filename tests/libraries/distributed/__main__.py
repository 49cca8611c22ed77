"""Train with accelerate, Lightning and transformers' Trainer in two processes, in PyTorch and in torchlike.

    python -m tests.libraries.distributed [program ...]

Writes the table rows of the programs that it runs to `docs/distributed_libraries.md`. PyTorch communicates by Gloo.
accelerate, datasets, lightning, transformers and torchmetrics must be installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tqdm import tqdm

from tests.house.source import ROOT
from tests.libraries.__main__ import described, numbered, run
from tests.processes.nearly import difference

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
TABLE = ROOT / "docs" / "distributed_libraries.md"
TOLERANCE = 1e-5
TOLERANCES = {
    "bf16": 2e-3
}  # a bfloat16 number has 8 bits, and a gradient that rounds otherwise changes the next losses
INTRODUCTION = """# Libraries that train in two processes

Written by `python -m tests.libraries.distributed`. Each program in `tests/libraries/distributed/programs` trains with
an unmodified library in two processes on the CPU. `torchrun` of PyTorch (with Gloo) and of torchlike start it. The
programs print losses, norms of gradients and sums of parameters with six digits. The difference is the largest one of
the numbers in a line, relative to the largest number in the line. It must be at most 1e-5 (2e-3 in bfloat16). The
seconds are those of the whole run, including imports and compilation.

| libraries | what the program does | lines | difference | PyTorch, s | torchlike, s |
|---|---|--:|--:|--:|--:|
"""


def launched(library: str, program: Path) -> tuple[list[str], str, float]:
    """Run a program in two processes. Return the lines of the first and then of the second, the error and the time."""
    options = ["--standalone", "--nproc-per-node", "2", str(program)]
    said, failed, seconds = run([sys.executable, "-m", f"{library}.distributed.run", *options])
    return sorted(said.splitlines(), key=lambda line: line.partition(" ")[0]), failed, seconds


def compared(theirs: list[str], ours: list[str]) -> tuple[float, list[str]]:
    """Return the largest difference of lines without a tolerance of their own, and the lines that differ too much."""
    if len(theirs) != len(ours) or not theirs:
        return float("inf"), [f"{len(theirs)} lines in PyTorch, {len(ours)} lines in torchlike"]
    worst, wrong = 0.0, []
    for expected, found in zip(theirs, ours):
        kind, apart = expected.split()[1], difference(expected, found)
        if kind not in TOLERANCES:
            worst = max(worst, apart)
        if apart > TOLERANCES.get(kind, TOLERANCE):
            wrong.append(f"{apart:.1e}\n< {expected}\n> {found}")
    return worst, wrong


def row(program: Path) -> tuple[str, str]:
    """Return a program's row of the table, and how the outputs differ."""
    (theirs, wrong, slow), (ours, failed, fast) = (launched(library, program) for library in ("torch", "torchlike"))
    worst, lines = compared(theirs, ours)
    libraries, does = described(program)
    cells = ", ".join(map(numbered, libraries)), does, len(theirs), f"{worst:.0e}" if not lines else "**differs**"
    said = "\n".join([*lines[:20], wrong[-3000:], failed[-3000:]]) if lines or wrong or failed else ""
    return f"| {' | '.join(map(str, cells))} | {slow:.1f} | {fast:.1f} |", said


def written() -> dict[str, str]:
    """Return the rows of the table by the description of their program."""
    text = TABLE.read_text("utf-8").partition("|--:|\n")[2] if TABLE.exists() else ""
    return {line.split(" | ")[1]: line for line in text.splitlines()}


def main(names: list[str]) -> int:
    """Run the named programs, or all of them. The exit status is the number of programs that differ."""
    chosen = [program for program in PROGRAMS if not names or program.stem in names]
    rows, differ = written(), 0
    for program in (bar := tqdm(chosen)):
        bar.set_description(program.stem)
        line, said = row(program)
        rows[described(program)[1]] = line
        if said:
            differ += 1
            bar.write(f"{program.stem} differs:\n{said}")
        lines = [rows[does] for _, does in map(described, PROGRAMS) if does in rows]
        TABLE.write_text("\n".join([INTRODUCTION + lines[0], *lines[1:], ""]), encoding="utf-8")
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
