"""Export networks of several libraries, load them in a fresh process, and compare them at other sizes.

    python -m tests.export [name ...]

Writes `docs/exported.md`, or only prints the rows of the named networks. The libraries timm, transformers and diffusers
must be installed.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from tqdm import tqdm

import torchlike
from benchmarks.report import processor
from tests.export.fresh import SOURCES, difference, tensors
from tests.house.source import ROOT

LIMIT = 1e-4
ROUNDS = 15
TABLE = ROOT / "docs" / "exported.md"
INTRODUCTION = f"""# Exported networks

Written by `python -m tests.export`. Each network is exported with sizes that vary, and saved. A fresh process without
PyTorch and without the network's source loads it and calls it with the example inputs and at other sizes. The
difference is the largest one between these results and those of the module, divided by the largest element of the
result; the limit is {LIMIT:g}. The time is that of a call of the loaded program at the other sizes, divided by that of
`torch.compile(module)`: medians of {ROUNDS} alternating calls without gradients. The networks are in
`tests/export/networks.py`.

| network | sizes that vary | operators | difference | result | ms | time over compiled |
|---|---|--:|--:|---|--:|--:|
"""


def exported(name: str, make: Any, folder: Path) -> dict:
    """Export and save a network, its inputs and results, and return the cells of its row."""
    torchlike.manual_seed(0)
    try:
        case = make()
        program = torchlike.export.export(case.module, case.example, dynamic_shapes=case.dims)
        torchlike.export.save(program, folder / "net.pt2")
        with torchlike.no_grad():
            calls = [(inputs, tensors(case.module(*inputs))) for inputs in (case.example, *case.others)]
            for inputs, results in calls:  # the modules' own results may change from call to call: batch norm
                difference(results, tensors(program.module()(*inputs)))
        torchlike.save(calls, folder / "calls.pt")
        count = sum(node.op == "call_function" for node in program.graph.nodes)
        return {
            "sizes": ", ".join(program.range_constraints),
            "operators": count,
            **_times(case.module, program, calls[-1][0]),
        }
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error).splitlines()[0][:160]}"}


def _times(module: Any, program: Any, inputs: tuple) -> dict:
    """Return the milliseconds of a loaded program, and their ratio to those of the compiled module."""
    pair = torchlike.compile(module), program.module()
    with torchlike.no_grad():
        for call in pair * 3:
            _milliseconds(call, inputs)
        rounds = [[_milliseconds(call, inputs) for call in pair] for _ in range(ROUNDS)]
    theirs, ours = (median(side) for side in zip(*rounds))
    return {"ms": ours, "ratio": ours / theirs}


def _milliseconds(call: Any, inputs: tuple) -> float:
    began = time.perf_counter()
    for result in tensors(call(*inputs)):
        result.numpy()
    return 1e3 * (time.perf_counter() - began)


def differences(folder: Path) -> dict[str, Any]:
    """Return what a fresh process finds: the difference of each network, or its error."""
    script = str(ROOT / "tests" / "export" / "fresh.py")
    run = subprocess.run([sys.executable, script, str(folder)], capture_output=True, text=True, env=_environment())
    if run.returncode:
        raise RuntimeError(run.stderr)
    found = json.loads(run.stdout.splitlines()[-1])
    if found["sources"]:
        raise RuntimeError(f"the process imported {found['sources']}; it must not import any of {SOURCES}")
    return found["found"]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def line(name: str, cells: dict, found: Any) -> str:
    """Return the row of a network."""
    if "error" in cells or isinstance(found, str):
        return f"| {name} | | | | {(cells.get('error') or found)[:200]} | | |".replace("\n", " ")
    result = "same" if found <= LIMIT else "DIFFERS"
    shown = f"{cells['sizes']} | {cells['operators']} | {found:.1e} | {result}"
    return f"| {name} | {shown} | {cells['ms']:.1f} | {cells['ratio']:.2f} |"


def main(wanted: list[str]) -> None:
    """Run the networks and write the table."""
    torchlike.install()
    from tests.export.networks import NETWORKS

    chosen = {n: make for n, make in NETWORKS.items() if not wanted or any(each in n for each in wanted)}
    cells = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, make in tqdm(chosen.items()):
            (folder / name).mkdir()
            cells[name] = exported(name, make, folder / name)
        found = differences(folder)
    rows = [line(name, cells[name], found[name]) for name in chosen]
    print("\n".join(rows))
    if not wanted:
        TABLE.write_text(f"{INTRODUCTION}" + "\n".join(rows) + _summary(rows, [*cells.values()]), encoding="utf-8")


def _summary(rows: list[str], cells: list[dict]) -> str:
    same = sum("| same |" in row for row in rows)
    ratios = [each["ratio"] for each in cells if "ratio" in each]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return (
        f"\n\nThe same: {same} of {len(rows)}. Time over compiled: geometric mean {mean:.2f}, "
        f"{sum(ratio <= 1.05 for ratio in ratios)} of {len(ratios)} at most 1.05, largest {max(ratios):.2f} "
        f"({processor()}).\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
