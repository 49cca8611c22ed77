"""`python -m tests.robust`: run the long forms of the four harnesses and write docs/robust.md."""

from __future__ import annotations

import argparse
import platform
import random
import signal
from collections.abc import Callable, Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

from tests.robust import failing, leaks, threads, worker_kills
from tests.robust.interrupted_io import Loads, Saves
from tests.robust.interrupts import Trainer, Trials, forget_programs
from tests.robust.moments import Alarm, Killer, Moments, Points, heard_as_interrupts
from tests.robust.outcome import Outcome
from tests.robust.training import RECIPES

PAGE = Path(__file__).parents[2] / "docs" / "robust.md"
HEAD = """# Interrupts, threads, failures and leaks

Written by `python -m tests.robust`.

- *Interrupts*: a signal arrives at random moments of training loops, saves and loaders. It is SIGINT or a signal whose
  handler raises, sent after a random time or at a point where the interpreter checks for signals. Afterwards all state
  must be that of a whole number of steps, equal to PyTorch's, and the loop must continue with PyTorch's values.
- *Threads*: eight threads run in different modes. Each must get the results that it gets alone.
- *Failures*: statements that fail in PyTorch, each followed by ten unrelated statements. All must behave as in PyTorch.
- *Workers*: a process that trains with loaders, or one of its workers, is killed or interrupted at a random time. All
  processes must end, and no shared memory may be left.
- *Leaks*: the growth of memory and object counts between the first tenth of the steps and the end.
"""
ROUNDS, TURNS = 2_000, 20
EACH = 10  # trials for each part of a recipe's step, execution mode and kind of moment: 2,000 and more in total
COMPILED_ANEW = 2  # further trials, which begin without compiled programs


def interrupts(scale: float) -> Iterator[Outcome]:
    """Yield the outcomes of training steps, saves and loaders, for each kind of moment."""
    rng, kinds = random.Random(0), (Alarm, Killer, *[_points(n) for n in (signal.SIGINT, signal.SIGALRM)])
    for make in kinds:
        moments = make()
        with heard_as_interrupts():
            yield from _steps(moments, rng, scale)
            with Saves(moments) as saves:
                yield _many(saves, rng, int(100 * scale))
            for workers in (0, 2):
                yield _many(Loads(moments, workers), rng, int(100 * scale))
        moments.close()


def _points(number: signal.Signals) -> Callable[[], Moments]:
    return lambda: Points(number)


def _many(trials: Saves | Loads, rng: random.Random, count: int) -> Outcome:
    for _ in range(count):
        trials.run(rng.random())
    return trials.outcome


def _steps(moments: Moments, rng: random.Random, scale: float) -> Iterator[Outcome]:
    for compiled in (False, True):
        total = Outcome(f"{'compiled' if compiled else 'recorded'} steps, {moments.name}")
        for recipe in RECIPES:
            trials = Trials(recipe, compiled, moments, rng)
            parts = list(Trainer(recipe, compiled).windows())
            for part in parts:
                for _ in range(int(EACH * scale * (2 if part == "step" else 1))):
                    trials.run(part, rng.random())
            for _ in range(int(EACH * scale) // 4):
                trials.run_first(rng.random())
            if not isinstance(moments, Points):  # tracing a compile takes a minute
                for _ in range(int(COMPILED_ANEW * scale)):
                    forget_programs()
                    trials.run_first(rng.random())
            total.take(trials.outcome)
        yield total


def outcomes(given: argparse.Namespace) -> Iterator[tuple[str, Outcome]]:
    """Yield every outcome with the name of its harness."""
    if "threads" in given.only:
        yield "threads", threads.sessions(int(ROUNDS * given.scale), TURNS)
        yield "threads", threads.same_function(int(ROUNDS * given.scale))
        yield from (("threads", threads.waiting(capture)) for capture in threads.CAPTURES)
    if "failing" in given.only:
        yield from (("failures", failing.run(executor)) for executor in failing.EXECUTORS)
    if "leaks" in given.only:
        for name in leaks.ROWS:
            yield "leaks", leaks.run(name, int(leaks.STEPS[name] * given.scale))
    if "workers" in given.only:
        yield "workers", worker_kills.run(int(300 * given.scale))
    if "interrupts" in given.only:
        yield from (("interrupts", outcome) for outcome in interrupts(given.scale))


def page(rows: list[tuple[str, Outcome]], scale: float) -> str:
    """Return the page with the table of a run."""
    facts = {
        "date": date.today(),
        "processor": processor(),
        "Python": platform.python_version(),
        "PyTorch": version("torch"),
        "JAX": version("jax"),
        "scale": scale,
    }
    table = [["harness", "row", "trials", "differences", "kinds of differences"], ["---"] * 5]
    for harness, outcome in rows:
        kinds = "; ".join(f"{count} {_short(kind)}" for kind, count in outcome.kinds.most_common())
        table.append([harness, outcome.name, f"{outcome.trials:,}", f"{outcome.differences:,}", kinds])
    lines = [f"| {' | '.join(map(str, row))} |" for row in [list(facts), ["---"] * len(facts), list(facts.values())]]
    return "\n".join([HEAD, *lines, "", *[f"| {' | '.join(row)} |" for row in table]]) + "\n"


def _short(kind: str) -> str:
    return kind.replace("|", "/").replace("\n", " ")[:70]


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{named[0]}, {len(named)} cores" if named else platform.processor()


def main() -> None:
    """Parse the command line, run the harnesses and print a summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.robust", description=__doc__)
    every = ["interrupts", "threads", "failing", "leaks", "workers"]
    parser.add_argument("--only", nargs="+", choices=every, default=every)
    parser.add_argument("--scale", type=float, default=1.0, help="the part of the trials that is run")
    parser.add_argument("--write", action="store_true", help="write the table though it is not whole")
    given = parser.parse_args()
    rows, writes = [], given.write or (given.only == every and given.scale >= 1)
    for harness, outcome in outcomes(given):
        print(f"{harness}: {outcome.report()}", flush=True)
        rows.append((harness, outcome))
        if writes:
            PAGE.write_text(page(rows, given.scale))
    raise SystemExit(any(outcome.differences for _, outcome in rows))


if __name__ == "__main__":
    main()
