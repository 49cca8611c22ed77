"""Write the benchmark rows as Markdown and JSON, with facts about the machine and the library versions."""

import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.contenders import ALL
from benchmarks.rival import ROOT

PACKAGES = ("torch", "jax", "jaxlib", "optax", "numpy")
READING = """\
Medians of interleaved rounds in one run; every contender in a process of its own, the same weights, data and threads.
A step is forward, backward, optimizer and `loss.item()`; the first step is timed in a fresh process with empty caches,
model, data and optimizer ready. The recorded loop compiles its optimizer's update when that comes again, so the first
two steps are shown too. JAX + optax is hand-written: one jitted, donating step. The limit over JAX holds where its step
takes 5 ms or more; ratios without a limit are shown for information."""


def write(rows, about, folder, name):
    """Write `name`.md and `name`.json into the folder."""
    (folder / f"{name.upper()}.md").write_text(markdown(rows, about))
    record = {"about": about, "rows": [row.as_dict() for row in rows]}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")


def markdown(rows, about):
    facts = "\n".join(f"- {key}: {value}" for key, value in about.items())
    return f"# Benchmarks\n\n{facts}\n\n{READING}\n\n{table(rows)}\n"


def table(rows):
    heads = ["figure", "unit", *ALL, "held to", "verdict"]
    lines = [heads, ["---", "---", *("---:" for _ in ALL), "---", "---"], *(cells(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(row):
    figures = [number(row.figures[name]) if name in row.figures else missing(row, name) for name in ALL]
    return [row.title, row.unit, *figures, "; ".join(map(held_to, row.checks)), row.verdict]


def missing(row, name):
    return f"failed: {row.failures[name][:120]}".replace("|", "/") if name in row.failures else ""


def held_to(check):
    limit = "" if check.limit is None else f" (limit {check.limit:g})"
    return f"{check.what} {number(check.value)}{limit}"


def number(value):
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return f"{value:.1e}"


def about(setting):
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "command": f"python -m benchmarks {shlex.join(sys.argv[1:])}".strip(),
        "commit": output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"),
        "processor": f"{processor()}, {setting.threads} of {os.cpu_count()} cores used",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "load before": f"{os.getloadavg()[0]:.2f} (other work slows PyTorch first)",
        "accelerator": output("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
        "versions": ", ".join([f"Python {platform.python_version()}", *(f"{name} {found(name)}" for name in PACKAGES)]),
    }


def processor():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def found(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"
