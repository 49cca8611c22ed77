"""Export networks of several libraries, load them, and compare them with their modules at other sizes.

    python -m tests.export [name ...]

Writes `docs/exported.md`, or only prints the rows of the named networks. The libraries timm, transformers and diffusers
must be installed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

import torchlike
from tests.house.source import ROOT

LIMIT = 1e-4
TABLE = ROOT / "docs" / "exported.md"
INTRODUCTION = f"""# Exported networks

Written by `python -m tests.export`. Each network is exported with sizes that vary, saved, loaded, and called with its
example inputs and at other sizes. The difference is the largest one between the results of the loaded program and of
the module, divided by the largest element of the result; the limit is {LIMIT:g}. The seconds are those of the export,
the compiles and the calls. The networks are in `tests/export/networks.py`.

| network | sizes that vary | operators | difference | result | s |
|---|---|--:|--:|---|--:|
"""


def tensors(result: Any) -> list:
    """Return the tensors of a result."""
    return [leaf for leaf in torchlike.utils._pytree.tree_leaves(result) if isinstance(leaf, torchlike.Tensor)]


def worst(module: Any, loaded: Any, inputs: tuple) -> float:
    """Return the largest difference of the results for some inputs."""
    with torchlike.no_grad():
        theirs, ours = tensors(module(*inputs)), tensors(loaded(*inputs))
    if [tuple(t.shape) for t in theirs] != [tuple(t.shape) for t in ours]:
        raise AssertionError("the results have other shapes")
    gaps = [(a - b).abs().max() / (a.abs().max() + 1e-6) for a, b in zip(theirs, ours) if a.numel()]
    return max(float(gap) for gap in gaps)


def row(name: str, make: Any, folder: Path) -> str:
    """Export, save, load and call a network, and return its row of the table."""
    began, found, count, sizes = time.perf_counter(), float("nan"), 0, ""
    torchlike.manual_seed(0)
    try:
        case = make()
        program = torchlike.export.export(case.module, case.example, dynamic_shapes=case.dims)
        count = sum(node.op == "call_function" for node in program.graph.nodes)
        sizes = ", ".join(program.range_constraints)
        torchlike.export.save(program, folder / "net.pt2")
        loaded = torchlike.export.load(folder / "net.pt2").module()
        found = max(worst(case.module, loaded, inputs) for inputs in (case.example, *case.others))
        result = "same" if found <= LIMIT else "DIFFERS"
    except Exception as error:
        result = f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"
    cells = (name, sizes, count, f"{found:.1e}", result.replace("|", "\\|"), f"{time.perf_counter() - began:.0f}")
    return "| " + " | ".join(map(str, cells)) + " |"


def main(wanted: list[str]) -> None:
    """Run the networks and write the table."""
    torchlike.install()
    from tests.export.networks import NETWORKS

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in tqdm(NETWORKS.items()):
            if not wanted or any(each in name for each in wanted):
                rows.append(row(name, make, Path(folder)))
                tqdm.write(rows[-1])
    same = sum("| same |" in line for line in rows)
    if not wanted:
        TABLE.write_text(
            f"{INTRODUCTION}" + "\n".join(rows) + f"\n\nThe same: {same} of {len(rows)}.\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
