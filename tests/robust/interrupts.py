"""Interrupts (SIGINT) in training loops.

After an interrupt, parameters and optimizer state equal PyTorch's after k whole steps. Each buffer, average and
gradient equals PyTorch's before or after one of its own updates. The writes of a compiled step are atomic, except in
its first call, which is captured while it runs and behaves like a recorded step. When the loop continues from that
state, its values are PyTorch's.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import torchlike
from tests.robust.moments import Moments
from tests.robust.outcome import Difference, Outcome
from tests.robust.training import DECAY, MOMENTUM, STEPS, Known, Loop, Recipe, State, known
from torchlike._dtypes.recorder import current
from torchlike._engine.trace import interrupts
from torchlike._engine.trace.trace import lock

ARMED = 3  # the number of steps that an interrupt may hit
AFTER = 2  # the number of undisturbed steps that are compared afterwards
BETWEEN = 1  # the number of undisturbed steps before the next interrupt


def _same(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is not None and b is not None and np.allclose(a, b, rtol=1e-8, atol=1e-10)


def _all_same(found: State, wanted: State) -> bool:
    return found.keys() == wanted.keys() and all(_same(found[name], wanted[name]) for name in wanted)


def forget_programs() -> None:
    """Clear the program cache, so that the next call of each program compiles it."""
    run = importlib.import_module("torchlike._engine.trace.flush")
    run.forget_programs()


def check_modes() -> None:
    """Raise an error if a mode, a lock or a blocked signal is left behind."""
    if not torchlike.is_grad_enabled() or current().modes:
        torchlike.set_grad_enabled(True)
        raise Difference("a mode is left behind")
    if lock._is_owned():  # type: ignore[attr-defined]
        lock.release()
        raise Difference("the engine's lock is left behind")
    if interrupts._Held.depth:
        raise Difference("signals are held back")


def _compile(step: Callable) -> Callable:
    return torchlike.compile(step, fullgraph=True)


@dataclass
class Trainer:
    """A training loop under torchlike, with the states that PyTorch has after each step."""

    recipe: Recipe
    compiled: bool

    def __post_init__(self) -> None:
        self.loop = Loop(torchlike, self.recipe, _compile if self.compiled else lambda step: step)
        self.known: Known = known(self.recipe)

    def has_room(self) -> bool:
        """Return whether the states of another trial's steps are known."""
        return self.loop.done + ARMED + AFTER + BETWEEN < STEPS

    def follows(self) -> bool:
        """Return whether repeating a step would apply an update of buffers or averages twice."""
        return self.recipe.normalizes or self.recipe.averages

    def advance(self, steps: int) -> None:
        """Run whole steps."""
        for _ in range(steps):
            self.loop.advance()

    # --- the interrupted parts of a step ------------------------------------------------------------------------------

    def windows(self) -> dict[str, Callable[[], Any]]:
        """Return the parts of a step that can be interrupted separately."""
        found: dict[str, Callable[[], Any]] = {"step": lambda: self.advance(ARMED)}
        if not self.compiled:
            batch = self.loop.batches[self.loop.done]
            found["backward"] = lambda: self.loop.parts.backward(*batch)
            found["optimizer.step"] = self.loop.parts.update
            if self.recipe.averages:
                found["average"] = self.loop.parts.average
        if self.recipe.scheduled:
            found["scheduler.step"] = self.loop.scheduler.step  # pyright: ignore[reportOptionalMemberAccess]
        return found

    def lead_to(self, window: str) -> None:
        """Run the parts of a step that come before this one."""
        if window in ("step", "backward"):
            return
        loop, batch = self.loop, self.loop.batches[self.loop.done]
        if self.compiled:
            loop.step(*batch)
            return
        for name, work in (
            ("optimizer.step", lambda: loop.parts.backward(*batch)),
            ("average", loop.parts.update),
            ("scheduler.step", loop.parts.average),
        ):
            work()
            if name == window:
                return

    def resume(self, place: int) -> None:
        """Continue from step `place`, and run the scheduler's step if it is due.

        This is what a user would do after an interrupt.
        """
        self.loop.done = place
        if self.loop.scheduler is not None and self.loop.rates() != self.known.rates[place]:
            self.loop.scheduler.step()

    # --- the state ----------------------------------------------------------------------------------------------------

    def check(self, looks: bool, whole: bool) -> int:
        """Compare the whole state, and return the number of steps that the parameters correspond to.

        Args:
          looks: Also compare the optimizer's state. The optimizer must gather it again after it was read.
          whole: True if no step was interrupted since the last check, or if steps are atomic.
        """
        place = self._place(looks)
        between = not whole
        k = self.loop.done
        self._check(self.loop.statistics(), self._statistics(k, place, between), "buffer between two updates")
        moving = [self.known.moving[place]] if not between else self.known.moving[k : place + 1]
        self._check(self.loop.moving(), moving, "average between two updates")
        self._check_gradients(place, between)
        self._check_rates(place)
        return place

    def _place(self, looks: bool) -> int:
        loop, places = self.loop, (self.loop.done, self.loop.done + 1)
        found = (
            loop.moved_together()
            if looks
            else {f"parameter {n}": np.array(p.detach().numpy()) for n, p in loop.model.named_parameters()}
        )
        for place in places:
            wanted = self.known.together[place]
            if place == 0:  # state that was created but not used yet
                made = {name: a for name, a in found.items() if name not in wanted}
                if not any(a.any() for a in made.values()):
                    wanted = {**wanted, **made}
            if not looks:
                wanted = {name: a for name, a in wanted.items() if name in found}
            if _all_same(found, wanted):
                return place
        raise Difference(
            "an optimizer's step in parts" if self._are_mixed(found, places) else "values that never were",
            self._each(found, [self.known.together[p] for p in places]),
        )

    def _are_mixed(self, found: State, places: Iterable[int]) -> bool:
        wanted = [self.known.together[p] for p in places]
        return all(any(_same(found[n], w.get(n)) for w in wanted) for n in found)

    def _statistics(self, k: int, place: int, between: bool) -> list[State]:
        if place == STEPS:
            return [self.known.statistics[-1][-1]]
        return self.known.statistics[k] if between and place == k else [self.known.statistics[place][0]]

    def _check_gradients(self, place: int, between: bool) -> None:
        before = self.known.gradients[place - 1][-1] if place else {}
        now = self.known.gradients[place] if between and place < STEPS else []
        for name, found in self.loop.gradients().items():
            if not any(_same(found, g.get(name)) for g in (before, *now)):
                raise Difference("gradient between two updates", f"{name} at {place}: {found}")
        if not between and place and self.loop.gradients().keys() != before.keys():
            raise Difference("gradients are missing", f"at {place}")

    def _check(self, found: State, wanted: list[State], kind: str) -> None:
        for name, array in found.items():
            if not any(_same(array, state[name]) for state in wanted):
                raise Difference(kind, f"{name}: {self._each(found, wanted)}")

    def _each(self, found: State, wanted: list[State]) -> str:
        return ", ".join(f"{name}: {[_same(a, w.get(name)) for w in wanted]}" for name, a in found.items())

    def _check_rates(self, place: int) -> None:
        k, rates = self.loop.done, self.loop.rates()
        if rates not in self.known.rates[k : place + 1]:
            raise Difference("a scheduler's step in parts", f"{rates}, not one of {self.known.rates[k : place + 1]}")

    def check_and_go_on(self, looks: bool, whole: bool) -> None:
        """Compare the whole state, and run some more steps."""
        place = self.check(looks, whole)
        self.resume(place)
        self.check_after(place, AFTER)

    def check_after(self, place: int, steps: int) -> None:
        """Run whole steps from `place`, starting from any values of the buffers and averages."""
        parts, loop = self.recipe.parts, self.loop
        for k in range(place, place + steps):
            statistics, moving = loop.statistics(), loop.moving()
            loop.advance()
            self._check_together(k + 1)
            self._check_step(
                statistics,
                loop.statistics(),
                self.known.statistics[k][0],
                self.known.statistics[k][-1],
                (1 - MOMENTUM) ** parts,
            )
            self._check_step(moving, loop.moving(), self.known.moving[k], self.known.moving[k + 1], DECAY)
            if self.known.rates[k + 1] != loop.rates():
                raise Difference("rates after it", f"{loop.rates()}, not {self.known.rates[k + 1]}")

    def _check_together(self, place: int) -> None:
        wanted = self.known.together[place]
        for name, p in self.loop.model.named_parameters():
            if not _same(p.detach().numpy(), wanted[f"parameter {name}"]):
                raise Difference("values after it", f"{name} after {place} steps")

    def _check_step(self, before: State, after: State, old: State, new: State, decay: float) -> None:
        """Check an update `x -> decay x + c`, whose c is known from PyTorch."""
        for name in before:
            kept = 1.0 if name.endswith("num_batches_tracked") else decay
            if not _same(after[name], kept * before[name] + new[name] - kept * old[name]):
                raise Difference("buffers and averages after it", name)


