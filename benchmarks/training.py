"""Training a model: time of a warm step, time of the first, and whether the losses agree."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.contenders import ALL, JAX, OURS, TORCH
from benchmarks.models import SPECS
from benchmarks.rival import Failed, rival
from benchmarks.rows import Check, Row, over

COMPARED = 20  # steps whose losses are compared
ROUND = 0.4  # seconds that PyTorch spends in a round
LARGE = 5e-3  # seconds of a hand-written JAX step from which torchlike's recording may cost a tenth at most


@dataclass
class Measured:
    """By contender: seconds of the first step, one a process; of a warm step, one a round; and the losses."""

    first: dict[str, list[float]] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    losses: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def rows(setting, name):
    with tempfile.TemporaryDirectory() as folder:
        weights = save_weights(SPECS[name], Path(folder) / "weights.npz")
        measured = measure(setting, model=name, weights=weights)
    return [step_row(SPECS[name], measured), first_row(SPECS[name], measured), agreement_row(SPECS[name], measured)]


def save_weights(spec, file):
    """PyTorch's own initial weights for the model, for every contender to start from."""
    import torch

    from benchmarks import models_torch

    torch.manual_seed(0)
    np.savez(file, **{key: value.numpy() for key, value in models_torch.build(torch, spec).state_dict().items()})
    return str(file)


def measure(setting, **job):
    measured = Measured()
    with ExitStack() as open_rivals:
        rivals = {}
        for contender in ALL:
            try:
                rivals[contender] = open_rivals.enter_context(rival(setting, task="train", contender=contender, **job))
                begin(measured, contender, rivals[contender])
            except Failed as failure:
                measured.failures[contender] = str(failure)
                rivals.pop(contender, None)
        race(measured, rivals, setting.rounds)
    repeat_first_steps(measured, setting, job)
    return measured


def begin(measured, contender, ask):
    first, rest = ask("steps", 1), ask("steps", COMPARED - 1)
    measured.first[contender] = [first["seconds"]]
    measured.losses[contender] = first["losses"] + rest["losses"]


def race(measured, rivals, rounds):
    """Rounds of equally many steps, each contender first in turn: a slow spell of the machine meets all alike."""
    count = steps_in_a_round(rivals)
    for number in range(rounds + 1):
        start = number % len(rivals)
        for contender in [*rivals][start:] + [*rivals][:start]:
            seconds = rivals[contender]("steps", count)["seconds"]
            if number:  # the first round warms up
                measured.warm.setdefault(contender, []).append(seconds)


def steps_in_a_round(rivals):
    pace = rivals.get(TORCH) or next(iter(rivals.values()))
    return max(2, round(ROUND / pace("steps", 2)["seconds"]))


def repeat_first_steps(measured, setting, job):
    """More first steps, each in a fresh process with empty caches, of the two contenders that are compared by them."""
    for _ in range(setting.repeats - 1):
        for contender in {JAX, OURS} & measured.first.keys():
            with rival(setting, task="train", contender=contender, **job) as ask:
                measured.first[contender].append(ask("steps", 1)["seconds"])


def step_row(spec, measured):
    figures = {contender: 1e3 * median(rounds) for contender, rounds in measured.warm.items()}
    large = figures.get(JAX, 0) >= 1e3 * LARGE
    checks = over(figures, TORCH, spec.over_torch) + over(figures, JAX, 1.1 if large else None)
    return Row(f"{spec.title}: step", "ms", figures, checks, measured.failures)


def first_row(spec, measured):
    figures = {contender: median(samples) for contender, samples in measured.first.items()}
    return Row(f"{spec.title}: first step", "s", figures, over(figures, JAX, 1.3), measured.failures)


def agreement_row(spec, measured):
    right = np.array(measured.losses.get(TORCH, []))
    figures = {
        contender: float(np.max(np.abs(losses / right - 1)))
        for contender, losses in measured.losses.items()
        if contender != TORCH and len(right)
    }
    checks = [Check("relative difference", figures[OURS], 1e-4)] if OURS in figures else []
    return Row(f"{spec.title}: largest difference of {COMPARED} losses", "relative", figures, checks, measured.failures)
