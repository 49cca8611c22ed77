"""The capture of one call of a compiled function: its reads, writes, random samples and runtime numbers.

The call is recorded into a separate trace, which a flush does not run. `Capture.repeated` lists, in order, the host
work that each replay repeats: random sampling, an optimizer's counters, a scheduler's step. Reading an element ends the
capture. The separate trace then becomes the pending trace of its device.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, Protocol
from weakref import ref

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.recorder import Mode, Recorder, current, enter, leave
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.value import Value


class WholeTrace(_trace.OwnTrace):
    """A trace with strong references to its inputs."""

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

    def drop_inputs(self) -> None:
        """Drop the inputs after the trace has run, because a Value that outlives it may refer to the trace."""
        self.arrays, self.held = [], []


class Sample:
    """Random sampling that each call repeats: the array of the captured call, and the function that samples it."""

    __slots__ = ("array", "make")

    def __init__(self, array: Any, make: Callable[[], Any]) -> None:
        self.array, self.make = array, make


class Numbers:
    """Runtime numbers, such as a learning rate. At each call, `ask` returns their current values.

    `steady` are the positions of the numbers that rarely change.
    """

    __slots__ = ("ask", "sequence", "steady")

    def __init__(self, sequence: Sequence, ask: Callable[[], Sequence], steady: Container[int] = ()) -> None:
        self.sequence, self.ask, self.steady = sequence, ask, steady


class Elements(Numbers):
    """Runtime numbers of a trace entry, some of which are elements of zero-dim tensors.

    `places` lists the positions of these elements, each with the tensor's value or with the source from which a replay
    reads the element.
    """

    __slots__ = ("places",)

    def __init__(self, sequence: Sequence) -> None:
        super().__init__(sequence, lambda: sequence)
        self.places: list[tuple[int, Any]] = []

    def now(self, find: Callable[[Any], Any]) -> Sequence:
        """Return the current numbers. `find` returns the current element for an item of `places`."""
        found = [*self.sequence]
        for position, where in self.places:
            found[position] = find(where)
        return found


class SideEffect:
    """Work on the host that is repeated at each call, such as a scheduler's step."""

    __slots__ = ("do",)

    def __init__(self, do: Callable[[], Any]) -> None:
        self.do = do


class Host(Protocol):
    """Host state that each call changes: a generator, a scheduler, an optimizer's counters."""

    def kept(self) -> Callable[[], Any]:
        """Save the state and return a function that restores it."""
        ...


