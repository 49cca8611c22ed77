"""Recording a function into a trace of its own, over placeholders, and running what was recorded as a JAX function.

The function's inputs are Values without arrays. Whatever else it reads was there before and is closed over. The trace
of the surrounding program is set aside meanwhile and goes on afterwards as if nothing had been. A recording can be
opened again, so that gradients of what it made are recorded into it later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import ref

import jax
import numpy as np

from torchlike import _errors
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import Mode, Recorder, current, enter, leave
from torchlike._engine.trace import batching
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.trace import OwnTrace, Trace, operators
from torchlike._engine.trace.value import Aval, Value
from torchlike._engine.xla.executor import numbers_of, run_entries
from torchlike._errors.callers import calls_of_ours, users_place


class Observed(RuntimeError):
    """A recorded function looked at elements that are not there yet."""


class Drew(Observed):
    """A recorded function drew random numbers, which are made on the host at each call."""


# Functions of the facade by which users look at elements, and what users call them.
_LOOKS = {
    "item": "item()",
    "tolist": "tolist()",
    "numpy": "numpy()",
    "__array__": "a conversion to NumPy",
    "__bool__": "bool() of a tensor (`if`, `while`, `and`, `assert`)",
    "__int__": "int()",
    "__float__": "float()",
    "__complex__": "complex()",
    "__index__": "use of a tensor as an index",
    "__repr__": "print()",
    "__format__": "print()",
    "__contains__": "`in`",
    "nonzero": "nonzero(), whose shape depends on the elements",
}


class SubTrace(OwnTrace, Mode):
    """The operators of one function, while it is open (in a `with` block)."""

    __slots__ = (
        "around",
        "drawn",
        "draws_with",
        "given",
        "is_quiet",
        "marks",
        "outer",
        "resting",
        "stretch",
        "what",
        "written",
    )

    def __init__(self, what: str, device: Device) -> None:
        super().__init__(device)
        self.what = what
        self.given: list[Value] = []
        self.outer: list[Value] = []  # what was closed over
        self.stretch: list[int] = []  # of each input, the place among `given`, or ~ the place among `outer`
        self.written: dict[int, tuple[ref, Value]] = {}  # storages that were written to, and what they had held
        self.drawn: set[int] | Any = None  # the arrays that stand for random numbers; None: there must not be any
        self.is_quiet = False
        self.draws_with: Callable[..., np.ndarray] | None = None  # draws in place of the functions of `_random`
        self.around: tuple[Trace, ...] = ()
        self.marks: list[tuple[Any, int]] = []  # of what was closed over, the places outside, while it is open

    # -- open and closed -----------------------------------------------------------------------------------------------

    def __enter__(self) -> SubTrace:
        self.open()
        around = current().capture
        outside: Any = self.device.trace if around is None else around.trace
        self.around = () if outside is None else (outside, *getattr(outside, "around", ()))
        self.resting, batching.local.resting = batching.local.resting, len(batching.local.open)
        with _trace.lock:
            self.marks = [(value.trace, value.slot) for value in self.outer]
            for i, place in enumerate(self.stretch):
                if place < 0:
                    value = self.outer[~place]
                    value.trace, value.slot = self, ~i
        enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        leave(self)
        with _trace.lock:
            for value, (trace, slot) in zip(self.outer, self.marks):
                if value.trace is self:  # else another thread has given it a place
                    value.trace, value.slot = trace, slot
        self.marks, batching.local.resting = [], self.resting
        self.close()

    def over(self, below: Recorder) -> Recorder:
        """The recorder that records here."""
        return self.into(below, self)

    @property
    def error(self) -> Exception:
        """What is raised where a tensor made inside is used outside."""
        return _errors.recording.left_behind(self.what)

    # -- inputs --------------------------------------------------------------------------------------------------------

    def placeholder(self, aval: Aval) -> Value:
        """A new input."""
        made = Value(aval, None, ~len(self.arrays), self)
        self._give(made)
        self._enlist(made)
        return made

    def adopt(self, value: Value) -> None:
        settled = value.settle()
        if settled.trace is not self:
            _trace.wait_for(settled)
            if settled.array is None and not self._is_around(settled) and not batching.is_alive(settled):
                raise getattr(settled.trace, "error", None) or _errors.recording.abandoned()
            if self.stand_in(settled.array) is not None:
                self._give(settled)
            else:
                self.stretch.append(~len(self.outer))
                self.outer.append(settled)
                self.marks.append((settled.trace, settled.slot))
            slot = self._enlist(settled)
            settled.trace, settled.slot = self, slot
        value.trace, value.slot = self, settled.slot

    def _is_around(self, value: Value) -> bool:
        """Whether a value is pending where this recording will be run."""
        return value.trace in self.around or value.trace is value.aval.device.trace

    def stand_in(self, array: Any) -> Any:
        """The drawn numbers that an array is, in their own order or another."""
        if self.drawn is None or not isinstance(array, np.ndarray):
            return None
        source = array if id(array) in self.drawn or array.base is None else array.base
        return source if id(source) in self.drawn and source.size == array.size else None

    def _give(self, value: Value) -> None:
        self.stretch.append(len(self.given))
        self.given.append(value)

    def _enlist(self, value: Value) -> int:
        self.arrays.append(value.array)
        self.inputs.append(ref(value))
        return ~(len(self.arrays) - 1)

    def slot(self, value: Value) -> int:
        """Where a value is: among the results (from 0 on) or among the inputs (below)."""
        if value.trace is not self:
            self.adopt(value)
        return value.slot

    def numbers(self) -> tuple[list, list[int], list[type]]:
        """The runtime numbers, where those of each entry begin among them, and their types."""
        chosen, places, kinds = numbers_of(self)
        return [x for i in chosen for x in self.scalars[i]], places, kinds

    # -- what must not be done inside (see `Recorder.capture`) ---------------------------------------------------------

    known: frozenset[int] = frozenset()  # what is closed over may be looked at

    @property
    def trace(self) -> SubTrace:
        """What is recorded into."""
        return self

    def settles(self) -> None:
        """Memory that others write to is copied: what is closed over is a constant of the function."""

    @property
    def checks(self) -> list:
        """What is to be looked at of later inputs: nothing is, they are JAX's."""
        return []

    @property
    def holds(self) -> list:
        """What must be as it was for a recording to serve: it serves one call."""
        return []

    @property
    def changed(self) -> dict:
        """What is changed on the host at each call: nothing is."""
        return {}

    def stop(self, reason: str, draws: bool = False) -> None:
        """Somebody needs elements, or (`draws`) random numbers."""
        place = str(users_place())
        if draws:
            raise Drew(_errors.recording.random_numbers(self.what, place))
        raise Observed(_errors.recording.observed(self.what, _look(), place))

    def reads_generator(self) -> None:
        """The state of a generator is read: it may be, and put back."""

    def observes(self, value: Value) -> None:
        """What is known already may be looked at: it is a constant of the function, unless it is drawn in each run."""
        if self.stand_in(value.array) is not None:
            self.stop("drawn numbers are looked at")

    def draw(self, make: Callable[[], Any]) -> Any:
        """Random numbers."""
        if self.drawn is None:
            self.stop("random numbers are drawn", draws=True)
        return make()

    def ask(self, ask: Callable[[], Sequence], host: Any) -> Sequence:
        """Runtime numbers, such as a learning rate: constants of the function."""
        return ask()

    def takes(self, do: Callable[[], Any], host: Any) -> bool:
        """Whether something done on the host, such as putting a generator's state back, is done here: it is left to the
        caller."""
        return False

    def quietly(self) -> contextlib.AbstractContextManager:
        """What is done inside is part of something noted as a whole."""
        return contextlib.nullcontext()

    def writes(self, storage: Any, owner: Any) -> None:
        """A storage's contents are about to be replaced."""
        self.written.setdefault(id(storage), (ref(storage), storage.value))

    def grad(self, tensor: Any, is_read: bool) -> None:
        """A tensor's `grad` is about to be read or replaced."""
        if not is_read:
            raise _errors.recording.impure(self.what, "assigns a tensor's .grad")


