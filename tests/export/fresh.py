"""Load exported programs in a process that has neither their sources nor PyTorch, and compare their results.

    python tests/export/fresh.py FOLDER

The folder contains a folder for each network, with the program, inputs and results. Prints a JSON object of the largest
difference for each network, or the error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torchlike as torch

SOURCES = ("torch", "timm", "transformers", "diffusers", "tests")


def tensors(result):
    """Return the tensors of a result."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def difference(theirs, ours) -> float:
    """Return the largest difference of two lists of tensors, each divided by its largest element."""
    if [t.shape for t in theirs] != [t.shape for t in ours]:
        raise AssertionError("the results have other shapes")
    gaps = [(a - b).abs().max() / (a.abs().max() + 1e-6) for a, b in zip(theirs, ours) if a.numel()]
    return max(float(gap) for gap in gaps)


def loaded(folder: Path) -> float:
    """Load the program of a folder, and return the largest difference from the saved results."""
    module = torch.export.load(folder / "net.pt2").module()
    calls = torch.load(folder / "calls.pt")
    with torch.no_grad():
        return max(difference(results, tensors(module(*inputs))) for inputs, results in calls)


def main(folder: Path) -> None:
    """Load and compare every program of a folder."""
    found = {}
    for each in sorted(folder.iterdir()):
        try:
            found[each.name] = loaded(each)
        except Exception as error:
            found[each.name] = f"{type(error).__name__}: {error}"
    known = [name for name in SOURCES if name in sys.modules]
    print(json.dumps({"found": found, "sources": known}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