class Capture(Mode):
    """The capture of one call."""

    draws_with = None  # the functions of `_random` sample

    def __init__(self, device: Device, refuse: Callable[[str], None]) -> None:
        self.device = device
        self.trace = WholeTrace(device)
        self.refuse = refuse  # called with the reason if the capture ends early; it may raise
        self.reason: str | None = None
        self.repeated: list[Sample | Numbers | SideEffect] = []
        self.changed: dict[int, Host] = {}  # the state that the work in `again` changes, by id
        self.guards: list[Callable[[], bool]] = []  # additional guards
        self.written: dict[int, tuple[ref, Value | None, int, Any, Any]] = {}
        self.grads: dict[int, tuple[ref, bool, Any]] = {}  # tensor, True if its first use was a read, its grad before
        self.known: set[int] = set()  # ids of values from before the call
        self.checks: list[tuple[Any, Callable]] = []  # checks of the elements of inputs
        self.outside: set[int] = set()  # ids of storages from before the call
        self.histories: list[tuple[Any, Any, Any]] = []  # tensors from before the call: tensor, edge, storage
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
        """Return a recorder that appends to the capture's trace."""
        return self.trace.into(below, self)

    def leave(self) -> None:
        """End the capture and drop the trace. Its operators have run or were recorded elsewhere."""
        leave(self)
        self.trace.close()

    def _give_up(self) -> None:
        """Make the trace the pending trace of its device."""
        from torchlike._engine.trace.flush import flush

        leave(self)
        with _trace.lock:
            flush(self.device)  # run the operators that other threads recorded
            self.device.trace = _trace.pending[self.device] = self.trace
            self.trace.close()

    def stop(self, reason: str, draws: bool = False) -> None:
        """End the capture. The rest of the call runs uncompiled. `draws` matters only in `SubTrace.stop`."""
        if self.reason is None:
            self.reason = reason
            self._give_up()
            self.refuse(reason)

    # -- events during the call ----------------------------------------------------------------------------------------

    def observes(self, value: Value) -> None:
        """End the capture if an array is read.

        An array that this call made from Python numbers may be read, and repeated work may read any array.
        """
        if not self._quiet and (value.array is None or id(value) in self.known):
            self.stop("the elements of a tensor are read")

    def reads_generator(self) -> None:
        """End the capture because the state of a generator is read."""
        self.stop("the state of a generator is read")

    def settles(self) -> None:
        """End the capture because memory shared with NumPy is copied. A replay could not repeat the copy."""
        self.stop("memory that is shared with NumPy is read")

    def draw(self, make: Callable[[], Any]) -> Any:
        """Sample random numbers now and at each replay."""
        if self._quiet:
            return make()
        with self.quietly():
            array = make()
        self.repeated.append(Sample(array, make))
        return array

    def ask(
        self, ask: Callable[[], Sequence], host: Host, steady: Callable[[], Container[int]] | None = None
    ) -> Sequence:
        """Return numbers that are inputs of the program. At each call, `ask` returns them and changes `host`.

        `steady` returns the positions of the numbers that rarely change. An accelerator keeps them until they change.
        """
        self.changed[id(host)] = host
        with self.quietly():
            sequence = ask()
        positions = () if steady is None or self.device.type == "cpu" else steady()
        self.repeated.append(Numbers(sequence, ask, positions))
        return sequence

    def knows(self, tensor: Any) -> bool:
        """Return whether each replay can read the element of a zero-dim tensor.

        This requires that the tensor existed before the call and that its element is computed.
        """
        value = tensor._storage.value
        return tensor._chain is None and value.array is not None and id(value) in self.known and not self._quiet

    def asks(self, tensor: Any, sequence: Sequence) -> None:
        """Record that the next number of `sequence` is the element of a tensor."""
        last = self.repeated[-1] if self.repeated else None
        if not isinstance(last, Elements) or last.sequence is not sequence:
            last = Elements(sequence)
            self.repeated.append(last)
        last.places.append((len(sequence), tensor._storage.value))

    def takes(self, do: Callable[[], Any], host: Host) -> bool:
        """Do host work that changes `host`, now and at each replay, and return True.

        Inside other repeated work, do nothing and return False. The caller then does the work.
        """
        self.changed[id(host)] = host
        if self._quiet:
            return False
        self.repeated.append(SideEffect(do))
        with self.quietly():
            do()
        return True

    @property
    def is_quiet(self) -> bool:
        """True while repeated work is running."""
        return self._quiet > 0

    def quietly(self) -> _Quietly:
        """Return a context in which all operations are part of one unit of repeated work."""
        return _Quietly(self)

    def writes(self, storage: Any, owner: Any) -> None:
        """Called before the contents of a storage are replaced."""
        if self._quiet:
            self.stop("host work that each replay repeats writes to a tensor")
        elif self.written_to(storage) is None:
            edge = None if owner is None else owner._edge
            held = None if owner is None else ref(owner)
            value = storage.value
            ours = value.trace is self.trace and value.array is None
            self.written[id(storage)] = ref(storage), None if ours else value, storage.version, held, edge

    def written_to(self, storage: Any) -> tuple[ref, Value | None, int, Any, Any] | None:
        """Return the record of the first write to a storage, or None if the call has not written to it."""
        known = self.written.get(id(storage))
        return known if known is not None and known[0]() is storage else None  # the id of a freed storage may be reused

    def grad(self, tensor: Any, is_read: bool) -> None:
        """Called before a tensor's `grad` is read or replaced."""
        known = self.grads.get(id(tensor))
        if known is None or known[0]() is not tensor:  # the id of a freed tensor may be reused
            self.grads[id(tensor)] = ref(tensor), is_read, tensor._grad


class _Quietly:
    __slots__ = ("capture",)

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def __enter__(self) -> None:
        self.capture._quiet += 1

    def __exit__(self, *_: object) -> None:
        self.capture._quiet -= 1


def sampled(make: Callable[[], Any]) -> Any:
    """Return the random numbers that `make` samples. Each replay of a captured call samples again."""
    capture = current().capture
    return make() if capture is None else capture.draw(make)


def repeats(do: Callable[[], Any], host: Host) -> bool:
    """If a call is being captured, call `Capture.takes` and return its result. Otherwise return False."""
    return current().capture is not None and current().capture.takes(do, host)