def trial(trainer: Trainer, moments: Moments, window: str, fraction: float, looks: bool) -> bool:
    """Interrupt one part of a step, check the state, and continue. Return whether the interrupt was raised."""
    trainer.lead_to(window)
    heard = moments.cut_short((trainer.recipe, trainer.compiled, window), trainer.windows()[window], fraction)
    check_modes()
    trainer.check_and_go_on(looks, whole=trainer.compiled or (window == "step" and not heard))
    return heard


class Trials:
    """Trials of one recipe. They share a loop as long as the states of its steps are known."""

    def __init__(self, recipe: Recipe, compiled: bool, moments: Moments, rng: random.Random) -> None:
        self.recipe, self.compiled, self.moments, self.rng = recipe, compiled, moments, rng
        self.trainer: Trainer | None = None
        self.outcome = Outcome(f"{recipe.name}, {'compiled' if compiled else 'recorded'}, {moments.name}")

    def run(self, window: str, fraction: float) -> None:
        """Run one trial.

        A new loop begins after a trial that fails, that reads the whole state, or that repeats a step.
        """
        looks = self.rng.random() < 0.25
        self.outcome.trials += 1
        try:
            trainer = self._ready(window)
            heard = trial(trainer, self.moments, window, fraction, looks)
            self.outcome.heard += heard
            looks = looks or ((heard or window != "step") and not self.compiled and trainer.follows())
        except Exception as error:
            self.outcome.add(f"{self.outcome.name}: {window} at {fraction}", error)
            looks = True
        if looks:
            self.trainer = None

    def run_first(self, fraction: float) -> None:
        """Run a trial that interrupts the first call."""
        name = self.named("first")
        if not self.moments.knows(name):
            self.moments.measure(name, Trainer(self.recipe, self.compiled).loop.advance)
        self.trainer, self.outcome.trials = Trainer(self.recipe, self.compiled), self.outcome.trials + 1
        try:
            self.outcome.heard += self.moments.cut_short(name, self.trainer.loop.advance, fraction)
            check_modes()
            self.trainer.check_and_go_on(False, whole=False)
        except Exception as error:
            self.outcome.add(f"{self.outcome.name}: first call at {fraction}", error)
            self.trainer = None

    def _ready(self, window: str) -> Trainer:
        """Return a loop that has run some steps and has measured the duration of the window."""
        if self.trainer is None or not self.trainer.has_room():
            self.trainer = Trainer(self.recipe, self.compiled)
            self.trainer.advance(3)
        self.trainer.advance(BETWEEN)
        if not self.moments.knows(self.named(window)):
            self.measure(window)
        return self.trainer

    def named(self, window: str) -> tuple:
        """Return the key under which the duration of this part of a step is stored."""
        return self.recipe, self.compiled, window

    def measure(self, window: str) -> None:
        """Measure the duration of this part of a step."""
        for _ in range(2):  # the first time takes longer
            other = Trainer(self.recipe, self.compiled)
            other.advance(5)
            other.lead_to(window)
            work = other.loop.advance if window == "step" else other.windows()[window]
            self.moments.measure(self.named(window), work)
