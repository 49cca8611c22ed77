"""Objects of every kind, saved with PyTorch and loaded with torchlike, and the reverse.

python -m tests.serialization.crossing --count 500
"""

import argparse
import collections
import warnings
from pathlib import Path

import torch

import torchlike
from tests.serialization.crossing import cross


def table(count, results):
    """Format the results as a page, with one row for each kind."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for theirs, ours in results:
        row = rows[theirs.kind]
        row[0] += 1
        row[1] += theirs.ways
        row[2] += not theirs.failures
        row[3] += not ours.failures
    total = [sum(column) for column in zip(*rows.values())]
    lines = [
        "# Files exchanged with PyTorch",
        "",
        f"Written by `python -m tests.serialization.crossing --count {count}`. Each object is created in both",
        "libraries from one seed, saved by one library and loaded by the other. Both file formats and",
        "`weights_only` True and False are tested, as far as PyTorch loads its own file that way. The loaded",
        "object is compared with the saved one: values (bit by bit), types, dtypes, sizes, strides, offsets,",
        "`requires_grad` and shared memory.",
        "",
        "| kind | objects | files loaded each way | PyTorch to torchlike | torchlike to PyTorch |",
        "|---|---|---|---|---|",
        *(f"| {kind} | {' | '.join(map(str, row))} |" for kind, row in [*rows.items(), ("all", total)]),
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = []
    for number in range(options.start, options.start + options.count):
        results.append((cross(number, torch, torchlike), cross(number, torchlike, torch)))
        for result in results[-1]:
            for failure in result.failures:
                print(f"{number} {result.kind}, {result.writer}: {failure}", flush=True)
    text = table(options.count, results)
    print(text)
    if options.out:
        options.out.write_text(text, "utf-8")
    return sum(bool(result.failures) for pair in results for result in pair)


if __name__ == "__main__":
    raise SystemExit(min(main(), 100))
