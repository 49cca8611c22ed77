"""Measure the first step of a large model in a second process, whose programs are already on disk."""

import tempfile
from pathlib import Path
from statistics import median

from benchmarks.contenders import OURS
from benchmarks.models import SPECS
from benchmarks.rival import rival
from benchmarks.rows import Check, Row
from benchmarks.training import save_weights

MODEL = "gpt6"


def rows(setting):
    with tempfile.TemporaryDirectory() as folder:
        weights = save_weights(SPECS[MODEL], Path(folder) / "weights.npz")
        pairs = [two_processes(setting, weights, f"{folder}/{number}") for number in range(setting.repeats)]
    cold, warm = (median(seconds) for seconds in zip(*pairs))
    title = SPECS[MODEL].title
    return [
        Row(f"{title}: first step, cold disk cache", "s", {OURS: cold}),
        Row(f"{title}: first step, warm disk cache", "s", {OURS: warm}, [Check("over cold", warm / cold, 0.35)]),
    ]


def two_processes(setting, weights, caches):
    """Return the seconds of the first step in a process with an empty cache, and in the next process."""
    seconds = []
    for _ in range(2):
        with rival(setting, caches, task="train", contender=OURS, model=MODEL, weights=weights) as ask:
            seconds.append(ask("steps", 1)["seconds"])
    return seconds
