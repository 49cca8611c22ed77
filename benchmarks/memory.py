"""Measure resident memory from step 1,000 to step 10,000 of one training run."""

import tempfile
from pathlib import Path

from benchmarks.contenders import JAX, OURS, TORCH
from benchmarks.models import SPECS
from benchmarks.rival import rival
from benchmarks.rows import Check, Row
from benchmarks.training import save_weights

MODEL = "mlp3"


def rows(setting):
    with tempfile.TemporaryDirectory() as folder:
        weights = save_weights(SPECS[MODEL], Path(folder) / "weights.npz")
        figures = {contender: growth(setting, contender, weights) for contender in (TORCH, JAX, OURS)}
    title = f"{SPECS[MODEL].title}: growth of resident memory from step 1,000 to 10,000"
    return [Row(title, "%", figures, [Check("growth", figures[OURS], 1.0)])]


def growth(setting, contender, weights):
    with rival(setting, task="train", contender=contender, model=MODEL, weights=weights) as ask:
        ask("steps", 1000)
        before = ask("resident")
        ask("steps", 9000)
        return 100 * (ask("resident") / before - 1)
