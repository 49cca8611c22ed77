"""Benchmarks of training: the time of a warm step, the time of the first steps, and the agreement of the losses."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.contenders import ALL, COMPILE, JAX, OURS, TORCH, WHOLE
from benchmarks.models import SPECS
from benchmarks.rival import Failed, rival
from benchmarks.rows import Check, Row, over

COMPARED = 20  # steps whose losses are compared
ROUND = 0.4  # PyTorch's seconds in one round
SHORT = 5e-3  # if PyTorch's step is shorter (seconds), run three times as many rounds: a disturbance spans many steps
LARGE = 5e-3  # above this step time of hand-written JAX (seconds), torchlike's recording may cost at most a tenth


@dataclass
class Measured:
    """The measurements of each contender.

    `first` and `second` are the seconds of the first two steps (one number per process), `warm` the seconds of a warm
    step (one number per round), and `peak` the peak memory of a step's program in bytes. `failures` are the reasons why
    contenders have no measurements.
    """

    first: dict[str, list[float]] = field(default_factory=dict)
    second: dict[str, list[float]] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    losses: dict[str, list[float]] = field(default_factory=dict)
    peak: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def rows(setting, name):
    with tempfile.TemporaryDirectory() as folder:
        weights = save_weights(SPECS[name], Path(folder) / "weights.npz")
        measured = measure(setting, model=name, weights=weights)
    spec = SPECS[name]
    return [
        step_row(spec, measured),
        first_row(spec, measured),
        both_row(spec, measured),
        memory_row(spec, measured),
        agreement_row(spec, measured),
    ]


def save_weights(spec, file):
    """Save PyTorch's initial weights of the model, from which every contender starts."""
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
        for contender in {JAX, WHOLE} & rivals.keys():
            measured.peak[contender] = rivals[contender]("peak")
    repeat_first_steps(measured, setting, job)
    return measured


def begin(measured, contender, ask):
    first, second, rest = ask("steps", 1), ask("steps", 1), ask("steps", COMPARED - 2)
    measured.first[contender], measured.second[contender] = [first["seconds"]], [second["seconds"]]
    measured.losses[contender] = first["losses"] + second["losses"] + rest["losses"]


def race(measured, rivals, rounds):
    """Run rounds of equally many steps.

    Each contender in turn goes first, so that a slow phase of the machine affects all contenders equally.
    """
    count = steps_in_a_round(rivals)
    for number in range(1 + rounds * (3 if count > ROUND / SHORT else 1)):
        start = number % len(rivals)
        for contender in [*rivals][start:] + [*rivals][:start]:
            seconds = rivals[contender]("steps", count)["seconds"]
            if number:  # the first round is a warm-up
                measured.warm.setdefault(contender, []).append(seconds)


def steps_in_a_round(rivals):
    pace = rivals.get(TORCH) or next(iter(rivals.values()))
    return max(2, round(ROUND / pace("steps", 2)["seconds"]))


def repeat_first_steps(measured, setting, job):
    """Measure further first steps of the compared contenders, each in a new process with empty caches."""
    for _ in range(setting.repeats - 1):
        for contender in {JAX, OURS, WHOLE} & measured.first.keys():
            with rival(setting, task="train", contender=contender, **job) as ask:
                measured.first[contender].append(ask("steps", 1)["seconds"])
                measured.second[contender].append(ask("steps", 1)["seconds"])


def step_row(spec, measured):
    figures = {contender: 1e3 * median(rounds) for contender, rounds in measured.warm.items()}
    large = figures.get(JAX, 0) >= 1e3 * LARGE
    checks = over(figures, TORCH, spec.over_torch) + over(figures, JAX, 1.1 if large else None)
    checks += over(figures, JAX, 1.05, WHOLE) + over(figures, COMPILE, None, WHOLE)
    return Row(f"{spec.title}: step", "ms", figures, checks, measured.failures)


def first_row(spec, measured):
    figures = {contender: median(samples) for contender, samples in measured.first.items()}
    checks = over(figures, JAX, 1.3) + over(figures, JAX, 1.25, WHOLE) + over(figures, COMPILE, 0.35, WHOLE)
    return Row(f"{spec.title}: first step", "s", figures, checks, measured.failures)


def both_row(spec, measured):
    """Return the row of the first two steps together, because the recorded loop compiles its update in the second."""
    figures = {
        contender: median(map(sum, zip(samples, measured.second[contender], strict=True)))
        for contender, samples in measured.first.items()
    }
    checks = over(figures, JAX) + over(figures, JAX, None, WHOLE)
    return Row(f"{spec.title}: first two steps together", "s", figures, checks, measured.failures)


def memory_row(spec, measured):
    figures = {contender: peak / 2**20 for contender, peak in measured.peak.items()}
    title = f"{spec.title}: peak memory of the step's program, by XLA's count"
    return Row(title, "MiB", figures, over(figures, JAX, 1.05, WHOLE))


def summary(rows):
    """Return the row that summarizes the ratio of compiled steps to PyTorch's over all models."""
    steps = [row.figures for row in rows if row.title.endswith(": step")]
    ratios = [figures[WHOLE] / figures[COMPILE] for figures in steps if {WHOLE, COMPILE} <= figures.keys()]
    if not ratios:
        return []
    check = Check(f"{WHOLE} over {COMPILE}", median(ratios), 0.85)
    return [Row(f"compiled steps of {len(ratios)} models, median ratio", "", {}, [check])]


def agreement_row(spec, measured):
    right = np.array(measured.losses.get(TORCH, []))
    figures = {
        contender: float(np.max(np.abs(losses / right - 1)))
        for contender, losses in measured.losses.items()
        if contender != TORCH and len(right)
    }
    checks = [Check(f"relative difference, {name}", figures[name], 1e-4) for name in (OURS, WHOLE) if name in figures]
    return Row(f"{spec.title}: largest difference of {COMPARED} losses", "relative", figures, checks, measured.failures)
