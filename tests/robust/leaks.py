"""Leaks of many steps: memory, file descriptors, programs, tensors and other objects.

    python -m tests.robust.leaks recorded --steps 30000

After the first tenth of the steps, no count may grow, except for a few objects of other libraries. Memory may grow by
at most one percent.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import jax

import torchlike
from tests.robust.outcome import Difference, Outcome
from torchlike import nn
from torchlike.utils.data import DataLoader, TensorDataset

Step = Callable[[int], Any]
OURS = ("torchlike", "jax", "jaxlib")
SPARE = 60  # objects that may be added: caches of the standard library, dead references that were not yet removed
SHAPES = 17
FAILS_EVERY = 100
BATCHES = 300  # the number of batches of each data loader


@dataclass
class Sample:
    """The counts at one moment."""

    kilobytes: int
    descriptors: int
    threads: int
    programs: int
    arrays: int
    ours: int  # objects of torchlike's and JAX's classes
    objects: int

    def growth(self, later: Sample) -> Counter:
        """Return how much each count has grown."""
        return Counter({f.name: getattr(later, f.name) - getattr(self, f.name) for f in fields(self)})


def sample() -> tuple[Sample, Counter]:
    """Return the counts, and the number of objects of each class."""
    while gc.collect():  # finalizers create more garbage
        pass
    classes: Counter = Counter()
    for kind, count in Counter(map(type, gc.get_objects())).items():
        classes[f"{kind.__module__}.{kind.__qualname__}"] += count
    ours = sum(count for name, count in classes.items() if name.partition(".")[0] in OURS)
    programs = sum(len(program.variants) for program in torchlike.explain().programs)
    return Sample(
        _kilobytes(),
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        programs,
        len(jax.live_arrays()),
        ours,
        classes.total(),
    ), classes


def _kilobytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@dataclass
class Found:
    """The counts of one row of the table at two times, and the classes that have more objects at the second."""

    name: str
    steps: int
    before: Sample
    after: Sample
    classes: dict[str, int]

    def differences(self, memory: bool = True) -> list[str]:
        """Return descriptions of the counts that grew although they must not."""
        growth = self.before.growth(self.after)
        found = [
            f"{growth[name]} more {name}"
            for name in ("descriptors", "threads", "programs", "arrays", "ours")
            if growth[name] > 0
        ]
        if growth["objects"] > SPARE:
            found.append(f"{growth['objects']} more objects")
        if memory and growth["kilobytes"] > self.before.kilobytes / 100:
            found.append(f"{growth['kilobytes']} kB more of {self.before.kilobytes}")
        return found


def measure(name: str, steps: int, first: int | None = None) -> Found:
    """Run the steps of a row, and return the counts after the first steps and at the end.

    The number of first steps is `first`, or a tenth of all steps.
    """
    first = steps // 10 if first is None else first
    jax.live_arrays()  # initializes JAX
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step = ROWS[name]()
        for n in range(first):
            step(n)
        before, classes = sample()
        for n in range(first, steps):
            step(n)
        after, later = sample()
    more = {name: count for name, count in (later - classes).most_common(12) if count > 0}
    return Found(name, steps, before, after, more)


# --- the rows ---------------------------------------------------------------------------------------------------------


class _Model:
    def __init__(self) -> None:
        torchlike.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 2))
        self.optimizer = torchlike.optim.Adam(self.net.parameters(), lr=1e-3)
        self.scheduler = torchlike.optim.lr_scheduler.StepLR(self.optimizer, 1000)

    def step(self, x: Any) -> Any:
        self.optimizer.zero_grad()
        loss = self.net(x).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def _recorded() -> Step:
    model, x = _Model(), torchlike.ones(4, 6)

    def step(n: int) -> None:
        model.step(x + n % 3).item()
        model.scheduler.step()

    return step


def _compiled() -> Step:
    model, x = _Model(), torchlike.ones(4, 6)
    run = torchlike.compile(model.step)
    return lambda n: run(x + n % 3).item()


def _shapes() -> Step:
    model = _Model()
    return lambda n: model.step(torchlike.ones(2 + n % SHAPES, 6)).item()


def _compiled_shapes() -> Step:
    model = _Model()
    run = torchlike.compile(model.step, dynamic=False)
    return lambda n: run(torchlike.ones(2 + n % 5, 6)).item()


class _Raises(torchlike.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise KeyboardInterrupt


def _fail(n: int, x: Any, model: _Model) -> None:
    """Cause one of several failures."""
    w = torchlike.ones(6, requires_grad=True)
    kinds: tuple[Callable, ...] = (
        lambda: x @ torchlike.ones(3),
        lambda: torchlike.linalg.cholesky(-torchlike.eye(3)).sum().item(),
        lambda: _Raises.apply(x * w).sum().backward(),
        lambda: x[torchlike.tensor([99])].sum().item(),
        lambda: torchlike.vmap(lambda row: row @ torchlike.ones(3))(x),
        lambda: torchlike.compile(lambda y: y @ torchlike.ones(3))(x),
        lambda: model.net.load_state_dict({}),
        lambda: model.optimizer.step(lambda: x @ torchlike.ones(3)),
    )
    try:
        kinds[n % len(kinds)]()
    except (Exception, KeyboardInterrupt):
        return
    raise AssertionError(f"failure {n % len(kinds)} did not happen")


def _failing(every: int = FAILS_EVERY) -> Step:
    model, x = _Model(), torchlike.ones(4, 6)
    run = torchlike.compile(model.step)

    def step(n: int) -> None:
        (model.step if n % 2 else run)(x + n % 3).item()
        if n % every == every - 1:
            _fail(n // every, x + n % 3, model)

    return step


def _functions() -> Step:
    """Return a step with transforms, views and writes."""
    from torchlike._higher_order_ops import scan
    from torchlike.utils.checkpoint import checkpoint

    w = torchlike.ones(6, requires_grad=True)

    def step(n: int) -> None:
        x = torchlike.ones(4, 6) * (n % 5)
        x[1:3] += 1
        torchlike.vmap(lambda row: row * 2)(x.t()[::2]).sum().item()
        torchlike.func.grad(lambda v: (v * v).sum())(x).tolist()
        checkpoint(lambda v: (v * x).exp().sum() * 1e-9, w, use_reentrant=False).backward()
        scan(lambda c, y: (c + y, c * y), torchlike.zeros(6), x)[0].tolist()
        with torchlike.inference_mode():
            x.numpy()[0] = 3
            str(x)
        w.grad = None

    return step


def _loaders(workers: int) -> Step:
    """Return a step with a new data loader. Every third loader is abandoned before its end."""
    data = TensorDataset(torchlike.arange(4.0 * BATCHES).reshape(-1, 2))

    def step(n: int) -> None:
        loader = DataLoader(data, 2, shuffle=True, num_workers=workers)
        total = 0.0
        for i, (batch,) in enumerate(loader):
            total += batch[0, 0].item()
            if n % 3 == 0 and i == BATCHES // 2:
                break
        assert total > 0

    return step


ROWS: dict[str, Callable[[], Step]] = {
    "recorded": _recorded,
    "compiled": _compiled,
    "shapes": _shapes,
    "compiled shapes": _compiled_shapes,
    "failing": _failing,
    "failing often": lambda: _failing(8),
    "functions": _functions,
    "loaders": lambda: _loaders(0),
    "loaders with workers": lambda: _loaders(2),
}
FEW = {"failing often": 3_000, "functions": 3_000}  # the steps of rows whose programs are compiled at the first run
STEPS = dict.fromkeys(ROWS, 30_000) | FEW | {"loaders": 500, "loaders with workers": 500}


def alone(name: str, steps: int) -> Found:
    """Measure in a separate process, which has no leftovers of other rows."""
    command = [sys.executable, "-m", __name__, name, "--steps", str(steps)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return Found(**{**found, "before": Sample(**found["before"]), "after": Sample(**found["after"])})


def run(name: str, steps: int) -> Outcome:
    """Measure one row of the table."""
    found = alone(name, steps)
    memory = 100 * (found.after.kilobytes / found.before.kilobytes - 1)
    outcome = Outcome(f"{name}, {steps:,} steps: memory {memory:+.2f}%", trials=1)
    for difference in found.differences():
        outcome.add(name, Difference(difference, str(found.classes)))
    return outcome


def main() -> None:
    """Measure one row and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("row", choices=list(ROWS))
    parser.add_argument("--steps", type=int)
    given = parser.parse_args()
    with torchlike.set_executor("xla" if given.row in FEW else "auto"):
        found = measure(given.row, given.steps or STEPS[given.row])
    for difference in found.differences():
        print(difference, file=sys.stderr)
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