def _look() -> str:
    """What the user calls the function by which elements are looked at: the outermost of ours on the way to here."""
    looks = [_LOOKS[name] for name in calls_of_ours() if name in _LOOKS]
    return looks[-1] if looks else "an operator that needs the elements"


class Stretch(NamedTuple):
    """A part of a recording, as data: equal for recordings that are alike, so programs are found by it."""

    code: tuple
    places: tuple[int, ...]  # of the numbers of each entry that has some
    inputs: tuple[int, ...]  # of each input, the place among those given, or ~ that among those outside
    needs: tuple[int, ...]  # the slots, in the whole recording, of earlier results: the first results here
    gives: tuple[int | None, ...]  # the slots of the results; None: there is none

    def run(self, given: Sequence, outer: Sequence, numbers: Sequence, needed: Sequence = ()) -> list:
        """The results, of arrays or tracers."""
        inputs = [given[i] if i >= 0 else outer[~i] for i in self.inputs]
        results = list(needed)
        with jax.default_matmul_precision(modes.matmul_precision):
            run_entries(self.code, self.places, results, inputs, numbers)
        return [None if s is None else results[s] if s >= 0 else inputs[~s] for s in self.gives]


def stretch(sub: SubTrace, gives: Sequence[int | None], begin: int, given: Sequence[int]) -> Stretch:
    """What a recording has to run for these results, of which the first `begin` are there already.

    `given` are the places, among the recording's placeholders, of the inputs that the stretch is run with.
    """
    places = iter(sub.numbers()[1])
    entries, first = [], 0
    for plan, slots in operators(sub.code):
        entries.append((plan, slots, first, next(places) if plan.scalars else -1))
        first += len(plan.outputs)
    wanted = {s for s in gives if s is not None}
    kept: list = []
    for entry in reversed(entries):
        plan, slots, first, _ = entry
        if first >= begin and not wanted.isdisjoint(range(first, first + len(plan.outputs))):
            kept.append(entry)
            wanted.update(slots)
    return _renumbered(sub, kept[::-1], tuple(sorted(s for s in wanted if 0 <= s < begin)), gives, given)


def _renumbered(sub: SubTrace, entries: list, needs: tuple[int, ...], gives: Sequence, given: Sequence) -> Stretch:
    slots = {slot: i for i, slot in enumerate(needs)}
    inputs: list[int] = []

    def place(slot: int) -> int:
        if slot < 0 and slot not in slots:
            tag = sub.stretch[~slot]
            inputs.append(tag if tag < 0 else given.index(tag))
            slots[slot] = ~(len(inputs) - 1)
        return slots[slot]

    code: list = []
    made = len(needs)
    for plan, read, first, _ in entries:
        code += [plan, *map(place, read)]
        slots.update({first + i: made + i for i in range(len(plan.outputs))})
        made += len(plan.outputs)
    found = tuple(None if s is None else place(s) for s in gives)
    return Stretch(tuple(code), tuple(p for *_, p in entries if p >= 0), tuple(inputs), needs, found)
