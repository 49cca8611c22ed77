"""`explain`: what the engine did, as data and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakSet

from torchlike._engine.report.program_statistics import COUNTED, Account, Counts, Group, ledger
from torchlike._engine.report.table import table
from torchlike._engine.trace.flush import boundary


@dataclass(frozen=True, kw_only=True)
class Input:
    """An array that enters a program: its number, the operator that takes it first, as which argument, its shape."""

    index: int
    enters: str
    shape: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Variant(Counts):
    """One program: a sequence of operators for inputs of certain shapes, with what was counted of it."""

    executor: str  # "numpy" or "xla"
    changed: tuple[Input, ...]  # the inputs whose shapes differ from those of the first variant


@dataclass(frozen=True, kw_only=True)
class Program(Counts):
    """The programs of one sequence of operators first run from one line, and the sums of what was counted of them."""

    operators: tuple[str, ...]
    device: str
    file: str  # the user's file and line that first ran it
    line: int
    where: str  # the same, short: `train.py:31`
    inputs: tuple[Input, ...]  # of the first variant
    variants: tuple[Variant, ...]  # more than one: other shapes, or other static arguments

    @property
    def executor(self) -> str:
        """Who runs it: "numpy", "xla", or both."""
        return " ".join(sorted({variant.executor for variant in self.variants}))


class Cause(NamedTuple):
    """Why something was done, and how often."""

    reason: str
    count: int  # type: ignore[override]


@dataclass(frozen=True, kw_only=True)
class Function:
    """A compiled function: with how many signatures it was called, its recordings, how often they ran, what had changed
    where a call was recorded again, and why calls ran uncompiled."""

    name: str
    where: str
    signatures: int
    recordings: int
    runs: int  # of recordings; the call that was recorded not counted
    again: tuple[Cause, ...]
    uncompiled: tuple[Cause, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why calls ran uncompiled, each reason once."""
        return tuple(cause.reason for cause in self.uncompiled)

    def since(self, before: Function | None) -> Function:
        """What was added to an earlier count."""
        if before is None:
            return self
        return replace(
            self,
            runs=self.runs - before.runs,
            again=_since(self.again, before.again),
            uncompiled=_since(self.uncompiled, before.uncompiled),
        )


def _since(now: tuple[Cause, ...], before: tuple[Cause, ...]) -> tuple[Cause, ...]:
    old = dict(before)
    counts = [Cause(reason, count - old.get(reason, 0)) for reason, count in now]
    return tuple(cause for cause in counts if cause.count)


compiled: WeakSet = WeakSet()  # what `torchlike.compile` made; each says of itself what it did, if it was called


class Report:
    """What the engine did, since the process began or within a `with` block; `str()` of it is a table.

    Attributes:
      programs: one `Program` for each sequence of operators and line, the costliest first.
      functions: one `Function` for each function that `torchlike.compile` made and that was called.
      folded: the sum of the oldest programs, where there are more than ten thousand.
    """

    def __init__(self) -> None:
        self._fill({}, Counts(), {})

    def _fill(self, before: dict[Account, Counts], folded: Counts, called: dict[Any, Function]) -> None:
        now, folded_now = ledger.snapshot()
        known = (counts for account, counts in before.items() if account not in now)  # folded meanwhile
        self.folded: Counts = sum(known, folded)
        self.folded = folded_now - self.folded
        found = {account: counts - before.get(account, Counts()) for account, counts in now.items()}
        programs = _programs({account: counts for account, counts in found.items() if counts != Counts()})
        self.programs: tuple[Program, ...] = tuple(sorted(programs, key=_cost))
        functions = [(f, f.since(called.get(each))) for each, f in _explained().items() if f != called.get(each)]
        self.functions: tuple[Function, ...] = tuple(since for _, since in functions)

    @property
    def totals(self) -> Counts:
        """The sum over all programs."""
        return sum(self.programs, self.folded)

    def __enter__(self) -> Report:
        boundary()
        self._before = (*ledger.snapshot(), _explained())
        self.programs, self.functions = (), ()
        return self

    def __exit__(self, *_: object) -> None:
        boundary()
        self._fill(*self._before)

    def __iter__(self) -> Iterator[Program]:
        return iter(self.programs)

    def __len__(self) -> int:
        return len(self.programs)

    def __str__(self) -> str:
        return table(self)

    __repr__ = __str__


def explain() -> Report:
    """What the engine has run so far, and what it compiled for that: the answer to "why was that slow?".

    Printed, the report is a table: one line for each sequence of operators, with the line of yours that ran it first,
    who runs it (XLA compiled, or NumPy), how often it was there already and how often it had to be made. Below stand
    the inputs whose shapes kept changing. The same is there for programs: `report.programs`, `report.totals`.

    In a `with` statement the report counts what happens within the block, and is complete at its end. Pending work is
    run where the block begins and where it ends.

    >>> with torchlike.explain() as report:
    ...     _ = (torchlike.ones(3) * 2).sum().item()
    >>> [program.operators for program in report.programs]
    [('mul', 'sum')]
    >>> report.totals.misses, report.totals.compiles
    (1, 0)

    `TORCHLIKE_LOG=compile` in the environment writes a line to stderr whenever a program is made; the level is DEBUG,
    the logger is named "torchlike". PyTorch has no such function.

    Returns:
      A `Report`.
    """
    return Report()


def _explained() -> dict[Any, Function]:
    """What each compiled function says of itself, of those that were called."""
    found = [(each, each.explained()) for each in list(compiled)]
    return {each: function for each, function in found if function is not None}


def _programs(counted: dict[Account, Counts]) -> list[Program]:
    groups: dict[Group, list[Account]] = {}
    for account in counted:
        groups.setdefault(account.group, []).append(account)
    return [_program(group, {account: counted[account] for account in members}) for group, members in groups.items()]


def _program(group: Group, counted: dict[Account, Counts]) -> Program:
    names = lambda pairs: tuple(Input(index=i, enters=group.enters[i], shape=shape) for i, shape in pairs)
    variants = [
        Variant(executor=account.executor, changed=names(account.shapes.items()), **_fields(counts))
        for account, counts in counted.items()
    ]
    return Program(
        operators=group.operators,
        device=str(group.device),
        file=group.place.file,
        line=group.place.line,
        where=str(group.place),
        inputs=names(enumerate(group.base)),
        variants=tuple(variants),
        **_fields(sum(counted.values(), Counts())),
    )


def _fields(counts: Counts) -> dict:
    return {name: getattr(counts, name) for name in COUNTED}


def _cost(program: Program) -> tuple:
    return -program.compile_seconds, -program.runs
