"""Compilation of captured calls to executables, and the cache of these executables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._engine.programs import programs
from torchlike._engine.report import log
from torchlike._engine.report.program_statistics import Making, ledger
from torchlike._engine.trace.plan import NUMBERS
from torchlike._engine.trace.trace import Trace
from torchlike._engine.xla.executor import Executable, numbers_of, replay
from torchlike._engine.xla.transfers import to_device
from torchlike._errors.callers import users_place
from torchlike._ops.linalg.products import whole_step


class Packs:
    """The runtime numbers of a trace, packed into one vector for each Python type.

    `asked` are the sequences of numbers whose values change from call to call.
    """

    __slots__ = ("_changing", "_fixed", "_vectors")

    def __init__(self, device: Device, trace: Trace, asked: Sequence[Sequence]) -> None:
        chosen, _, kinds = numbers_of(trace)
        numbers = [x for i in chosen for x in trace.scalars[i]]
        self._vectors = [
            np.array([x for x, k in zip(numbers, kinds) if k is kind], dt)
            for kind, dt in NUMBERS.items()
            if kind in kinds
        ]
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
        fixed = [None if v in changing else to_device(x, device) for v, x in enumerate(self._vectors)]
        self._fixed: list[Any] = fixed

    def now(self, asked: Sequence[Sequence]) -> list:
        """Return the vectors, updated with the numbers in `asked`, which differ between calls."""
        if not self._changing:
            return self._fixed
        packs = list(self._fixed)
        for v, places in self._changing:
            vector = self._vectors[v].copy()
            for at, source, j in places:
                vector[at] = asked[source][j]
            packs[v] = vector
        return packs


def find(device: Device, trace: Trace, live: tuple[int, ...], donated: tuple[int, ...], given: tuple) -> Executable:
    """Return the executable of a trace, from the cache or newly compiled. `given` are its arguments."""
    chosen, places, _ = numbers_of(trace)
    key = (
        "whole",
        tuple(trace.code),
        len(trace.arrays),
        live,
        donated,
        tuple(chosen),
        tuple(places),
        modes.matmul_precision,
    )
    found = programs.get(key)
    if found is None:
        found = _make(device, trace, live, donated, given)
        programs.add(key, found)
    return found


def _make(device: Device, trace: Trace, live: tuple[int, ...], donated: tuple[int, ...], given: tuple) -> Executable:
    account = ledger.open(device, trace, live, users_place())
    making = Making(account)
    _, places, kinds = numbers_of(trace)
    kept = tuple(sorted(set(range(len(trace.arrays))) - set(donated)))
    with whole_step:
        made = Executable(device, replay(tuple(trace.code), places, kinds, donated, kept, live), given)
    made.account = account
    making.is_built(False, made.donated_bytes)
    making.has_run(hot=False)
    log.made(making, "xla")
    return made
