"""The one executable of a recorded call: made from its trace, found again by what the trace says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike import _modes
from torchlike._core import notices
from torchlike._core.ledger import Account, Making, ledger
from torchlike._core.place import users_place
from torchlike._core.plan import NUMBERS
from torchlike._core.stats import stats
from torchlike._core.trace import Trace
from torchlike._core.xla_executor import executable, numbers_of, replay
from torchlike._device import device as Device
from torchlike._ops._products import whole_step

_programs: dict[tuple, Program] = {}
MOST_PROGRAMS = 500


class Program(NamedTuple):
    """An executable: `compiled(donated arrays, kept arrays, packed numbers) -> the results in `live`."""

    compiled: Any
    account: Account
    function: Callable  # what was compiled


class Packs:
    """The runtime numbers of a trace as the program takes them: one vector for each Python type that occurs."""

    __slots__ = ("_changing", "_fixed", "_vectors")

    def __init__(self, trace: Trace, asked: Sequence[Sequence]) -> None:
        chosen, _, kinds = numbers_of(trace)
        numbers = [x for i in chosen for x in trace.scalars[i]]
        self._vectors = [np.array([x for x, k in zip(numbers, kinds) if k is kind], dt)
                         for kind, dt in NUMBERS.items() if kind in kinds]  # fmt: skip
        present = [kind for kind in NUMBERS if kind in kinds]
        place, counts, where = 0, dict.fromkeys(present, 0), []
        source = {id(sequence): i for i, sequence in enumerate(asked)}
        for i in chosen:
            sequence = trace.scalars[i]
            for j in range(len(sequence)):
                kind = kinds[place]
                if id(sequence) in source:
                    where.append((present.index(kind), counts[kind], source[id(sequence)], j))
                counts[kind] += 1
                place += 1
        changing = sorted({vector for vector, *_ in where})
        self._changing = [(v, [(at, s, j) for vector, at, s, j in where if vector == v]) for v in changing]
        fixed = [None if v in changing else jax.numpy.asarray(x) for v, x in enumerate(self._vectors)]
        self._fixed: list[Any] = fixed

    def now(self, asked: Sequence[Sequence]) -> list:
        """The vectors, with the numbers that were asked for at this call."""
        if not self._changing:
            return self._fixed
        packs = list(self._fixed)
        for v, places in self._changing:
            vector = self._vectors[v].copy()
            for at, source, j in places:
                vector[at] = asked[source][j]
            packs[v] = vector
        return packs


Given = tuple[list, list, list]


def find(device: Device, trace: Trace, live: tuple[int, ...], donated: tuple[int, ...], given: Given) -> Program:
    """The executable of this trace: the one there is, or a new one."""
    chosen, places, _ = numbers_of(trace)
    key = (tuple(trace.code), len(trace.arrays), live, donated, tuple(chosen), tuple(places), _modes.matmul_precision)
    program = _programs.get(key)
    if program is None:
        program = _programs[key] = _make(device, trace, live, donated, given)
        if len(_programs) > MOST_PROGRAMS:
            del _programs[next(iter(_programs))]
    return program


def _make(device: Device, trace: Trace, live: tuple[int, ...], donated: tuple[int, ...], given: Given) -> Program:
    place, depth = users_place()
    account = ledger.open(device, trace, live, place)
    making = Making(account)
    _, places, kinds = numbers_of(trace)
    kept = tuple(sorted(set(range(len(trace.arrays))) - set(donated)))
    function = replay(tuple(trace.code), places, kinds, donated, kept, live)
    with jax.default_matmul_precision(_modes.matmul_precision), whole_step:
        compiled = executable(device, function, *given)
    stats.compiles += 1
    stats.compile_seconds += account.compile_seconds
    making.is_built(False, sum(a.nbytes for a in given[0]))
    making.has_run(hot=False)
    notices.made(making, "xla", stacklevel=depth + 1)
    return Program(compiled, account, function)
