"""Program statistics. A run of a cached program only increments a counter; all other data is written on a miss."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields
from time import perf_counter
from typing import NamedTuple
from weakref import WeakValueDictionary

import jax

from torchlike._dtypes.devices import device as Device
from torchlike._engine.trace.plan import FLAT, Plan
from torchlike._engine.trace.trace import Trace, lock, operators
from torchlike._errors.callers import Place

MOST_ACCOUNTS = 10_000  # the statistics of the oldest programs beyond this number are folded into one sum
AT_ONCE = 2  # the number of different training graphs of one source line that are compiled at their first run
Shapes = dict[int, tuple[int, ...]]  # input -> shape


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The statistics of one program, of several programs, or of all."""

    hits: int = 0  # runs of a cached program
    misses: int = 0  # runs that had to build their program first
    compiles: int = 0
    from_disk: int = 0  # the compiles that were loaded from the disk cache
    compile_seconds: float = 0.0
    interpreter_runs: int = 0  # runs by NumPy
    donated_bytes: int = 0  # bytes of donated inputs, summed over all runs

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in COUNTED})

    def __sub__(self, other: Counts) -> Counts:
        return Counts(**{name: getattr(self, name) - getattr(other, name) for name in COUNTED})

    @property
    def runs(self) -> int:
        """The number of all runs."""
        return self.hits + self.misses


COUNTED = tuple(field.name for field in fields(Counts))


class State(NamedTuple):
    """The numbers of an account at one moment."""

    executor: str
    runs: int
    interpreted: int
    compiles: int
    from_disk: int
    compile_seconds: float
    donated: int

    def counts(self) -> Counts:
        """Return the counts at this moment."""
        by_numpy = self.runs if self.executor == "numpy" else self.interpreted
        return Counts(
            hits=max(self.runs - 1, 0),
            misses=min(self.runs, 1),
            compiles=self.compiles,
            from_disk=self.from_disk,
            compile_seconds=self.compile_seconds,
            interpreter_runs=by_numpy,
            donated_bytes=self.donated * (self.runs - by_numpy),
        )


class Line:
    """A line of the user's code that runs programs."""

    __slots__ = ("latest", "replaced", "variants", "warned")

    def __init__(self) -> None:
        self.variants = 0  # the number of different training graphs that this line ran
        self.replaced = 0  # the number of its programs that were interpreted at first and compiled later
        self.latest: Account | None = None  # the statistics of the program that was interpreted last
        self.warned = False  # whether the warning about its changing shapes was given


class Group:
    """All programs that differ only in shapes or static arguments.

    They have the same sequence of operators, input dtypes, results, device and source line.
    """

    __slots__ = (
        "__weakref__",
        "base",
        "device",
        "enters",
        "latest",
        "line",
        "made",
        "operators",
        "place",
        "programs",
        "seconds",
        "trains",
    )

    def __init__(self, device: Device, trace: Trace, place: Place, line: Line) -> None:
        entries = list(operators(trace.code))
        self.device, self.place, self.line = device, place, line
        self.operators = tuple([plan.name.lstrip("_") for plan, _ in entries])
        self.base = [tuple(a.shape) for a in trace.arrays]
        self.enters = _enters(entries, len(trace.arrays))
        self.trains = any(plan.executor == FLAT for plan, _ in entries)
        line.variants += self.trains
        self.programs = 0
        self.latest: Account | None = None  # the statistics of the program whose compile takes long that ran last
        self.made: list[Shapes] = []  # the distinct shapes of compiled or training programs, until the line's warning
        self.seconds = 0.0  # the time of their compiles

    def shapes(self, differences: Shapes, index: int) -> tuple[int, ...]:
        """Return the shape of an input. `differences` are the shapes that differ from those of the first program."""
        return differences.get(index, self.base[index])


def _enters(entries: list[tuple[Plan, Sequence[int]]], inputs: int) -> list[str]:
    """Return, for each input of a trace, a description of the first operator that reads it and of the argument."""
    found = [""] * inputs
    for plan, slots in entries:
        for position, slot in enumerate(slots):
            if slot < 0 and not found[~slot]:
                found[~slot] = f"{plan.argument(position)} of {plan.name.lstrip('_')}"
    return found


