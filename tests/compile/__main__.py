"""`python -m tests.compile`: a hundred steps of every benchmark model, and steps compiled for a TPU slice.

Leaves docs/compiled.md. The TPU part needs `libtpu`, and no TPU; without it the page says that it was not made.
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
        "# Compiled steps, checked",
        "",
        f"Made by `python -m tests.compile` on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {versions}.",
        "",
        "Losses of `torchlike.compile`d training steps beside those of the same steps recorded, from one seed, dropout "
        "on the outputs included, both by XLA: the largest relative difference.",
        "",
        "| model | steps | difference |",
        "|---|---:|---:|",
        *lines,
        "",
        f"A step compiled ahead of time for a chip of a TPU slice ({long.TOPOLOGY}), with no TPU present:",
        "",
        *tpu(),
    ]
    PAGE.write_text("\n".join(text) + "\n")
    print(PAGE.read_text())


def tpu() -> list[str]:
    if importlib.util.find_spec("libtpu") is None:
        return ["not made: `libtpu` is not installed."]
    rows = [
        "| model | GFLOP a step | MiB accessed | MiB of arguments | of them overwritten | MiB of temporaries |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in ("mlp10", "gpt4"):
        made = long.compiled_for_tpu(name)
        cost, memory = made.cost_analysis(), made.memory_analysis()
        sizes = (memory.argument_size_in_bytes, memory.alias_size_in_bytes, memory.temp_size_in_bytes)
        cells = [
            f"{cost['flops'] / 1e9:.2f}",
            f"{cost['bytes accessed'] / 2**20:.1f}",
            *(f"{n / 2**20:.2f}" for n in sizes),
        ]
        rows.append(f"| {SPECS[name].title} | {' | '.join(cells)} |")
    return rows


if __name__ == "__main__":
    main()
