"""`python -m tests.long [paths]`: run the tests with the marker `long` and write docs/long.md.

These tests take too much time for the gate. Random tests run more cases here, and trainings of several processes take
twenty steps. With paths, only these files run, and only their rows of the table change.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.report import processor

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "long.md"
HEAD = """# Long tests

Written by `python -m tests.long`: the tests that take too much time for the gate.

| file | passed | failed | skipped | minutes | run |
|---|---|---|---|---|---|
"""
MORE = {"CASES": "60"}  # more random cases of programs in several processes


def rows(report: Path) -> dict[str, str]:
    """Return the rows of the table by file, from a report of pytest in JUnit's format."""
    cases: dict[str, list[ElementTree.Element]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        cases.setdefault(case.attrib["classname"].replace(".", "/") + ".py", []).append(case)
    where = f"{date.today()}, {processor()}, Python {platform.python_version()}, JAX {version('jax')}"
    return {file: row(file, found, where) for file, found in cases.items()}


def row(file: str, cases: list[ElementTree.Element], where: str) -> str:
    failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    minutes = sum(float(case.attrib["time"]) for case in cases) / 60
    return f"| {file} | {len(cases) - failed - skipped} | {failed} | {skipped} | {minutes:.1f} | {where} |"


def main(paths: list[str]) -> int:
    """Run the tests and write the table. Return pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-m", "long", "-n", "2", "--dist", "worksteal", "--timeout", "3600"]
        status = subprocess.run(
            [*command, f"--junitxml={report}", *(paths or ["tests"])], cwd=ROOT, env={**os.environ, **MORE}, check=False
        ).returncode
        made = rows(report)
    before = PAGE.read_text().splitlines() if PAGE.exists() and paths else []
    kept = {line.split()[1]: line for line in before if line.startswith("| tests/")}
    PAGE.write_text(HEAD + "\n".join(line for _, line in sorted({**kept, **made}.items())) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
