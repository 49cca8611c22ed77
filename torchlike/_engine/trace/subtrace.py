"""Recording of one function into a separate trace, which then runs as a JAX function.

The function's inputs are placeholders: Values without arrays. Outside values that the function reads are closed over,
except random numbers, which become inputs. The surrounding program's trace is set aside during the recording and
continues afterwards. A recording can be reopened, so that gradients of its results can be recorded into it later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import Mode, Recorder, current, enter, leave
from torchlike._engine.trace import batched_values as batching
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.trace import OwnTrace, Trace, operators
from torchlike._engine.trace.value import Aval, Value
from torchlike._engine.xla.executor import numbers_of, run_entries
from torchlike._errors.callers import calls_of_ours, users_place


class Observed(RuntimeError):
    """Raised if a recorded function reads elements that are not computed yet."""


class Sampled(Observed):
    """Raised if a recorded function samples random numbers, which are generated on the host at each call."""


# Functions of the public API that read elements, and their names in error messages.
_READERS = {
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
    """The trace of one function. It is open for recording inside a `with` block."""

    __slots__ = (
        "around",
        "draws_with",
        "given",
        "is_quiet",
        "marks",
        "outer",
        "sampled",
        "sources",
        "suspended",
        "what",
        "written",
    )

    def __init__(self, what: str, device: Device) -> None:
        super().__init__(device)
        self.what = what
        self.given: list[Value] = []
        self.outer: list[Value] = []  # the values that the function closes over
        self.sources: list[int] = []  # for each input, its index in `given`, or ~ its index in `outer`
        self.written: dict[int, tuple[ref, Value]] = {}  # storages that were written to, with their previous values
        self.sampled: set[int] | Any = None  # ids of the arrays that stand for random numbers; None: sampling raises
        self.is_quiet = False
        self.draws_with: Callable[..., np.ndarray] | None = None  # samples instead of the functions of `_random`
        self.around: tuple[Trace, ...] = ()
        self.marks: list[tuple[Any, int]] = []  # while open: the outside trace and slot of each value of `outer`

    # -- open and closed -----------------------------------------------------------------------------------------------

    def __enter__(self) -> SubTrace:
        self.open()
        around = current().capture
        outside: Any = self.device.trace if around is None else around.trace
        self.around = () if outside is None else (outside, *getattr(outside, "around", ()))
        self.suspended, batching.local.suspended = batching.local.suspended, len(batching.local.open)
        with _trace.lock:
            self.marks = [(value.trace, value.slot) for value in self.outer]
            for i, source in enumerate(self.sources):
                if source < 0:
                    value = self.outer[~source]
                    value.trace, value.slot = self, ~i
        enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        leave(self)
        with _trace.lock:
            for value, (trace, slot) in zip(self.outer, self.marks):
                if value.trace is self:  # else another thread has added the value to its trace
                    value.trace, value.slot = trace, slot
        self.marks, batching.local.suspended = [], self.suspended
        self.close()

    def over(self, below: Recorder) -> Recorder:
        """Return a recorder that appends to this trace."""
        return self.into(below, self)

    @property
    def error(self) -> Exception:
        """The error for a tensor made inside the function and used outside."""
        return _errors.recording.left_behind(self.what)

    # -- inputs --------------------------------------------------------------------------------------------------------

    def placeholder(self, aval: Aval) -> Value:
        """Return a new input of the function."""
        made = Value(aval, None, ~len(self.arrays), self)
        self._give(made)
        self._enlist(made)
        return made

    def adopt(self, value: Value) -> None:
        """Add a value from outside to the inputs of the function."""
        settled = value.settle()
        if settled.trace is not self:
            _trace.wait_for(settled)
            if settled.array is None and not self._is_around(settled) and not batching.is_alive(settled):
                raise getattr(settled.trace, "error", None) or _errors.recording.abandoned()
            if self.stand_in(settled.array) is not None:
                self._give(settled)
            else:
                self.sources.append(~len(self.outer))
                self.outer.append(settled)
                self.marks.append((settled.trace, settled.slot))
            slot = self._enlist(settled)
            settled.trace, settled.slot = self, slot
        value.trace, value.slot = self, settled.slot

    def _is_around(self, value: Value) -> bool:
        """Return whether a value is pending in a trace around this recording."""
        return value.trace in self.around or value.trace is value.aval.device.trace

    def stand_in(self, array: Any) -> Any:
        """Return `array` or its base, if it is an array of random numbers with as many elements as `array`.

        Return None for any other array.
        """
        if self.sampled is None or not isinstance(array, np.ndarray):
            return None
        source = array if id(array) in self.sampled or array.base is None else array.base
        return source if id(source) in self.sampled and source.size == array.size else None

    def _give(self, value: Value) -> None:
        self.sources.append(len(self.given))
        self.given.append(value)

    def _enlist(self, value: Value) -> int:
        self.arrays.append(value.array)
        self.inputs.append(ref(value))
        return ~(len(self.arrays) - 1)

    def slot(self, value: Value) -> int:
        """Return the slot of a value: >= 0 for a result, < 0 for an input."""
        if value.trace is not self:
            self.adopt(value)
        return value.slot

    def numbers(self) -> tuple[list, list[int], list[type]]:
        """Return all runtime numbers, for each entry the index of its first number, and the types of the numbers."""
        chosen, places, kinds = numbers_of(self)
        return [x for i in chosen for x in self.scalars[i]], places, kinds

    # -- restrictions inside the function (see `Recorder.capture`) -----------------------------------------------------

    known: frozenset[int] = frozenset()  # not needed: any concrete value may be read

    @property
    def trace(self) -> SubTrace:
        """The trace into which operators are recorded."""
        return self

    @property
    def held(self) -> list[Value]:
        """The inputs. A placeholder has no array."""
        return [self.given[i] if i >= 0 else self.outer[~i] for i in self.sources]

    def settles(self) -> None:
        """Called when shared memory is copied. This is allowed: the copy is a constant of the function."""

    @property
    def checks(self) -> list:
        """The checks of the elements of later inputs. There are none, because JAX passes the inputs."""
        return []

    @property
    def guards(self) -> list:
        """The guards. There are none, because a recording serves one call."""
        return []

    @property
    def changed(self) -> dict:
        """The host state that each call changes. There is none."""
        return {}

    def stop(self, reason: str, draws: bool = False) -> None:
        """Raise an error because elements are needed, or (`draws`) because random numbers are sampled."""
        place = str(users_place())
        if draws:
            raise Sampled(_errors.recording.random_numbers(self.what, place))
        raise Observed(_errors.recording.observed(self.what, _look(), place))

    def reads_generator(self) -> None:
        """Called when the state of a generator is read. This is allowed, and so is restoring the state."""

    def observes(self, value: Value) -> None:
        """Called when an array is read.

        Constants of the function may be read; random numbers, which are sampled in each run, may not.
        """
        if self.stand_in(value.array) is not None:
            self.stop("random numbers are read")

    def draw(self, make: Callable[[], Any]) -> Any:
        """Return random numbers. Raise an error if the recording does not allow sampling."""
        if self.sampled is None:
            self.stop("random numbers are sampled", draws=True)
        return make()

    def ask(self, ask: Callable[[], Sequence], host: Any, steady: Any = None) -> Sequence:
        """Return runtime numbers, such as a learning rate. They are constants of the function."""
        return ask()

    def takes(self, do: Callable[[], Any], host: Any) -> bool:
        """Return False. The caller then does the host work, such as restoring a generator's state."""
        return False

    def quietly(self) -> contextlib.AbstractContextManager:
        """Return a context in which all operations are part of one unit of repeated work."""
        return contextlib.nullcontext()

    def writes(self, storage: Any, owner: Any) -> None:
        """Called before the contents of a storage are replaced."""
        self.written.setdefault(id(storage), (ref(storage), storage.value))

    def grad(self, tensor: Any, is_read: bool) -> None:
        """Called before a tensor's `grad` is read or replaced. Replacing it raises an error."""
        if not is_read:
            raise _errors.recording.impure(self.what, "assigns a tensor's .grad")


