"""Measure one network: its sides take turns, each in a process of its own."""

import importlib.util
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from statistics import median

from benchmarks.networks import COMPARED, COMPILE, NETWORKS, OURS, SIDES, TORCH, WARM, WHOLE, figures
from benchmarks.rival import Failed, Setting, rival

PATIENCE = 600.0  # seconds for one reply
ROUND = 0.3  # PyTorch's seconds in one round
CALLS = 24  # of inference
LATER = 9  # calls of inference after which it is warm
WORKER = ("-m", "benchmarks.networks.worker")


def worker(setting: Setting, caches: str | None, task: str, side: str, network: str = ""):
    library = SIDES[side]
    program = ("-m", "torchlike", *WORKER) if library == "torchlike" else WORKER
    return rival(setting, caches, program, PATIENCE, task=task, side=side, network=network, library=library)


def missing(name: str) -> str | None:
    """Return why a network cannot be measured here, or None."""
    needs = NETWORKS[name].needs
    return f"{needs} is not installed" if needs and importlib.util.find_spec(needs) is None else None


def measured(setting: Setting, name: str, told: Callable[[str], None], without: str | None = None) -> dict:
    """Return the figures of each side, or the reason why the network has none.

    `told` receives what runs now. The side `without` is left out.
    """
    if reason := missing(name):
        return {"missing": reason}
    with tempfile.TemporaryDirectory() as caches:
        sides = trained(setting, name, caches, told, without)
        told("second process")
        sides[OURS] |= again(setting, name, f"{caches}/{OURS}")
    for side in (TORCH, OURS):
        told(f"{side}, inference")
        sides[side] |= inferred(setting, name, side)
    if figures.agreement({"sides": sides})[1]:
        told("PyTorch with one thread")
        sides[TORCH] |= one_thread(setting, name)
    return {"sides": sides}


def trained(
    setting: Setting, name: str, caches: str, told: Callable[[str], None], without: str | None
) -> dict[str, dict]:
    """Return the figures of training. Each side starts with an empty cache below the folder `caches`."""
    found = {}
    with ExitStack() as running:
        asks = {}
        for side in (side for side in NETWORKS[name].sides() if side != without):
            told(side)
            try:
                asks[side] = running.enter_context(worker(setting, f"{caches}/{side}", "train", side, name))
                begun = asks[side]("begin")
                found[side] = {"first steps": begun["seconds"], "losses": begun["losses"][:COMPARED]}
                found[side]["uncompiled"] = begun["uncompiled"]
            except Failed as failure:
                asks.pop(side, None)
                found[side] = {"error": str(failure)}
        told("rounds")
        for side, seconds in race(asks, setting.rounds).items():
            step = median(seconds)
            found[side] |= {"step": step, "compile": max(0.0, sum(found[side]["first steps"]) - WARM * step)}
            found[side]["peak"] = asks[side]("peak")
    return found


def race(asks: dict[str, Callable], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of warm steps. Each side in turn goes first, so that slow phases affect all sides equally."""
    taken: dict[str, list[float]] = {side: [] for side in asks}
    if not asks:
        return taken
    pace = median(asks.get(TORCH, next(iter(asks.values())))("steps", 3))
    count = max(2, min(50, round(ROUND / pace)))
    for number in range(rounds):
        start = number % len(asks)
        for side in [*asks][start:] + [*asks][:start]:
            taken[side] += asks[side]("steps", count)[1:]  # the first step finds cold processor caches
    return taken


def again(setting: Setting, name: str, caches: str) -> dict:
    """Return the first two steps of a second process, which finds the programs of the first one on disk."""
    try:
        with worker(setting, caches, "train", OURS, name) as ask:
            return {"again": ask("begin")["seconds"][:2]}
    except Failed as failure:
        return {"again error": str(failure)}


def one_thread(setting: Setting, name: str) -> dict:
    """Return PyTorch's losses with one thread: sums in another order. They show how far rounding alone moves them."""
    try:
        with worker(replace(setting, threads=1), None, "train", TORCH, name) as ask:
            return {"one thread": ask("begin")["losses"][:COMPARED]}
    except Failed as failure:
        return {"one thread error": str(failure)}


def inferred(setting: Setting, name: str, side: str) -> dict:
    """Return the seconds of the first call and of a later one, in a process that has not trained."""
    try:
        with worker(setting, None, "infer", side, name) as ask:
            reply = ask("calls", CALLS)
    except Failed as failure:
        return {"inference error": str(failure)}
    first, later = reply["seconds"][0], median(reply["seconds"][LATER:])
    return {"inference": {"first": first, "later": later, "result": reply["result"]}}


def chains(setting: Setting) -> dict[str, float | str]:
    """Return the processor seconds of 100 calls of a compiled `sin(x) + cos(y)` with a million elements."""
    found: dict[str, float | str] = {}
    for side in (COMPILE, WHOLE):
        try:
            with worker(setting, None, "chain", side) as ask:
                found[side] = ask("chain")
        except Failed as failure:
            found[side] = str(failure)
    return found
