"""The capture of one call of a compiled function: what it reads, writes and draws, and where its numbers come from.

The call records into a trace of its own, which boundaries do not run. Work on the host that each replay repeats is
noted in order (`again`): random draws, an optimizer's counters, a scheduler's step. Reading an element ends the
capture; the trace then runs as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import ref

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import Mode, Recorder, current, enter, leave
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.value import Value


class WholeTrace(_trace.OwnTrace):
    """A trace that keeps its inputs."""

    __slots__ = ("held",)

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self.held: list[Value] = []

    def adopt(self, value: Value) -> None:
        super().adopt(value)
        if len(self.held) < len(self.inputs):
            settled = self.inputs[-1]()
            assert settled is not None
            self.held.append(settled)


class Draw:
    """A random draw, repeated at each call: its array, and the function that draws."""

    __slots__ = ("array", "make")

    def __init__(self, array: Any, make: Callable[[], Any]) -> None:
        self.array, self.make = array, make


class Numbers:
    """Runtime numbers that `ask` returns anew at each call, such as a learning rate."""

    __slots__ = ("ask", "sequence")

    def __init__(self, sequence: Sequence, ask: Callable[[], Sequence]) -> None:
        self.sequence, self.ask = sequence, ask


class Elements(Numbers):
    """Runtime numbers of an entry, some of them elements of zero-dim tensors. `places` are their positions, each with
    the tensor's value, or with the source where a replay finds it."""

    __slots__ = ("places",)

    def __init__(self, sequence: Sequence) -> None:
        super().__init__(sequence, lambda: sequence)
        self.places: list[tuple[int, Any]] = []

    def now(self, find: Callable[[Any], Any]) -> Sequence:
        """Return the numbers of this call; `find` returns the element at a place."""
        found = [*self.sequence]
        for position, where in self.places:
            found[position] = find(where)
        return found


class Act:
    """Work on the host that is repeated at each call, such as a scheduler's step."""

    __slots__ = ("do",)

    def __init__(self, do: Callable[[], Any]) -> None:
        self.do = do


class Host(Protocol):
    """State on the host that each call changes: a generator, a scheduler, an optimizer's counters."""

    def kept(self) -> Callable[[], Any]:
        """Note the state; return a function that restores it."""
        ...


