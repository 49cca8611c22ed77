"""`python -m tests.serialization.hostile --count 20000 --seed 0`: load many hostile files and write docs/hostile.md."""

from __future__ import annotations

import argparse
from datetime import date
from importlib.metadata import version
from pathlib import Path

import torchlike
from tests.serialization.hostile import child
from tests.serialization.hostile.run import BATCH, Found, run
from tests.serialization.hostile.seeds import seeds

MANY = 20_000  # a run of fewer files does not change the page
PAGE = Path(__file__).parents[3] / "docs" / "hostile.md"
OUTCOMES = (child.REFUSED, child.LOADED, child.FOREIGN, child.EXECUTED, child.CRASHED, child.OVER)


def page(found: Found, count: int, seed: int) -> str:
    """Format the table of a run."""
    total = found.total()
    rows = [[kind, *(f"{counts[o]:,}" for o in OUTCOMES)] for kind, counts in found.counts.items()]
    rows.append(["**all**", *(f"**{total[o]:,}**" for o in OUTCOMES)])
    head = [["mutation", *OUTCOMES], ["---", *("---:" for _ in OUTCOMES)]]
    table = "\n".join("| " + " | ".join(row) + " |" for row in head + rows)
    versions = ", ".join(
        f"{label} {version(package)}" for label, package in (("PyTorch", "torch"), ("JAX", "jax"), ("NumPy", "numpy"))
    )
    return f"""# Hostile checkpoints

Written by `python -m tests.serialization.hostile --count {count} --seed {seed}` on {date.today()} ({versions}).

The seeds are {len(seeds())} valid files of PyTorch and torchlike, in the zip format and in the old format.
They are mutated in {len(found.counts)} ways.
`torch.load` reads each of the {count:,} results with `weights_only=True` in a forked process. A process loads at most
{BATCH} files, each in {child.SECONDS} seconds of CPU time and with {child.MEMORY >> 30} GiB of memory.

- refused: an exception that names the file and gives the reason in one sentence.
- loaded: the file was read; each storage equals a record of the file, and each tensor lies within its storage.
- loaded other data: a storage that is not in the file, or a tensor that reaches beyond its storage.
- executed something: an audit hook reported that code was compiled or run, a module was imported, a file was written,
  or a process or connection was started; or a payload wrote its canary file.
- crashed: a signal, another exception, or an exception with the text of an internal error.
- over the limits: too much memory or time.

{table}
"""


def main() -> None:
    """Load the files and report the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the first number, to repeat one file")
    options = parser.parse_args()

    def show(number: int, found: Found) -> None:
        if found.wrong and found.wrong[-1].startswith(f"{number} "):
            print(found.wrong[-1], flush=True)
        if (number + 1) % 1_000 == 0:
            print(number + 1, dict(found.total()), flush=True)

    found = run(torchlike.load, options.seed, range(options.first, options.first + options.count), show)
    print(dict(found.total()))
    if options.count >= MANY:
        PAGE.write_text(page(found, options.count, options.seed))
    raise SystemExit(bool(found.wrong))


if __name__ == "__main__":
    main()
