"""The command ``python -m tests.conformance``."""

from __future__ import annotations

import argparse
import json

from tqdm import tqdm

from tests.conformance import report
from tests.conformance.entries import chosen, load
from tests.conformance.run import MOST_COMPILED, MOST_SAMPLES, judge_all


def main() -> None:
    """Check the requested entries and print a summary.

    The report is updated if these are all entries, or with `--update`. With `--clusters`, only print its failures.
    """
    asked = _arguments()
    if asked.clusters:
        print(report.clusters(report.read()))
        return
    entries = chosen(asked.entries)[asked.shard[0] :: asked.shard[1]]
    most = asked.samples or {"numpy": MOST_SAMPLES, "xla": MOST_COMPILED}[asked.executor]
    found = dict(tqdm(judge_all(entries, asked.workers, most, asked.executor), total=len(entries), unit="entry"))
    results = {entry.name: found[entry.name] for entry in entries}
    print(report.summary(results))
    if asked.entries:
        print(json.dumps({n: {c: v.failure for c, v in r.items() if v.failure} for n, r in results.items()}, indent=1))
    if asked.update or len(entries) == len(load()):
        known = report.read() if report.DATA.exists() else {}
        merged = report.merged(known, results, asked.executor)
        ordered = {entry.name: merged[entry.name] for entry in load() if entry.name in merged}
        report.write(ordered)
        report.PAGE.write_text(report.page(ordered), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--entries", nargs="*", default=[], metavar="PATTERN", help="only these, such as 'linalg.*'")
    parser.add_argument("--shard", type=_shard, default=(0, 1), metavar="I/N", help="the I-th of N parts, from 0")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--executor", choices=("numpy", "xla"), default="numpy", help="of the programs")
    most = f"of one check (default {MOST_SAMPLES}; {MOST_COMPILED} with the executor xla)"
    parser.add_argument("--samples", type=int, help=most)
    parser.add_argument("--update", action="store_true", help="write a part's results into the report")
    parser.add_argument("--clusters", action="store_true", help="print the report's failures by their text")
    return parser.parse_args()


def _shard(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    return int(number), int(of)


if __name__ == "__main__":
    main()
