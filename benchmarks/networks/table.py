"""Write the measured networks as Markdown and JSON."""

import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.contenders import ALL, COMPILE, JAX, OURS, TORCH, WHOLE
from benchmarks.networks import NETWORKS, figures
from benchmarks.report import number

FOLDER = Path(__file__).parent.parent
DATA, TABLE, PLOT = (FOLDER / f"NETWORKS.{kind}" for kind in ("json", "md", "svg"))
READING = f"""\
Every side ran in a process of its own, with the same threads, weights and data. A step is forward, backward, AdamW and
`loss.item()`. {TORCH} and {OURS} ran the same source. `{COMPILE}` compiles forward and backward, and `{WHOLE}` the
whole step. {JAX} is one jitted, donating step, written flat by hand.

- First step: cold caches, model, data and optimizer ready. Second process: the first step of a new process that finds
  the programs of the first one on disk.
- Step: the median of steps in turns. Ratios are torchlike's time over the rival's.
- Compile: what the first steps, until everything is compiled, took beyond as many warm steps.
- Inference: the first call of a process that has not trained, and the median from the tenth call on.
- Memory: the peak of the resident memory of the training process.
- Difference: the largest relative difference from {TORCH} of the first three losses and of the result of inference.
  A difference above {figures.TOLERANCE:g} is wrong."""


def load() -> dict:
    """Return the committed record, or an empty one."""
    return json.loads(DATA.read_text()) if DATA.exists() else {"about": {}, "chain": {}, "networks": {}}


def write(record: dict) -> None:
    DATA.write_text(json.dumps(record, indent=1) + "\n")
    TABLE.write_text(markdown(record))


def markdown(record: dict) -> str:
    networks = {name: record["networks"][name] for name in NETWORKS if name in record["networks"]}
    facts = "\n".join(f"- {key}: {value}" for key, value in record["about"].items())
    parts = ["# Real networks", facts, READING, "## Limits", limits(networks, record["chain"])]
    parts += ["## Steps", steps(networks), "## First steps", first_steps(networks)]
    parts += ["## Inference and memory", inference(networks)]
    if lines := figures.failures(networks):
        parts += ["## Wrong, failed or uncompiled", "\n".join(f"- {line}" for line in lines)]
    return "\n\n".join(part for part in parts if part) + "\n"


def grid(heads: list[str], lines: list[list[str]]) -> str:
    rule = ["---", *("---:" for _ in heads[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *lines))


def limits(networks: dict, chain: dict) -> str:
    lines = [
        [check.what, number(check.value), f"{check.limit:g}", "pass" if check.passed else "FAIL"]
        for check in figures.checks(networks)
    ]
    for side, seconds in chain.items():
        text = number(seconds) if isinstance(seconds, float) else f"failed: {cut(seconds)}"
        lines.append([f"100 calls of a compiled `sin(x) + cos(y)`, CPU s, {side}", text, "", ""])
    return grid(["figure", "value", "at most", ""], lines)


def cut(text: str) -> str:
    return text[:120].replace("|", "/")


def row(name: str, network: dict, cells: Callable[[dict], list[str]]) -> list[str]:
    """Return the cells of a network: its title first. A network that was not measured has its reason in the second."""
    reason = network.get("missing")
    return [NETWORKS[name].title, *([reason] if reason else cells(network))]


def cell(network: dict, side: str, *whats: str, scale: float = 1.0) -> str:
    """Return figures of a side, joined by a plus sign, or why they are missing."""
    found = [figures.figure(network, side, what) for what in whats]
    if None not in found:
        return " + ".join(number(scale * value) for value in found if value is not None)
    held = network["sides"].get(side, {})
    return next((f"failed: {cut(held[key])}" for key in held if key.endswith("error")), "")


def ratio(network: dict, what: str, side: str, rival: str = TORCH) -> str:
    found = figures.over(network, what, side, rival)
    return "" if found is None else f"{found:.2f}"


def steps(networks: dict) -> str:
    def cells(network: dict) -> list[str]:
        worst, wrong = figures.agreement(network)
        difference = "" if worst is None else f"**wrong** {worst:.0e}" if wrong else f"{worst:.0e}"
        return [
            *(cell(network, side, "step", scale=1e3) for side in ALL),
            ratio(network, "step", OURS),
            ratio(network, "step", WHOLE),
            ratio(network, "step", WHOLE, COMPILE),
            ratio(network, "step", WHOLE, JAX),
            difference,
        ]

    ratios = [f"{OURS} / PyTorch", f"{WHOLE} / PyTorch", f"{WHOLE} / {COMPILE}", f"{WHOLE} / JAX"]
    heads = ["step, ms", *ALL, *ratios, "difference"]
    return grid(heads, [row(name, network, cells) for name, network in networks.items()])


def first_steps(networks: dict) -> str:
    def cells(network: dict) -> list[str]:
        return [
            *(cell(network, side, "first step", "second step") for side in ALL),
            cell(network, OURS, "second process"),
            *(cell(network, side, "compile") for side in (COMPILE, JAX, OURS, WHOLE)),
        ]

    compiled = [f"compile, {side}" for side in (COMPILE, JAX, OURS, WHOLE)]
    heads = ["first + second step, s", *ALL, "second process", *compiled]
    return grid(heads, [row(name, network, cells) for name, network in networks.items()])


def inference(networks: dict) -> str:
    def cells(network: dict) -> list[str]:
        found = []
        for what in ("inference, first call", "inference, later"):
            found += [cell(network, side, what, scale=1e3) for side in (TORCH, OURS)] + [ratio(network, what, OURS)]
        found += [cell(network, side, "peak memory") for side in (TORCH, COMPILE, OURS, WHOLE)]
        return [*found, ratio(network, "peak memory", OURS), ratio(network, "peak memory", WHOLE)]

    heads = ["inference, ms; memory, MiB"]
    heads += [f"first call, {TORCH}", OURS, "ratio", f"tenth on, {TORCH}", OURS, "ratio"]
    heads += [*(f"peak, {side}" for side in (TORCH, COMPILE, OURS, WHOLE)), f"{OURS} / PyTorch", f"{WHOLE} / PyTorch"]
    return grid(heads, [row(name, network, cells) for name, network in networks.items()])
