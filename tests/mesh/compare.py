"""Compare trainings over a mesh with those of one device: `python -m tests.mesh.compare [float64]`.

The command prints, for each placement, model and kind of step, the largest relative difference of 50 losses, and of the
loss in evaluation mode. `tests/mesh/test_placements.py` compares some of them.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from tests.mesh.launched import PYTORCH, difference, said, started

MODELS = ("mlp", "cnn", "gpt")
EVERY = tuple(f"{model}:{mode}" for model in MODELS for mode in ("recorded", "compiled"))
# The axes of the mesh, and whether a rule shards all parameters over the axis `data`.
PLACEMENTS = (("data=8", False), ("data=4,model=2", False), ("fsdp=8", False), ("data=2,fsdp=2,model=2", False))
PLACEMENTS += (("data=8", True),)


class Compared(NamedTuple):
    """A training over a mesh, compared with the same training on one device."""

    name: str
    losses: float
    evaluated: float
    facts: dict


def compared(trainings: dict[tuple[str | None, bool], tuple[str, ...]], dtype: str = "") -> list[Compared]:
    """Run trainings over meshes and on one device at the same time, and compare them."""
    single = tuple(dict.fromkeys(name for names in trainings.values() for name in names))
    options = lambda is_sharded: [*(["sharded"] if is_sharded else []), *([dtype] if dtype else [])]
    alone = started("", "train", *single, *options(False))
    running = [(mesh, started(mesh, "train", *names, *options(s))) for (mesh, s), names in trainings.items()]
    base = {training["name"]: training for training in said(alone)}
    found = []
    for mesh, process in running:
        for training in said(process):
            other = base[training["name"]]
            losses = difference(training["losses"], other["losses"])
            evaluated = difference([training["evaluated"]], [other["evaluated"]])
            found.append(Compared(f"{mesh or 'PyTorch'} {training['name']}", losses, evaluated, training))
    return found


def main(dtype: str) -> None:
    """Compare everything, one mesh at a time, and print a table."""
    recorded = tuple(name for name in EVERY if name.endswith("recorded"))
    for placement, names in [((PYTORCH, False), recorded), *[(placement, EVERY) for placement in PLACEMENTS]]:
        for one in compared({placement: names}, dtype):
            sharded = one.facts.get("parameters", 0)
            print(f"{one.name:32} {sharded:3} sharded  {one.losses:.1e}  {one.evaluated:.1e}", flush=True)


if __name__ == "__main__":
    main("".join(sys.argv[1:]))
