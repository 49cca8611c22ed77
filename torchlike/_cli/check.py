"""`torchlike check`: list the PyTorch names that programs use, and whether torchlike supports them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from torchlike._cli import libraries, report, sources
from torchlike._cli.reader import Program
from torchlike._cli.resolve import Resolver
from torchlike._cli.verdict import MISSING, REFUSED, exists, is_custom, judge

ABOUT = """\
List the PyTorch names that programs use, and whether torchlike supports them. The programs are read, not run.

  supported  torchlike has the name
  differing  torchlike has the name, and docs/differences.md has an entry about it
  refused    the name or argument raises an error that says so
  missing    torchlike does not have the name or argument"""
STATUSES = """\
exit status: 0 if no name is missing or refused, 1 if one is, 2 if a path cannot be read or parsed"""


class Finding(NamedTuple):
    """One use of a name, with its place and the verdict."""

    path: str
    line: int
    column: int
    status: str
    name: str
    note: str


class Checked(NamedTuple):
    """The result of a check: the uses of names, the libraries that are imported, and the unreadable files."""

    files: int
    findings: list[Finding]
    libraries: dict[str, str]
    errors: list[sources.Unreadable]


def check(paths: Iterable[Path]) -> Checked:
    """Check scripts, notebooks and folders of them."""
    result = Checked(0, [], {}, [])
    for path in dict.fromkeys(file for each in paths for file in sources.files(each)):
        source = sources.read(path)
        result.errors.extend(source.errors)
        try:
            program = Program(source.tree)
            result.findings.extend(_findings(source, program))
        except RecursionError:
            result.errors.append(sources.Unreadable(str(path), 1, "its expressions are nested too deeply"))
            continue
        result.libraries.update({each: note for each in program.packages if (note := libraries.note(each))})
        result = result._replace(files=result.files + 1)
    return result


def _findings(source: sources.Source, program: Program) -> list[Finding]:
    findings = []
    for use in Resolver(program, exists).uses():
        if not is_custom(use.name):
            verdict = judge(use)
            path, line = source.place(use.line)
            findings.append(Finding(path, line, use.column, verdict.status, verdict.name, verdict.note))
    return findings


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        "torchlike check", description=ABOUT, epilog=STATUSES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a script, a notebook or a folder")
    parser.add_argument("--all", action="store_true", help="list supported names too")
    parser.add_argument("--json", action="store_true", help="print a JSON document with every use of a name")
    given = parser.parse_args(argv)
    absent = [path for path in given.paths if not path.exists()]
    for path in absent:
        print(f"torchlike check: no such file or folder: {path}", file=sys.stderr)
    if len(absent) == len(given.paths):
        return 2
    checked = check(path for path in given.paths if path not in absent)
    if given.json:
        print(report.document(checked))
    else:
        print(report.text(checked, given.all))
    for error in checked.errors:
        print(f"{error.path}:{error.line}: cannot be read: {error.why}", file=sys.stderr)
    if absent or checked.errors:
        return 2
    return int(any(finding.status in (REFUSED, MISSING) for finding in checked.findings))
