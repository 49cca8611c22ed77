"""A session records the programs of a script, and runs them on the CPU only if their elements are needed.

Where a flush would run a program, the session records it and leaves its operators pending. If the script reads an
element, all pending operators run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from sys import getrefcount
from typing import Any, NamedTuple

import jax
import numpy as np

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.precision import switches
from torchlike._dtypes.recorder import current
from torchlike._engine.ahead.lowering import Recorded
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.flush import flush
from torchlike._engine.trace.ownership import LIST_ITEM, lent
from torchlike._engine.trace.trace import Trace, operators
from torchlike._engine.xla.executor import numbers_of, replay, usable, vectors_of
from torchlike._errors.callers import users_place


class _Begin(NamedTuple):
    """The position in a pending trace at which its next program begins."""

    code: int = 0
    results: int = 0
    scalars: int = 0


MOST_PENDING = 1 << 16  # results
MANY = 200  # results; a run of more operators than these is announced


class Finished(BaseException):
    """Raised in a script when it has made the wanted number of optimizer steps."""


class Session:
    """The programs of a script, in the order in which they would run, until the end of an optimizer step.

    Args:
      steps: the number of optimizer steps after which the session raises `Finished`.
      tell: called with a message before work that may take long.
    """

    def __init__(self, steps: int, tell: Callable[[str], None]) -> None:
        self.programs: list[Recorded] = []
        self.notes: list[str] = []  # the reasons why calls of compiled functions are not one program
        self.left, self.tell = steps, tell
        self._begun: dict[Device, tuple[Trace, _Begin]] = {}

    def cut(self, device: Device) -> None:
        """Record the operators since the last cut as one program, and leave them pending."""
        with _trace.lock:
            trace = device.trace
            if trace is None:
                return
            begin = self._begin(device, trace)
            if len(trace.code) > begin.code:
                piece, live, donated = _piece(trace, begin)
                if live:
                    self.programs.append(recorded(device, piece, live, usable(piece, live, donated)))
            self.skip(device)

    def needs(self, device: Device) -> None:
        """End the program, because its elements are needed and all pending operators are about to run."""
        self.cut(device)
        pending = len(device.trace.results)
        if pending > MANY:
            self.tell(f"{users_place()} needs elements, so {pending} operators run on the CPU")

    def grown(self, device: Device) -> None:
        """End the program if it has as many results as a program may have. Run the pending work if it is very long."""
        trace = device.trace
        if trace is not None and len(trace.results) - self._begin(device, trace).results > _trace.limit.length:
            self.cut(device)
            if len(trace.results) > MOST_PENDING:
                flush(device)

    def stepped(self) -> None:
        """Called at the end of each optimizer step. During a capture, the session ends with the captured call."""
        self.left -= 1
        if current().capture is None:
            self.check()

    def check(self) -> None:
        """Raise `Finished` if enough optimizer steps were made."""
        if self.left <= 0:
            raise Finished

    def skip(self, device: Device) -> None:
        """Begin the next program after the operators that are pending now."""
        trace = device.trace
        if trace is not None:
            self._begun[device] = trace, _Begin(len(trace.code), len(trace.results), len(trace.scalars))
            trace.before = _trace.latest.node

    def _begin(self, device: Device, trace: Trace) -> _Begin:
        known, begin = self._begun.get(device, (None, _Begin()))
        return begin if known is trace else _Begin()


def _piece(trace: Trace, begin: _Begin) -> tuple[Trace, tuple[int, ...], tuple[int, ...]]:
    """Return the end of a trace as a trace of its own, its live results, and its inputs that may be donated.

    The results of earlier programs are inputs. `arrays` has their shapes and dtypes.
    """
    avals = [aval for plan, _ in operators(trace.code) for aval in plan.outputs]
    piece, slots = Trace(), {}
    donated = []
    for plan, used in operators(trace.code[begin.code :]):
        piece.code.append(plan)
        for slot in used:
            if slot < begin.results and slot not in slots:
                slots[slot] = ~len(slots)
                if _is_free(trace, slot):
                    donated.append(~slots[slot])
                piece.arrays.append(spec(avals[slot] if slot >= 0 else trace.arrays[~slot]))
            piece.code.append(slots.get(slot, slot - begin.results))
    piece.inputs = [trace.results[s] if s >= 0 else trace.inputs[~s] for s in slots]
    piece.results = trace.results[begin.results :]
    piece.scalars = trace.scalars[begin.scalars :]
    live = tuple([i for i, held in enumerate(piece.results) if held() is not None])
    return piece, live, tuple(donated)


def _is_free(trace: Trace, slot: int) -> bool:
    """Return whether an input of the next program may be overwritten: nothing outside of the trace refers to it."""
    if slot >= 0:
        return trace.results[slot]() is None
    if trace.inputs[~slot]() is not None or id(trace.arrays[~slot]) in lent:
        return False
    return trace.arrays[~slot].__class__ is np.ndarray or getrefcount(trace.arrays[~slot]) <= LIST_ITEM


def spec(x: Any) -> jax.ShapeDtypeStruct:
    """Return the shape and dtype of an array or an aval."""
    return jax.ShapeDtypeStruct(tuple(x.shape), getattr(x.dtype, "numpy", x.dtype))


def recorded(
    device: Device,
    trace: Trace,
    live: tuple[int, ...],
    donated: tuple[int, ...],
    during: Callable[[], Any] = contextlib.nullcontext,
) -> Recorded:
    """Return a trace as a program that can be lowered. `live` are its results, `donated` its inputs to overwrite."""
    _, places, kinds = numbers_of(trace)
    kept = tuple(sorted(set(range(len(trace.arrays))) - set(donated)))
    vectors = vectors_of(kinds)
    packs = [jax.ShapeDtypeStruct((len(where),), dt) for dt, where in vectors]
    specs = [spec(x) for x in trace.arrays]
    code = tuple(trace.code)
    return Recorded(
        name=str(users_place()),
        type=device.type,
        index=device.index or 0,
        function=replay(code, places, vectors, donated, kept, live),
        given=([specs[i] for i in donated], [specs[i] for i in kept], packs),
        operators=tuple([plan.name.lstrip("_") for plan, _ in operators(code)]),
        key=(device, code, len(specs), live, donated, tuple(places), switches.of[device.type]),
        during=during,
        ranks=_trace.mesh_of(code),
    )


@contextlib.contextmanager
def recording(steps: int, tell: Callable[[str], None] = lambda what: None) -> Iterator[Session]:
    """Record the programs of the block in a session. Work that is pending after the block never runs."""
    session = _trace.ahead.session = Session(steps, tell)
    try:
        yield session
    finally:
        _trace.ahead.session = None
        for device in [*_trace.pending]:
            del _trace.pending[device]
            device.trace = None
