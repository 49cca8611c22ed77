"""``python -m tests.out``: compare every operator that supports `out=` with PyTorch."""

from __future__ import annotations

import argparse
import sys
import warnings

from tqdm import tqdm

import torchlike
from tests.exclusions import OUT
from tests.out.judge import chosen_entries, excluded, faults


def main() -> None:
    """Print the differences that are not excluded, the exclusions that are not needed, and a summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.out", description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="PATTERN", help="only these, such as 'linalg.*'")
    parser.add_argument("--samples", type=int, default=2, help="of each dtype of each operator (default 2)")
    parser.add_argument("--all", action="store_true", help="print the excluded faults too")
    asked = parser.parse_args()
    found, count = [], [0]
    entries = chosen_entries(asked.entries)
    for entry in tqdm(entries, unit="operator"):
        with warnings.catch_warnings(), torchlike.set_executor("numpy"):
            warnings.simplefilter("ignore")
            for fault in faults(entry, asked.samples, count=count):
                found.append(fault)
                if asked.all or not excluded(fault):
                    print(*fault, sep=" | ", flush=True)
    unknown = [fault for fault in found if not excluded(fault)]
    seen = {(fault.entry, fault.target.partition(" at ")[0]) for fault in found}
    idle = [(e.name, kind) for e in entries if e.name in OUT for kind in OUT[e.name][0] if (e.name, kind) not in seen]
    print(
        f"{count[0]} comparisons of {len(entries)} operators: {len(unknown)} faults, and {len(found) - len(unknown)} "
        f"excluded ones; exclusions without a fault: {idle}"
    )
    sys.exit(bool(unknown or idle))


if __name__ == "__main__":
    main()
