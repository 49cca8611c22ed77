"""Run public training programs unmodified in PyTorch and in torchlike, and compare the losses of fifty steps.

    python -m tests.public_programs FOLDER [name ...]

FOLDER holds the copies of the programs: `owner/repository` for those from GitHub, `name-version` for those from source
distributions on PyPI, which are downloaded if they are missing. Writes the rows of the programs that it runs to
`docs/programs.md`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from tqdm import tqdm

from tests.house.source import ROOT
from tests.public_programs.program import Program
from tests.public_programs.rows import PROGRAMS

STEPS, LIMIT = 50, 1e-3
TABLE = ROOT / "docs" / "programs.md"
RECORD = Path(__file__).with_name("record.py")
INTRODUCTION = f"""# Public programs

Written by `python -m tests.public_programs FOLDER`. Each program is a public training script, run unmodified on small
synthetic data, with one seed in both libraries, for at most {STEPS} backward passes. The difference is the largest one
between the losses of the two libraries, divided by the loss where that is above one; the limit is {LIMIT:g}. The next
column is the same difference between PyTorch and PyTorch without oneDNN, on two threads: what another order of the same
sums does to this program. In most rows, that PyTorch also uses no vector instructions.

| program | field | what it trains | steps | difference | PyTorch against itself | result |
|---|---|---|--:|--:|--:|---|
"""


def copy_of(program: Program, folder: Path) -> Path:
    """Return the folder of a program's copy. Download it if it is a source distribution that is missing."""
    place = folder / program.origin
    if "/" not in program.origin and not place.exists():
        name, _, version = program.origin.rpartition("-")
        options = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", str(folder)]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, f"{name}=={version}"], check=True)
        with tarfile.open(folder / f"{program.origin}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return place


def losses(program: Program, folder: Path, library: str, threads: int = 1) -> tuple[list[float], str]:
    """Run a program in one library and return its losses, and the end of its error text if it failed."""
    copy = copy_of(program, folder)
    script = copy / program.path
    places = [str(ROOT), *([] if program.root is None else [str(copy / program.root)])]
    command = [sys.executable, *(["-m", "torchlike"] if library == "torchlike" else [])]
    environment: dict[str, str] = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONHASHSEED": "0",  # scripts number the words of a set in its order
        "OMP_NUM_THREADS": str(threads),
        "MPLBACKEND": "agg",
        "SDL_VIDEODRIVER": "dummy",
        "HF_HUB_OFFLINE": "1",
    }
    if threads > 1:
        environment |= {"RECORD_WITHOUT_ONEDNN": "1", "ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"}
    with tempfile.TemporaryDirectory() as place:
        inside = Path(place) / "one" / "two" / "three"  # for scripts that read or write "../../data"
        inside.mkdir(parents=True)
        environment["HOME"] = str(inside)  # for scripts that read or write "~/data"
        if program.data is not None:
            program.data(inside)
        target = inside / ".losses.json"
        arguments = [str(RECORD), str(target), str(STEPS), str(script), *program.argv]
        done = subprocess.run(
            [*command, *arguments], env=environment, cwd=inside, capture_output=True, text=True, timeout=900
        )
        found = json.loads(target.read_text()) if target.exists() else []
    return found, done.stderr[-2000:] if done.returncode else ""


def difference(ours: list[float], theirs: list[float]) -> float:
    """Return the largest difference of two lists of losses, relative where the loss is above one."""
    if len(ours) != len(theirs):
        return math.inf
    pairs = [(a, b) for a, b in zip(ours, theirs) if not (math.isnan(a) and math.isnan(b)) and a != b]
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in pairs), default=0.0)


def row(program: Program, folder: Path) -> str:
    """Run a program in both libraries and return its row of the table."""
    theirs, wrong = losses(program, folder, "torch")
    ours, failed = losses(program, folder, "torchlike")
    control, _ = losses(program, folder, "torch", threads=2)
    apart, itself = difference(ours, theirs), difference(control, theirs)
    if not theirs:
        result = f"PyTorch fails: {wrong.strip().splitlines()[-1] if wrong else 'no loss'}"
    elif failed and not wrong:
        result = f"fails: {failed.strip().splitlines()[-1]}"
    else:
        result = "same" if apart <= LIMIT else program.reason or "DIFFERS"
    source = f"{program.origin}: `{program.path}`" + (f" ({program.commit[:8]})" if program.commit else "")
    cells = (source, program.field, program.what, len(theirs), f"{apart:.1e}", f"{itself:.1e}", result)
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    """Run the named programs, or all, and write their rows."""
    parser = argparse.ArgumentParser(prog="python -m tests.public_programs", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[[], *(program.name for program in PROGRAMS)])
    chosen = parser.parse_args()
    picked = [program for program in PROGRAMS if not chosen.names or program.name in chosen.names]
    for program in tqdm(picked):
        began = time.perf_counter()
        line = row(program, chosen.folder.resolve())
        tqdm.write(f"{line} {time.perf_counter() - began:.0f} s")
        _write(line)


def _write(line: str) -> None:
    """Put a row into the table, which other runs may have changed in the meantime."""
    rows = _rows() | {line.split(" | ", 1)[0]: line}
    order = sorted(rows.values(), key=lambda line: (line.split(" | ")[1], line))
    TABLE.write_text(INTRODUCTION + "\n".join(order) + "\n", encoding="utf-8")


def _rows() -> dict[str, str]:
    lines = TABLE.read_text("utf-8").splitlines() if TABLE.exists() else []
    return {line.split(" | ", 1)[0]: line for line in lines if line.startswith("| ") and "| field |" not in line}


if __name__ == "__main__":
    main()
