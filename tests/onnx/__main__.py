"""Export the networks of `tests/export/networks.py` to ONNX, and compare ONNX Runtime with the networks.

    python -m tests.onnx [name ...]

Writes `docs/onnx_networks.md`, or only prints the rows of the named networks. The libraries timm, transformers and
diffusers, and the packages of `torchlike[onnx]`, must be installed.
"""

from __future__ import annotations

import copy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from tqdm import tqdm

import torchlike
from tests.export.__main__ import LIMIT, tensors
from tests.house.source import ROOT

TABLE = ROOT / "docs" / "onnx_networks.md"
INTRODUCTION = f"""# Networks in ONNX

Written by `python -m tests.onnx`. Each network is exported to a file with sizes that vary, checked by `onnx.checker`,
and run by ONNX Runtime with its example inputs and at other sizes. The difference is the largest one between the
results of ONNX Runtime and of the module, divided by the largest element of the result; the limit is {LIMIT:g}. The
seconds are those of the export and of the runs. The networks are in `tests/export/networks.py`.

| network | sizes that vary | nodes | difference | result | s |
|---|---|--:|--:|---|--:|
"""


def session(path: Path) -> Any:
    """Return a session of ONNX Runtime with one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def worst(module: Any, loaded: Any, inputs: tuple) -> float:
    """Return the largest difference of the results for some inputs."""
    leaves = [x for x in torchlike.utils._pytree.tree_leaves(inputs) if isinstance(x, torchlike.Tensor)]
    names = [given.name for given in loaded.get_inputs()]
    ours = loaded.run(None, {name: leaf.numpy() for name, leaf in zip(names, leaves, strict=True)})
    with torchlike.no_grad():
        theirs = [t.numpy() for t in tensors(copy.deepcopy(module)(*inputs))]
    if [(a.shape, a.dtype) for a in theirs] != [(a.shape, a.dtype) for a in ours]:
        raise AssertionError("the results have other shapes or dtypes")
    gaps = [np.abs(a - b).max() / (np.abs(a).max() + 1e-6) for a, b in zip(theirs, ours) if a.size]
    return max(float(gap) for gap in gaps)


def row(name: str, make: Any, folder: Path) -> str:
    """Export, check and run a network, and return its row of the table."""
    began, found, count, sizes = time.perf_counter(), float("nan"), 0, ""
    torchlike.manual_seed(0)
    try:
        case = make()
        exported = torchlike.export.export(case.module, case.example, dynamic_shapes=case.dims)
        sizes = ", ".join(exported.range_constraints)
        program = torchlike.onnx.export(exported, f=folder / "net.onnx")
        count = len(program.model.graph)
        onnx.checker.check_model(folder / "net.onnx", full_check=True)
        loaded = session(folder / "net.onnx")
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
        for name, make in tqdm(NETWORKS.items(), disable=None):
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