def _look() -> str:
    """Return the name of the function that reads elements, as the user called it.

    It is the outermost torchlike function of this kind on the call stack.
    """
    readers = [_READERS[name] for name in calls_of_ours() if name in _READERS]
    return readers[-1] if readers else "an operator that reads the elements"


class Stretch(NamedTuple):
    """A part of a recording, as hashable data. Equal parts compare equal, so a Stretch is the key of a program."""

    code: tuple
    places: tuple[int, ...]  # for each entry with runtime numbers, the index of its first number
    inputs: tuple[int, ...]  # for each input, its index among the given inputs, or ~ its index among the outer values
    needs: tuple[int, ...]  # slots in the whole recording: the earlier results that come first in `run`
    gives: tuple[int | None, ...]  # the slots of the results; None for a missing result

    def run(self, given: Sequence, outer: Sequence, numbers: Sequence, needed: Sequence = ()) -> list:
        """Return the results for arrays or tracers."""
        inputs = [given[i] if i >= 0 else outer[~i] for i in self.inputs]
        results = list(needed)
        run_entries(self.code, self.places, results, inputs, numbers)
        return [None if s is None else results[s] if s >= 0 else inputs[~s] for s in self.gives]


def stretch(sub: SubTrace, gives: Sequence[int | None], begin: int, given: Sequence[int]) -> Stretch:
    """Return the stretch that computes the results in the slots `gives`.

    The results in slots below `begin` are already computed. `given` lists the placeholders that are the inputs of the
    stretch, as indices in `sub.given`.
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
            source = sub.sources[~slot]
            inputs.append(source if source < 0 else given.index(source))
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