class Account:
    """The statistics of one program, which is one entry of the program cache."""

    __slots__ = (
        "__weakref__",
        "at_once",
        "compile_seconds",
        "compiles",
        "donated",
        "executor",
        "from_disk",
        "group",
        "interpreted",
        "is_first",
        "runs",
        "shapes",
    )

    def __init__(self, group: Group, shapes: Shapes) -> None:
        self.group, self.shapes = group, shapes
        group.programs += 1
        self.is_first = group.programs == 1
        # A training program that is not small is compiled at its first run if it is the first of its group and its line
        # has run few different graphs.
        self.at_once = self.is_first and group.line.variants <= AT_ONCE
        self.executor = ""
        self.runs = 0
        self.interpreted = 0  # the runs before it was compiled
        self.compiles = self.from_disk = 0
        self.compile_seconds = 0.0
        self.donated = 0  # donated bytes in each compiled run

    def came_again(self) -> bool:
        """Record an interpreted run. Return whether the previous interpreted run of this line ran the same program."""
        line = self.group.line
        before, line.latest = line.latest, self
        return before is self

    def has_same_shapes(self) -> bool:
        """Record a run. Return whether the previous recorded run of this group had the same shapes."""
        before, self.group.latest = self.group.latest, self
        return before is self

    def state(self) -> State:
        """Return the numbers behind `counts`. Reading them takes little time."""
        return State(
            self.executor,
            self.runs,
            self.interpreted,
            self.compiles,
            self.from_disk,
            self.compile_seconds,
            self.donated,
        )

    def counts(self) -> Counts:
        """Return the counts so far."""
        return self.state().counts()


class Ledger:
    """The statistics of all programs of this process, oldest first."""

    def __init__(self) -> None:
        self.accounts: dict[Account, None] = {}
        self.folded = Counts()  # the sum of the counts of the oldest programs, whose statistics were removed
        self.groups: WeakValueDictionary[tuple, Group] = WeakValueDictionary()
        self.lines: dict[tuple[Device, Place], Line] = {}

    def open(self, device: Device, trace: Trace, live: tuple[int, ...], place: Place) -> Account:
        """Create, store and return the statistics of a program that is about to be built."""
        names = tuple([x if x.__class__ is int else x.name for x in trace.code])
        key = (device, place, live, names, tuple([a.dtype for a in trace.arrays]))
        group = self.groups.get(key)
        if group is None:
            line = self.lines.setdefault((device, place), Line())
            group = self.groups[key] = Group(device, trace, place, line)
        differences = {i: tuple(a.shape) for i, a in enumerate(trace.arrays) if a.shape != group.base[i]}
        account = Account(group, differences)
        self.accounts[account] = None
        if len(self.accounts) > MOST_ACCOUNTS:
            oldest = next(iter(self.accounts))
            self.folded += oldest.counts()
            del self.accounts[oldest]
        return account

    def snapshot(self) -> tuple[dict[Account, State], Counts]:
        """Return the state of each program, and the sum for the programs whose statistics were folded into one."""
        with lock:
            return {account: account.state() for account in self.accounts}, self.folded


ledger = Ledger()


class Heard(threading.local):
    """Totals of JAX's compile events in a thread. They include compiles of single operators in interpreted programs."""

    compiles = from_disk = 0
    seconds = 0.0


heard = Heard()


class Making:
    """A compile event: the build and the first run of one program, with the duration and the number of compiles."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.by_numpy = self.hot = False
        self.background: float | None = None  # the seconds of a compile that ran in the background
        self._from_disk = 0
        self._heard = heard.compiles, heard.from_disk, heard.seconds
        self._started = perf_counter()

    def was_in_background(self, seconds: float, from_disk: int) -> None:
        """Record the duration of a compile in the background, and the number of programs that it loaded from disk."""
        self.background, self._from_disk = seconds, from_disk

    def is_built(self, by_numpy: bool, donated: int) -> None:
        """Record that the program is built. It has not run yet."""
        account, self.by_numpy = self.account, by_numpy
        if not by_numpy:
            account.compile_seconds += perf_counter() - self._started + (self.background or 0.0)
            account.interpreted, account.donated = account.runs, donated
        account.executor = "numpy" if by_numpy else "xla"

    def has_run(self, hot: bool) -> None:
        """Record that the program has run for the first time. `hot` means that it was interpreted before."""
        account, self.hot = self.account, hot
        account.group.line.replaced += hot
        compiles, from_disk, seconds = self._heard
        self.seconds = perf_counter() - self._started + (self.background or 0.0)
        self.compiles = heard.compiles - compiles if self.by_numpy else 1
        self.from_disk = (
            heard.from_disk - from_disk if self.by_numpy else min(1, heard.from_disk - from_disk + self._from_disk)
        )
        account.compiles += self.compiles
        account.from_disk += self.from_disk
        if self.by_numpy:
            account.compile_seconds += heard.seconds - seconds


def _on_duration(event: str, duration_secs: float, **_: object) -> None:
    if event == "/jax/core/compile/backend_compile_duration":
        heard.compiles += 1
        heard.seconds += duration_secs


def _on_event(event: str, **_: object) -> None:
    if event == "/jax/compilation_cache/cache_hits":
        heard.from_disk += 1


jax.monitoring.register_event_duration_secs_listener(_on_duration)
jax.monitoring.register_event_listener(_on_event)
