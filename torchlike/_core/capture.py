"""Watching one call while it is recorded whole: what it reads, writes and draws, and where its numbers come from.

The call records into a trace of its own, at whose boundaries nothing runs. Whatever must happen again at each later
call is noted in order (`again`): random draws, the counting of an optimizer, a scheduler's step. An observation ends
the watch; what was recorded runs as it would have without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import ref

from torchlike._core import trace as _trace
from torchlike._core.value import Value
from torchlike._device import device as Device
from torchlike._recorder import Mode, Recorder, current, enter, leave


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
    """Numbers that are drawn anew at each call: an array, and the function that draws the next."""

    __slots__ = ("array", "make")

    def __init__(self, array: Any, make: Callable[[], Any]) -> None:
        self.array, self.make = array, make


class Numbers:
    """Runtime numbers that are asked for anew at each call, such as a learning rate."""

    __slots__ = ("ask", "sequence")

    def __init__(self, sequence: Sequence, ask: Callable[[], Sequence]) -> None:
        self.sequence, self.ask = sequence, ask


class Elements(Numbers):
    """The runtime numbers of an entry, some of which are zero-dim tensors. `places` are positions among the numbers,
    with the tensor, or the number of the argument that it is."""

    __slots__ = ("places",)

    def __init__(self, sequence: Sequence) -> None:
        super().__init__(sequence, lambda: sequence)
        self.places: list[tuple[int, Any]] = []

    def now(self, find: Callable[[Any], Any]) -> Sequence:
        """The numbers of this call; `find` returns the tensor of a place."""
        found = [*self.sequence]
        for position, what in self.places:
            found[position] = find(what).item()
        return found


class Act:
    """Something done on the host at each call, such as a scheduler's step."""

    __slots__ = ("do",)

    def __init__(self, do: Callable[[], Any]) -> None:
        self.do = do


class Host(Protocol):
    """What is changed on the host at each call: a generator, a scheduler, an optimizer's counters."""

    def kept(self) -> Callable[[], Any]:
        """Note the state; returns a function that puts it back."""
        ...


class Capture(Mode):
    """What is noted of one call."""

    draws_with = None  # numbers are drawn by the functions of `_random`

    def __init__(self, device: Device, refuse: Callable[[str], None]) -> None:
        self.device = device
        self.trace = WholeTrace(device)
        self.refuse = refuse  # called where the watch ends early, with the reason; may raise
        self.reason: str | None = None
        self.again: list[Draw | Numbers | Act] = []
        self.changed: dict[int, Host] = {}  # what these change, by id
        self.holds: list[Callable[[], bool]] = []  # what else must be as it was for the recording to serve
        self.written: dict[int, tuple[ref, Value | None, int, Any, Any]] = {}
        self.grads: dict[int, tuple[ref, bool, Any]] = {}  # tensor, whether its grad was read first, its grad before
        self.known: set[int] = set()  # ids of values that were there before
        self.checks: list[tuple[Any, Callable]] = []  # what is looked at of inputs, each time
        self.outside: set[int] = set()  # ids of the storages that were there before
        self.histories: list[tuple[Any, Any, Any]] = []  # tensors that were there before, their edges and storages
        self.views: list[tuple[Any, Value]] = []  # those that were there before, with what they showed
        self.given: list[Value] = []  # the values of the arguments
        self._quiet = 0

    # -- begin and end -------------------------------------------------------------------------------------------------

    def __enter__(self) -> Capture:
        self.trace.open()
        enter(self)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        leave(self)
        if self.trace.owner:  # an error of the user's
            self._give_up()

    def over(self, below: Recorder) -> Recorder:
        """The recorder that asks this watch."""
        return self.trace.into(below, self)

    def leave(self) -> None:
        """End the watch, and forget the trace: all that was recorded has run, or is recorded otherwise."""
        leave(self)
        self.trace.close()

    def _give_up(self) -> None:
        """What was recorded is pending from now on as anything else."""
        from torchlike._core.run import flush

        leave(self)
        with _trace.lock:
            flush(self.device)  # what another thread has recorded
            self.device.trace = _trace.pending[self.device] = self.trace
            self.trace.close()

    def stop(self, reason: str, draws: bool = False) -> None:
        """End the watch: the rest of the call runs as if it were not watched, whether or not it `draws`."""
        if self.reason is None:
            self.reason = reason
            self._give_up()
            self.refuse(reason)

    # -- what happens in between ---------------------------------------------------------------------------------------

    def observes(self, value: Value) -> None:
        """Somebody looks at an array. What was made of nothing but Python's numbers in this call is no secret."""
        if not self._quiet and (value.array is None or id(value) in self.known):
            self.stop("a tensor's elements are looked at")

    def reads_generator(self) -> None:
        """The state of a generator is read."""
        self.stop("the state of a generator is read")

    def settles(self) -> None:
        """Memory that others write to is copied: a copy of which nobody would know what it shows."""
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
        """Numbers that are inputs, found by asking, which changes `host`."""
        self.changed[id(host)] = host
        with self.quietly():
            sequence = ask()
        self.again.append(Numbers(sequence, ask))
        return sequence

    def knows(self, tensor: Any) -> bool:
        """Whether a zero-dim tensor was there before, so that its element can be asked for at each call."""
        value = tensor._storage.value
        return tensor._chain is None and value.array is not None and id(value) in self.known and not self._quiet

    def asks(self, tensor: Any, sequence: Sequence) -> None:
        """The next of an entry's numbers is the element of a tensor at each call."""
        last = self.again[-1] if self.again else None
        if not isinstance(last, Elements) or last.sequence is not sequence:
            last = Elements(sequence)
            self.again.append(last)
        last.places.append((len(sequence), tensor))

    def takes(self, do: Callable[[], Any], host: Host) -> bool:
        """Do something on the host now, and at each later call, which changes `host`; False where it is part of
        something that is repeated as a whole, and left to the caller."""
        self.changed[id(host)] = host
        if self._quiet:
            return False
        self.again.append(Act(do))
        with self.quietly():
            do()
        return True

    @property
    def is_quiet(self) -> bool:
        """Whether something is being done that is repeated as a whole."""
        return self._quiet > 0

    def quietly(self) -> _Quietly:
        """What is done inside is part of something that is repeated as a whole."""
        return _Quietly(self)

    def writes(self, storage: Any, owner: Any) -> None:
        """A storage's contents are about to be replaced."""
        if self._quiet:
            self.stop("a tensor is written to by what is repeated on the host")
        elif id(storage) not in self.written:
            edge = None if owner is None else owner._edge
            held = None if owner is None else ref(owner)
            value = storage.value
            ours = value.trace is self.trace and value.array is None
            self.written[id(storage)] = ref(storage), None if ours else value, storage.version, held, edge

    def grad(self, tensor: Any, is_read: bool) -> None:
        """A tensor's `grad` is about to be read or replaced."""
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
    """What `make` draws; a call that is recorded whole draws again each time."""
    capture = current().capture
    return make() if capture is None else capture.draw(make)


def repeats(do: Callable[[], Any], host: Host) -> bool:
    """Whether a call is being recorded whole, of which this act on the host is a part: then it is done here, now and at
    each later call. It changes `host`."""
    return current().capture is not None and current().capture.takes(do, host)
