"""Measure the time that recording one pointwise operator with gradient takes on the calling thread.

The operands are 32x32; additions and products alternate.
"""

from contextlib import ExitStack
from statistics import median

from benchmarks.contenders import OURS, TORCH
from benchmarks.rival import rival
from benchmarks.rows import Row, over


def rows(setting):
    with ExitStack() as stack:
        rivals = {name: stack.enter_context(rival(setting, task="record", contender=name)) for name in (TORCH, OURS)}
        for ask in rivals.values():
            ask("chains", 100)
        rounds = [
            {name: ask("chains", 50)["seconds"] for name, ask in rivals.items()} for _ in range(3 * setting.rounds)
        ]
    figures = {name: 1e6 * median(figures[name] for figures in rounds) for name in rivals}
    return [Row("one pointwise operator with gradient, 32x32", "us", figures, over(figures, TORCH, 1.2))]
