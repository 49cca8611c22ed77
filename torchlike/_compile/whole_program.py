"""Compilation of captured calls to executables, and the cache of these executables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.precision import switches
from torchlike._engine.programs import programs
from torchlike._engine.report import log
from torchlike._engine.report.program_statistics import Making, ledger
from torchlike._engine.trace.capture import Numbers, WholeTrace
from torchlike._engine.trace.trace import Trace
from torchlike._engine.trace.value import Aval
from torchlike._engine.xla import layout, memory
from torchlike._engine.xla.executor import Executable, alone, executable_of, numbers_of, replay, vectors_of
from torchlike._engine.xla.transfers import Resident, to_device
from torchlike._errors.callers import users_place
from torchlike._ops.linalg.products import whole_step


class Packs:
    """The runtime numbers of a trace, packed into vectors. `vectors` describes them (see `vectors_of`).

    `asked` are the numbers whose values change from call to call. They have vectors of their own, one of them for those
    that rarely change. The other vectors stay on the device. `first` are the vectors at the capture.
    """

    __slots__ = ("_changing", "_resident", "first", "vectors")

    def __init__(self, device: Device, trace: Trace, asked: Sequence[Numbers]) -> None:
        chosen, _, kinds = numbers_of(trace)
        source = {id(x.sequence): i for i, x in enumerate(asked)}
        origins = [(source.get(id(trace.scalars[i])), j) for i in chosen for j in range(len(trace.scalars[i]))]
        places = [(at, asked[given].steady, j) for at, (given, j) in enumerate(origins) if given is not None]
        classes = alone(device, kinds) or {at: 1 if j in steady else 2 for at, steady, j in places}
        self.vectors = vectors_of(kinds, classes)
        numbers = [x for i in chosen for x in trace.scalars[i]]
        # For each vector that changes, the index in `asked` and the position of each of its numbers there.
        self._changing: list[tuple[int, type, list[tuple[Any, int]]]] = [
            (v, dt, [origins[at] for at in where])
            for v, (dt, where) in enumerate(self.vectors)
            if origins[where[0]][0] is not None
        ]
        packed = [np.array([numbers[at] for at in where], dt) for dt, where in self.vectors]
        self._resident = Resident(device)
        changing = [v for v, *_ in self._changing]
        self.first: list[Any] = [x if v in changing else to_device(x, device) for v, x in enumerate(packed)]

    def now(self, asked: Sequence[Sequence]) -> list:
        """Return the vectors, with the numbers in `asked`, which differ between calls."""
        if not self._changing:
            return self.first
        packs = list(self.first)
        for v, dt, places in self._changing:
            packs[v] = self._resident.held(v, np.array([asked[i][j] for i, j in places], dt))
        return packs


def find(
    device: Device,
    trace: WholeTrace,
    live: tuple[int, ...],
    donated: tuple[int, ...],
    spare: tuple[Aval, ...],
    packs: Packs,
    given: tuple,
) -> Executable:
    """Return the executable of a trace, from the cache or newly compiled.

    `given` are its arguments. The donated arrays end with those of `spare`, which only give their memory.
    """
    chosen, places, _ = numbers_of(trace)
    key = (
        "whole",
        tuple(trace.code),
        tuple([value.aval for value in trace.held]),  # an input that is only returned is part of no operator
        live,
        donated,
        spare,
        tuple(chosen),
        tuple(places),
        packs.vectors,
        switches.of[device.type],
    )
    laid = layout.layout_of(device, trace, live)
    key = key if laid is None else (*key, laid)
    found = programs.get(key)
    if found is None:
        found = _make(device, trace, live, donated, bool(spare), packs, given)
        programs.add(key, found)
    return found


def _make(
    device: Device,
    trace: Trace,
    live: tuple[int, ...],
    donated: tuple[int, ...],
    spare: int,
    packs: Packs,
    given: tuple,
) -> Executable:
    account = ledger.open(device, trace, live, users_place())
    making = Making(account)
    _, places, _ = numbers_of(trace)
    kept = tuple(sorted(set(range(len(trace.arrays))) - set(donated)))
    try:
        with whole_step:
            laid = layout.layout_to_compile(device, trace, live, donated)
            code = tuple(trace.code)
            steps = code if laid is None else laid.code
            function = replay(steps, places, packs.vectors, donated, kept, live)
            made = executable_of(device, code, function, given, laid, keep_unused=spare)
    except jax.errors.JaxRuntimeError as error:  # the program is too large for the memory of a TPU
        raise memory.explained(error, device, trace.code, users_place()) from None
    made.account, made.code = account, tuple(trace.code)
    making.is_built(False, made.donated_bytes)
    making.has_run(hot=False)
    log.log_compile(making, "xla")
    return made
