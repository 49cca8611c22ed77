"""`explain`: a report of the engine's work, as data and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakSet

from torchlike._engine.ranks.mesh import meshes
from torchlike._engine.report.program_statistics import COUNTED, Account, Counts, Group, State, ledger
from torchlike._engine.report.table import table
from torchlike._engine.trace.flush import boundary
from torchlike._engine.xla.mesh import active


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input array of a program.

    Attributes:
      index: its number among the inputs.
      enters: the first operator that reads it, and the name of the argument.
      shape: its shape.
    """

    index: int
    enters: str
    shape: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Variant(Counts):
    """One program, for inputs of certain shapes, with its statistics."""

    executor: str  # "numpy" or "xla"
    changed: tuple[Input, ...]  # the inputs whose shapes differ from those of the first variant


@dataclass(frozen=True, kw_only=True)
class Program(Counts):
    """All programs that differ only in shapes or static arguments, with the sums of their statistics."""

    operators: tuple[str, ...]
    device: str
    file: str  # the user's file and line that ran it first
    line: int
    where: str  # a short form of file and line: `train.py:31`
    inputs: tuple[Input, ...]  # the inputs of the first variant
    variants: tuple[Variant, ...]  # the programs, with the statistics of each

    @property
    def executor(self) -> str:
        """The executors of the variants: "numpy", "xla", or "numpy xla"."""
        return " ".join(sorted({variant.executor for variant in self.variants}))


class Cause(NamedTuple):
    """A reason, and the number of times that it occurred."""

    reason: str
    count: int  # type: ignore[override]


@dataclass(frozen=True, kw_only=True)
class Function:
    """The statistics of a function that `torchlike.compile` made.

    Attributes:
      name: its name.
      where: its source location.
      signatures: the number of different signatures of its calls.
      recordings: the number of captured graphs.
      runs: the number of replays of captured graphs. The captured calls themselves are not counted.
      again: the changes that caused a call to be captured again.
      uncompiled: the reasons why calls ran uncompiled.
    """

    name: str
    where: str
    signatures: int
    recordings: int
    runs: int
    again: tuple[Cause, ...]
    uncompiled: tuple[Cause, ...]

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why calls ran uncompiled, each reason once."""
        return tuple(cause.reason for cause in self.uncompiled)

    def since(self, before: Function | None) -> Function:
        """Return these statistics, with only the runs and causes since earlier statistics of the same function."""
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


compiled: WeakSet = WeakSet()  # the functions that `torchlike.compile` made; each has a method `explained`


@dataclass(frozen=True)
class Moment:
    """All statistics at one moment."""

    accounts: dict[Account, State]
    folded: Counts
    mesh: str | None = None
    ranks: dict[str, int] = field(default_factory=dict)

    @classmethod
    def now(cls) -> Moment:
        ranks = dict(sum((mesh.meetings.reports for mesh in meshes), Counter()))
        return cls(*ledger.snapshot(), None if active.mesh is None else active.mesh.described(), ranks)


NOTHING = Moment({}, Counts())


class Report:
    """A report of the engine's work since the start of the process or within a `with` block. `str()` returns a table.

    Attributes:
      programs: one `Program` for each sequence of operators and source line, in descending order of compile time.
      functions: one `Function` for each function that `torchlike.compile` made and that was called.
      mesh: the mesh over which the programs run, and the sizes of the batches; None without a mesh.
      ranks: how often the programs of the ranks of a process group differed, by line, since the start of the process.
      folded: the summed statistics of the oldest programs, if there are more than ten thousand programs.
    """

    def __init__(self) -> None:
        self._set(NOTHING, Moment.now(), {})

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        before, now = self._began.accounts, self._ended.accounts
        changed = [(account, state, before.get(account)) for account, state in now.items()]
        since = {account: state.counts() - _counts(old) for account, state, old in changed if state != old}
        counted = {account: counts for account, counts in since.items() if counts != Counts()}
        return tuple(sorted(_programs(counted), key=_cost))

    @property
    def mesh(self) -> str | None:
        return self._ended.mesh

    @property
    def ranks(self) -> dict[str, int]:
        return self._ended.ranks

    @cached_property
    def folded(self) -> Counts:
        before, now = self._began, self._ended
        known = (state.counts() for account, state in before.accounts.items() if account not in now.accounts)
        return now.folded - sum(known, before.folded)

    @property
    def totals(self) -> Counts:
        """The sum over all programs."""
        return sum(self.programs, self.folded)

    def __enter__(self) -> Report:
        boundary()
        self._called = _explained()
        now = Moment.now()
        self._set(now, now, self._called)
        return self

    def __exit__(self, *_: object) -> None:
        boundary()
        self._set(self._began, Moment.now(), self._called)
        del self._called  # it keeps the functions alive

    def _set(self, began: Moment, ended: Moment, called: dict[Any, Function]) -> None:
        self._began, self._ended = began, ended
        now = _explained().items()
        self.functions: tuple[Function, ...] = tuple(
            f.since(called.get(each)) for each, f in now if f != called.get(each)
        )
        for name in ("programs", "folded"):
            vars(self).pop(name, None)

    def __iter__(self) -> Iterator[Program]:
        return iter(self.programs)

    def __len__(self) -> int:
        return len(self.programs)

    def __str__(self) -> str:
        return table(self)

    __repr__ = __str__


def explain() -> Report:
    """Return a report of the programs that the engine has run and compiled so far. It shows why code is slow.

    A printed report is a table with one row for each sequence of operators. The row shows the line of your code that
    first ran these operators, the executor (XLA or NumPy), and the numbers of cache hits and misses. Below the table
    are the inputs whose shapes changed, and the compiled functions. Code can read the same data from `report.programs`,
    `report.functions` and `report.totals`.

    In a `with` statement, the report covers only the work within the block and is complete at its end. Pending work is
    flushed at the beginning and at the end of the block.

    >>> with torchlike.explain() as report:
    ...     _ = (torchlike.ones(3) * 2).sum().item()
    >>> [program.operators for program in report.programs]
    [('mul', 'sum')]
    >>> report.totals.misses, report.totals.compiles
    (1, 0)

    With `TORCHLIKE_LOG=compile` in the environment, every compile event also writes a line to stderr. The logger is
    named "torchlike" and the level is DEBUG. PyTorch has no such function.

    Returns:
      A `Report`.
    """
    return Report()


def _explained() -> dict[Any, Function]:
    """Return the statistics of each compiled function that was called."""
    found = [(each, each.explained()) for each in list(compiled)]
    return {each: function for each, function in found if function is not None}


def _counts(state: State | None) -> Counts:
    return Counts() if state is None else state.counts()


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