class Capture(Mode):
    """The capture of one call."""

    draws_with = None  # the functions of `_random` draw

    def __init__(self, device: Device, refuse: Callable[[str], None]) -> None:
        self.device = device
        self.trace = WholeTrace(device)
        self.refuse = refuse  # called with the reason if the capture ends early; may raise
        self.reason: str | None = None
        self.again: list[Draw | Numbers | Act] = []
        self.changed: dict[int, Host] = {}  # the state that these change, by id
        self.holds: list[Callable[[], bool]] = []  # further guards
        self.written: dict[int, tuple[ref, Value | None, int, Any, Any]] = {}
        self.grads: dict[int, tuple[ref, bool, Any]] = {}  # tensor, whether its grad was read first, its grad before
        self.known: set[int] = set()  # ids of values from before the call
        self.checks: list[tuple[Any, Callable]] = []  # checks of the elements of inputs
        self.outside: set[int] = set()  # ids of storages from before the call
        self.histories: list[tuple[Any, Any, Any]] = []  # tensors from before the call, their edges and storages
        self.views: list[tuple[Any, Value]] = []  # views from before the call, with their values
        self.given: list[Value] = []  # the values of the arguments
        self._quiet = 0

    # -- begin and end -------------------------------------------------------------------------------------------------

    def __enter__(self) -> Capture:
        self.trace.open()
        enter(self)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        leave(self)
        if self.trace.owner:  # the call raised
            self._give_up()

    def over(self, below: Recorder) -> Recorder:
        """Return the recorder of a captured call."""
        return self.trace.into(below, self)

    def leave(self) -> None:
        """End the capture and drop the trace, after its operators have run or were recorded elsewhere."""
        leave(self)
        self.trace.close()

    def _give_up(self) -> None:
        """Make the trace the pending trace of its device."""
        from torchlike._engine.trace.flush import flush

        leave(self)
        with _trace.lock:
            flush(self.device)  # recorded by another thread
            self.device.trace = _trace.pending[self.device] = self.trace
            self.trace.close()

    def stop(self, reason: str, draws: bool = False) -> None:
        """End the capture; the rest of the call runs uncompiled. Only sub-recordings distinguish random draws."""
        if self.reason is None:
            self.reason = reason
            self._give_up()
            self.refuse(reason)

    # -- what happens in between ---------------------------------------------------------------------------------------

    def observes(self, value: Value) -> None:
        """Called when an array is read. A constant made in this call from Python numbers may be read."""
        if not self._quiet and (value.array is None or id(value) in self.known):
            self.stop("a tensor's elements are looked at")

    def reads_generator(self) -> None:
        """Called when the state of a generator is read."""
        self.stop("the state of a generator is read")

    def settles(self) -> None:
        """Called when memory that is shared with NumPy is copied: the source of the copy would be unknown."""
        self.stop("memory that is shared is read")

    def draw(self, make: Callable[[], Any]) -> Any:
        """Draw random numbers now, and at each later call."""
        if self._quiet:
            return make()
        with self.quietly():
            array = make()
        self.again.append(Draw(array, make))
        return array

    def ask(self, ask: Callable[[], Sequence], host: Host) -> Sequence:
        """Return numbers that are inputs of the program. `ask` returns them, and changes `host`."""
        self.changed[id(host)] = host
        with self.quietly():
            sequence = ask()
        self.again.append(Numbers(sequence, ask))
        return sequence

    def knows(self, tensor: Any) -> bool:
        """Return whether a zero-dim tensor is from before the call, so that each replay can read its element."""
        value = tensor._storage.value
        return tensor._chain is None and value.array is not None and id(value) in self.known and not self._quiet

    def asks(self, tensor: Any, sequence: Sequence) -> None:
        """Note that the next number of an entry is the element of a tensor."""
        last = self.again[-1] if self.again else None
        if not isinstance(last, Elements) or last.sequence is not sequence:
            last = Elements(sequence)
            self.again.append(last)
        last.places.append((len(sequence), tensor._storage.value))

    def takes(self, do: Callable[[], Any], host: Host) -> bool:
        """Do some work on the host, now and at each replay, that changes `host`. Return False if it is part of other
        repeated work: then the caller does it."""
        self.changed[id(host)] = host
        if self._quiet:
            return False
        self.again.append(Act(do))
        with self.quietly():
            do()
        return True

    @property
    def is_quiet(self) -> bool:
        """Whether repeated work is being done."""
        return self._quiet > 0

    def quietly(self) -> _Quietly:
        """Return a context in which everything is part of one piece of repeated work."""
        return _Quietly(self)

    def writes(self, storage: Any, owner: Any) -> None:
        """Called before the contents of a storage are replaced."""
        if self._quiet:
            self.stop("a tensor is written to by what is repeated on the host")
        elif id(storage) not in self.written:
            edge = None if owner is None else owner._edge
            held = None if owner is None else ref(owner)
            value = storage.value
            ours = value.trace is self.trace and value.array is None
            self.written[id(storage)] = ref(storage), None if ours else value, storage.version, held, edge

    def grad(self, tensor: Any, is_read: bool) -> None:
        """Called before a tensor's `grad` is read or replaced."""
        if id(tensor) not in self.grads:
            self.grads[id(tensor)] = ref(tensor), is_read, tensor._grad


class _Quietly:
    __slots__ = ("capture",)

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def __enter__(self) -> None:
        self.capture._quiet += 1

    def __exit__(self, *_: object) -> None:
        self.capture._quiet -= 1


def drawn(make: Callable[[], Any]) -> Any:
    """Return what `make` draws. Each replay of a captured call draws anew."""
    capture = current().capture
    return make() if capture is None else capture.draw(make)


def repeats(do: Callable[[], Any], host: Host) -> bool:
    """Return whether a call is being captured that took over this work on the host (see `Capture.takes`)."""
    return current().capture is not None and current().capture.takes(do, host)
