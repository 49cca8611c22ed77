"""Find the source lines at which an interrupt causes errors.

    python -m tests.robust.places AdamW recorded optimizer.step

The program runs one part of a step again and again, and interrupts it at each point where the interpreter checks for
signals. It prints the lines at which the interrupt led to an incorrect state.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections import Counter
from pathlib import Path

from tests.robust.interrupts import Trials
from tests.robust.moments import Points, heard_as_interrupts
from tests.robust.training import RECIPES, Recipe


class _Naming(Points):
    """`Points` that also record the source lines of the last interrupt."""

    where = ""

    def _pass(self) -> None:
        if self._count == self._target:
            self.where = _lines(sys._getframe(2), 3)
        super()._pass()


def _lines(frame, most: int) -> str:
    found = []
    while frame is not None and len(found) < most:
        found.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back
    return " < ".join(found)


def harmful(recipe: Recipe, compiled: bool, window: str, number: signal.Signals) -> tuple[int, Counter]:
    """Return the number of points, and how often an interrupt at each line caused each kind of difference."""
    moments, found = _Naming(number), Counter()
    with heard_as_interrupts():
        trials = Trials(recipe, compiled, moments, random.Random(0))
        trials.measure(window)
        count = int(moments.length(trials.named(window)))
        for n in range(count):
            before = Counter(trials.outcome.kinds)
            trials.run(window, (n + 0.5) / count)
            found.update((kind, moments.where) for kind in trials.outcome.kinds - before)
    return count, found


def main() -> None:
    """Parse the command line, and print the kinds of differences with the lines that cause them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", choices=[recipe.name for recipe in RECIPES])
    parser.add_argument("mode", choices=["recorded", "compiled"])
    parser.add_argument("part", help="step, backward, optimizer.step, average or scheduler.step")
    parser.add_argument("--signal", choices=["SIGINT", "SIGALRM"], default="SIGALRM")
    given = parser.parse_args()
    recipe = next(recipe for recipe in RECIPES if recipe.name == given.recipe)
    count, found = harmful(recipe, given.mode == "compiled", given.part, signal.Signals[given.signal])
    for (kind, where), times in sorted(found.items()):
        print(f"{times:4} {kind[:60]:60} {where}")
    print(f"{found.total()} of {count} places")


if __name__ == "__main__":
    main()
