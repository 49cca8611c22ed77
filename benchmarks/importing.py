"""Measure the time that a new process takes to import each library."""

import subprocess
import sys
from statistics import median

from benchmarks.contenders import JAX, OURS, TORCH
from benchmarks.rival import ROOT
from benchmarks.rows import Row, over

PROGRAM = "import time; started = time.perf_counter(); import {}; print(time.perf_counter() - started)"
MODULES = {TORCH: "torch", JAX: "jax, optax", OURS: "torchlike"}


def rows(setting):
    for module in MODULES.values():
        seconds(setting, module)  # warm the file cache and write byte code
    rounds = [{name: seconds(setting, module) for name, module in MODULES.items()} for _ in range(setting.rounds)]
    figures = {name: median(figures[name] for figures in rounds) for name in MODULES}
    return [Row("import", "s", figures, over(figures, TORCH, 1.0))]


def seconds(setting, module):
    command = [sys.executable, "-c", PROGRAM.format(module)]
    return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
