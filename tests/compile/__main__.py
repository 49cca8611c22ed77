"""`python -m tests.compile`: run a hundred steps of every benchmark model, and compile steps for a TPU slice.

The results are written to docs/compiled.md. The TPU part needs `libtpu` but no TPU. Without `libtpu`, the page says so.
"""

from __future__ import annotations

import datetime
import importlib.util
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

from benchmarks.models import SPECS
from tests.compile import long

PAGE = Path(__file__).parents[2] / "docs" / "compiled.md"


def main() -> None:
    lines = [
        f"| {SPECS[name].title} | {long.STEPS} | {long.difference(name):.1e} |" for name in tqdm(SPECS, unit="model")
    ]
    versions = ", ".join(f"{name} {version(name)}" for name in ("jax", "jaxlib"))
    text = [
        "# Checks of compiled steps",
        "",
        f"Written by `python -m tests.compile` on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {versions}.",
        "",
        "The largest relative difference between the losses of training steps under `torchlike.compile` and those of "
        "the same steps uncompiled. Both start from one seed, include dropout on the outputs, and are executed by XLA.",
        "",
        "| model | steps | difference |",
        "|---|---:|---:|",
        *lines,
        "",
        f"A step compiled ahead of time for one chip of a TPU slice ({long.TOPOLOGY}), without a TPU present:",
        "",
        *tpu(),
    ]
    PAGE.write_text("\n".join(text) + "\n")
    print(PAGE.read_text())


def tpu() -> list[str]:
    if importlib.util.find_spec("libtpu") is None:
        return ["Not compiled: `libtpu` is not installed."]
    rows = [
        "| model | GFLOP a step | MiB accessed | MiB of arguments | of these, updated in place | MiB of temporaries |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in ("mlp10", "gpt4"):
        made = long.compiled_for_tpu(name)
        sizes = (made.memory.arguments, made.memory.aliased, made.memory.temporaries)
        cells = [
            f"{made.flops / 1e9:.2f}",
            f"{made.bytes_accessed / 2**20:.1f}",
            *(f"{n / 2**20:.2f}" for n in sizes),
        ]
        rows.append(f"| {SPECS[name].title} | {' | '.join(cells)} |")
    return rows


if __name__ == "__main__":
    main()
