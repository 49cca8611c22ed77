"""A database of PyTorch's, such as that of its modules: run its entries, write the results and compare them later.

The results are a JSON file and a Markdown page in `docs`. Known differences have a reason there.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import importlib
import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tests.conformance import report
from tests.conformance.call import Limits, Verdict
from tests.conformance.run import ENTRIES_OF_ONE_PROCESS, alarm

Verdicts = dict[str, Verdict]
Known = dict[tuple[str, str], str]  # reasons by the patterns, divided by "|", of an entry and a check


@dataclasses.dataclass(frozen=True)
class Database:
    """A database.

    Attributes:
      name: of the package in `tests.conformance` and of the page.
      load: returns the entries, which have a `name`.
      judge: runs the checks of an entry.
      columns: the columns of the page, each the beginning of the names of its checks.
      known: the differences that are known.
      how: the text of the page.
      samples: the greatest number of samples of a check.
    """

    name: str
    load: Callable[[], tuple[Any, ...]]
    judge: Callable[[Any, Limits], Verdicts]
    columns: tuple[str, ...]
    known: Known
    how: str
    samples: int

    @property
    def data(self) -> Path:
        return report.DOCS / f"{self.name}.json"

    @property
    def page_path(self) -> Path:
        return report.DOCS / f"{self.name}.md"

    # -- running -------------------------------------------------------------------------------------------------------

    def run_all(self, names: list[str], workers: int, samples: int) -> Iterator[tuple[str, Verdicts]]:
        """Yield the verdicts of many entries as they arrive."""
        tasks = [(self.name, name, samples) for name in names]
        with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=ENTRIES_OF_ONE_PROCESS) as pool:
            yield from pool.imap_unordered(_run_one, tasks)

    def main(self) -> None:
        """Check the requested entries, print a summary and the failures, and write the page."""
        asked = _arguments(self)
        every = [entry.name for entry in self.load()]
        names = [n for n in every if not asked.entries or any(fnmatch.fnmatchcase(n, p) for p in asked.entries)]
        found = dict(tqdm(self.run_all(names, asked.workers, asked.samples), total=len(names), unit="entry"))
        for name in names:
            for check, v in found[name].items():
                if v.failure and self.reason(name, check) is None:
                    print(f"{name}, {check}: {v.passed} of {v.total}: {v.failure}")
        known = report.read(self.data) if self.data.exists() else {}
        merged = {name: found.get(name, known.get(name)) for name in every}
        if None not in merged.values():
            self.write(merged)  # type: ignore[arg-type]

    def reason(self, name: str, check: str) -> str | None:
        """Return why an entry may differ in a check, or None."""
        return next((why for (n, c), why in self.known.items() if _fits(name, n) and _fits(check, c)), None)

    # -- the page ------------------------------------------------------------------------------------------------------

    def write(self, results: report.Results) -> None:
        """Write the JSON file and the Markdown page."""
        report.write(results, self.data)
        self.page_path.write_text(self.page(results), encoding="utf-8")

    def page(self, results: report.Results) -> str:
        """Return the Markdown page."""
        passed, total = _sum([v for verdicts in results.values() for v in verdicts.values()])
        whole = sum(all(v.passed == v.total for v in verdicts.values()) for verdicts in results.values())
        figures = [f"{passed} of {total} comparisons are equal; {whole} of {len(results)} entries have no difference."]
        reasons: dict[str, list[str]] = {}
        for (name, check), why in self.known.items():
            reasons.setdefault(why, []).append(f"{', '.join(name.split('|'))}: {check}")
        lines = [f"| {'; '.join(places)} | {why} |".replace("*", r"\*") for why, places in reasons.items()]
        head = ["| entry | " + " | ".join(self.columns) + " |", "|---" * (len(self.columns) + 1) + "|"]
        rows = [self._line(name, verdicts) for name, verdicts in results.items()]
        known = ["Known differences:", "", "| entry and check | why |", "|---|---|", *lines, ""]
        title = [f"# {self.name.title()} of the database", "", self.how, "", *figures, ""]
        return "\n".join([*title, *known, _CELLS, "", *head, *rows, ""])

    def _line(self, name: str, verdicts: Verdicts) -> str:
        cells = []
        for column in self.columns:
            passed, total = _sum([v for check, v in verdicts.items() if check.startswith(column)])
            cells.append("" if not total else str(total) if passed == total else f"**{passed}** of {total}")
        return f"| {name} | {' | '.join(cells)} |"


_CELLS = "A cell shows how many comparisons are equal (one number: all). It is empty if there are none."


def few(samples: list, most: int | None) -> list:
    """Return evenly spaced samples, if there are too many."""
    most = most or len(samples)
    return samples if len(samples) <= most else [samples[i * len(samples) // most] for i in range(most)]


def broken(database: Database, names: list[str], limits: Limits) -> list[str]:
    """Run a few samples of entries. Return the failures of checks that are recorded as equal."""
    recorded, found = report.read(database.data), []
    entries = {entry.name: entry for entry in database.load()}
    for name in names:
        passed = {check for check, v in recorded[name].items() if v.passed == v.total}
        verdicts = database.judge(entries[name], limits)
        found += [f"{name}, {check}: {v.failure}" for check, v in verdicts.items() if v.failure and check in passed]
    return found


def _sum(verdicts: list[Verdict]) -> tuple[int, int]:
    return sum(v.passed for v in verdicts), sum(v.total for v in verdicts)


def _fits(name: str, pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(name, each) for each in pattern.split("|"))


def _run_one(task: tuple[str, str, int]) -> tuple[str, Verdicts]:
    package, name, samples = task
    database = importlib.import_module(f"tests.conformance.{package}.run").DATABASE
    entry = next(each for each in database.load() if each.name == name)
    return name, database.judge(entry, Limits(samples, alarm=alarm))


def _arguments(database: Database) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m tests.conformance.{database.name}")
    parser.add_argument("--entries", nargs="*", default=[], metavar="PATTERN", help="only these, such as 'nn.Conv*'")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--samples", type=int, default=database.samples, help="of one check (default %(default)s)")
    return parser.parse_args()
