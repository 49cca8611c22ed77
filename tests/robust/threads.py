"""Threads in different modes: no mode affects another thread, no global state stays changed, and none deadlocks."""

from __future__ import annotations

import faulthandler
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torchlike
from tests.robust.modes import JUDGED, Facts, Mode, modes
from tests.robust.outcome import Difference, Outcome

THREADS = 8
COUNTERS = re.compile(r"[._](compiles|seconds|from_disk|count|latest)$")  # these may change
PATIENCE = 120.0  # seconds without a finished round before the threads count as deadlocked


class Crowd:
    """Threads that each run a mode many times, and compare its results with those of a single thread."""

    def __init__(self, works: list[tuple[str, Mode, Facts]], rounds: int, outcome: Outcome) -> None:
        self.rounds, self.outcome = rounds, outcome
        self._lock = threading.Lock()
        self._gate = threading.Barrier(len(works))
        self._moved = time.monotonic()
        self._threads = [threading.Thread(target=self._work, args=work, daemon=True) for work in works]

    def run(self) -> None:
        """Start the threads, and wait until all have ended or none makes progress."""
        for thread in self._threads:
            thread.start()
        while any(thread.is_alive() for thread in self._threads):
            for thread in self._threads:
                thread.join(0.2)
            if time.monotonic() - self._moved > PATIENCE:
                faulthandler.dump_traceback(all_threads=True)
                self.outcome.add("a crowd", Difference("a deadlock"))
                return

    def _work(self, name: str, mode: Mode, wanted: Facts) -> None:
        self._gate.wait()
        for n in range(self.rounds):
            error: BaseException | None = None
            try:
                found = mode(torchlike)
                if found != wanted:
                    error = Difference(f"{name}: other facts", f"round {n}: {_first(found, wanted)}")
            except BaseException as raised:
                error = raised
            self._moved = time.monotonic()
            with self._lock:
                self.outcome.trials += 1
                if error is not None:
                    self.outcome.add(f"{name}, round {n}", error)


def _first(found: Facts, wanted: Facts) -> str:
    different = [f"{a} for {b}" for a, b in zip(found, wanted) if a != b]
    return different[0] if different else f"{len(found)} facts for {len(wanted)}"


def sessions(rounds: int, turns: int) -> Outcome:
    """Run eight threads `turns` times. Each runs its share of `rounds` in one mode, which changes every turn."""
    outcome = Outcome(f"{THREADS} threads")
    with fast_switching():
        works = known(modes())
        patched = Patches()
        for turn in range(turns):
            chosen = [works[(turn + place * (1 + turn // len(works))) % len(works)] for place in range(THREADS)]
            Crowd(chosen, rounds // turns, outcome).run()
    for name in patched.found():
        outcome.add(name, Difference("another function, class attribute or global", name))
    return outcome


def known(chosen: list[Mode]) -> list[tuple[str, Mode, Facts]]:
    """Return each mode with its result in a single thread, after checking that it is reproducible."""
    found = []
    for mode in chosen:
        name = mode.__name__.strip("_")
        facts = mode(_judge()) if mode in JUDGED else mode(torchlike)
        for _ in range(4):  # includes runs by the other executor
            assert mode(torchlike) == facts, f"{name} alone: {_first(mode(torchlike), facts)}"
        found.append((name, mode, facts))
    return found


def _judge() -> Any:
    import torch

    return torch


def same_function(rounds: int) -> Outcome:
    """Run one compiled function, which counts its calls, in two threads."""
    outcome = Outcome("two threads in one compiled function")
    count = torchlike.zeros(3)

    @torchlike.compile(fullgraph=True)
    def advance(by: Any) -> Any:
        count.add_(by)
        return by * 2

    def mode(torch: Any) -> Facts:
        return advance(torchlike.ones(3)).tolist()

    wanted = mode(torchlike)
    with fast_switching():
        Crowd([("compiled", mode, wanted)] * 2, rounds, outcome).run()
    if count.tolist() != [2.0 * rounds + 1] * 3:
        outcome.add("the count", Difference("calls that were lost", f"{count.tolist()} after {2 * rounds + 1}"))
    return outcome


def waiting(wrap: str) -> Outcome:
    """Capture a function that waits for another thread, which records operators and reads their results."""
    outcome = Outcome(f"{wrap} that waits for another thread", trials=1)
    asked, answered, found = threading.Event(), threading.Event(), []

    def other() -> None:
        asked.wait()
        found.append((torchlike.ones(3) * 2 + 1).sum().item())
        answered.set()

    def wait(x: Any) -> Any:
        asked.set()
        if not answered.wait(3.0):
            found.append("nothing: it would wait for ever")
        return x + 1

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    result = _CAPTURES[wrap](wait)
    thread.join(10.0)
    if found != [9.0] or result != [2.0, 2.0]:
        outcome.add(wrap, Difference("a deadlock", f"found {found}, returned {result}"))
    return outcome


def _scanned(wait: Callable) -> list:
    from torchlike._higher_order_ops import scan

    return scan(lambda c, x: (wait(c), x * 2), torchlike.ones(2), torchlike.ones(1, 2))[0].tolist()


def _chosen(wait: Callable) -> list:
    from torchlike._higher_order_ops import cond

    return cond(torchlike.tensor(True), wait, lambda v: v - 1, (torchlike.ones(2),)).tolist()


def _checkpointed(wait: Callable) -> list:
    from torchlike.utils.checkpoint import checkpoint

    return checkpoint(wait, torchlike.ones(2, requires_grad=True), use_reentrant=False).tolist()


def _in_backward(wait: Callable) -> list:
    x = torchlike.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(wait)
    y.sum().backward()
    return x.grad.tolist()  # pyright: ignore[reportOptionalMemberAccess]


_CAPTURES: dict[str, Callable] = {
    "compile": lambda wait: torchlike.compile(wait)(torchlike.ones(2)).tolist(),
    "scan": _scanned,
    "cond": _chosen,
    "vmap": lambda wait: torchlike.vmap(wait)(torchlike.ones(2)).tolist(),
    "func.jvp": lambda wait: torchlike.func.jvp(wait, (torchlike.ones(2),), (torchlike.ones(2),))[0].tolist(),
    "checkpoint": _checkpointed,
    "a hook": _in_backward,
}
CAPTURES = tuple(_CAPTURES)


@contextmanager
def fast_switching() -> Iterator[None]:
    """Switch between threads often and at many points.

    Warnings are disabled for all threads, because warning filters are global.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.setswitchinterval(before)


class Patches:
    """A snapshot of every function, class attribute and global of the package, compared by identity."""

    def __init__(self) -> None:
        self._before = _names()

    def found(self) -> list[str]:
        """Return the names whose values have changed."""
        now = _names()
        return [
            name
            for name, value in self._before.items()
            if now.get(name, self) is not value and not COUNTERS.search(name)
        ]


def _names() -> dict[str, Any]:
    package, found = torchlike.__name__, {}
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.partition(".")[0] != package:
            continue
        for name, value in list(vars(module).items()):
            found[f"{module_name}.{name}"] = value
            if isinstance(value, type) and value.__module__.partition(".")[0] == package:
                found.update({f"{module_name}.{name}.{key}": held for key, held in list(vars(value).items())})
    return found
