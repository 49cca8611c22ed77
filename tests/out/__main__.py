"""The command ``python -m tests.out``: every operator with `out=`, judged by PyTorch."""

from __future__ import annotations

import argparse
import collections
import sys
import warnings

import torchlike
from tests.conformance.entries import chosen
from tests.out.judge import faults


def main() -> None:
    """Print every fault that is not excluded, and a summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.out", description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="PATTERN", help="only these, such as 'linalg.*'")
    parser.add_argument("--samples", type=int, default=2, help="of each dtype of each operator (default 2)")
    asked = parser.parse_args()
    entries = [entry for entry in chosen(asked.entries) if entry.info.supports_out]
    found, count = [], [0]
    for entry in entries:
        with warnings.catch_warnings(), torchlike.set_executor("numpy"):
            warnings.simplefilter("ignore")
            for fault in faults(entry, asked.samples, count=count):
                found.append(fault)
                print(*fault[:3], fault.text, sep=" | ", flush=True)
    print(f"{count[0]} comparisons of {len(entries)} operators, {len(found)} faults", file=sys.stderr)
    print(collections.Counter(f.target for f in found), file=sys.stderr)


if __name__ == "__main__":
    main()
