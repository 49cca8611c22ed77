"""Recording of operators. Each operator is appended to the trace of its device; a flush runs the trace."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Protocol
from weakref import ref

from numpy import ndarray

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import meta
from torchlike._dtypes.recorder import Recorder, current, plain
from torchlike._engine.trace import failures
from torchlike._engine.trace.plan import Plan
from torchlike._engine.trace.value import Value

lock = threading.RLock()
closed = threading.Condition(lock)  # notified when a thread closes its `OwnTrace`
pending: dict[Device, Trace] = {}


class _Limit:
    """The maximum number of results in a trace, and of bytes that only the trace keeps alive.

    A larger trace is flushed, so that a loop without flushes runs in pieces. A length of 0 runs each operator
    immediately (the executor `"immediate"`).
    """

    __slots__ = ("bytes", "length")
    LONGEST = 4096

    def __init__(self) -> None:
        self.length = self.LONGEST
        self.bytes = 1 << 30


limit = _Limit()


class _Latest:
    """The sequence number of the newest gradient node of all threads (`node`), and the callback for new nodes (`made`).

    Anomaly detection sets the callback. It is on or off for the whole process, as in PyTorch.
    """

    __slots__ = ("made", "node")

    def __init__(self) -> None:
        self.node = 1
        self.made: Callable[[Any], None] | None = None


latest = _Latest()


class Cuts(Protocol):
    """An object that records where programs end (`_engine/ahead/session.py`)."""

    def cut(self, device: Device) -> None:
        """End a program of a device. Its operators stay pending."""
        ...

    def needs(self, device: Device) -> None:
        """Called before the pending operators of a device run."""
        ...

    def grown(self, device: Device) -> None:
        """Called after an operator was appended to a trace that is longer than a program may be."""
        ...


class _Ahead:
    """The recorder of programs that are compiled ahead of time and not run, or None."""

    __slots__ = ("session",)

    def __init__(self) -> None:
        self.session: Cuts | None = None


ahead = _Ahead()
# Called with the plan of every operator: immediately on the meta device, otherwise when the operator runs.
observers: list[Callable[[Plan], None]] = []


class Elsewhere(Exception):
    """Raised if an input is pending in another thread's open trace.

    The caller waits for it, then records the operator again.
    """

    def __init__(self, value: Value) -> None:
        self.value = value


class Trace:
    """The operators recorded on one device since the last flush.

    `code` is a flat list of entries. Each entry is a plan followed by the slots of its inputs. A slot >= 0 is the n-th
    result of this trace; a slot < 0 is input `~slot`. The trace references its results weakly: a result without other
    references at the flush is not an output of the program. It also references its inputs weakly (their arrays
    strongly): the array of an input whose Value was freed may be donated. `scalars` has one sequence of numbers for
    each entry with runtime numbers. A gradient operator uses the same sequence object as its forward operator, so the
    program takes these numbers once. `before` is the sequence number of the newest gradient node when the trace began.
    `puts` has one item for each write of a result to a storage: the storage, its previous contents (a Value, or the
    slot of a result or input), and the slot of the result. `mesh` is the mesh of its collectives, or None. `elements`
    counts the operations on single elements of its results. `is_heavy` says that only the trace keeps more than
    `limit.bytes` alive. `taken` is the number of elements of the inputs that were added since the last check.
    """

    __slots__ = (
        "arrays",
        "before",
        "code",
        "elements",
        "hosts",
        "inputs",
        "is_heavy",
        "mesh",
        "puts",
        "results",
        "scalars",
        "taken",
    )

    def __init__(self) -> None:
        self.before = latest.node
        self.code: list = []
        self.mesh: Any = None
        self.elements = self.taken = 0
        self.is_heavy = False
        self.scalars: list[Sequence] = []
        self.inputs: list[ref[Value]] = []
        self.arrays: list = []
        self.hosts: list[int] = []  # the inputs that are NumPy arrays
        self.results: list[ref[Value]] = []
        self.puts: list[tuple[ref, int | Value, int]] = []

    def adopt(self, value: Value) -> None:
        """Add a concrete value to this trace's inputs."""
        array = value.array
        if array is None:
            self._adopt_settled(value)
            return
        arrays = self.arrays
        if array.__class__ is ndarray:
            self.hosts.append(len(arrays))
        slot = ~len(arrays)
        arrays.append(array)
        self.inputs.append(ref(value))
        self.taken += value.aval.numel
        if self.taken > limit.bytes >> 2:
            self._weigh()
        value.slot, value.trace = slot, self  # last, so that `repair` can undo an interrupted call

    def _weigh(self) -> None:
        """Set `is_heavy`. An input that an in-place operator replaces does not count: a step replaces parameters."""
        self.taken = 0
        replaced = {~slot for _, slot, _ in self.puts if isinstance(slot, int)}
        alone = [i for i, r in enumerate(self.inputs) if r() is None and i not in replaced]
        self.is_heavy = sum([getattr(self.arrays[i], "nbytes", 0) for i in alone]) > limit.bytes  # 0 for a `Failed`

    def _adopt_settled(self, value: Value) -> None:
        settled = value.settle()
        if settled is value:
            if self is value.aval.device.trace and is_elsewhere(value):
                raise Elsewhere(value)  # waiting here would show other threads an incomplete entry
            if arrived(value):
                return self.adopt(value)
            failures.check(value)
            raise _errors.recording.abandoned()
        if settled.trace is not self:
            self.adopt(settled)
        value.slot, value.trace = settled.slot, self

    def take(self, plan: Plan, values: Sequence[Value], scalars: Sequence) -> tuple[Value, ...]:
        """Append one operator and return the Values of its results."""
        made: list[Value] = []
        with lock:
            try:
                for value in values:
                    if value.trace is not self:
                        self.adopt(value)
                self.code.append(plan)
                self.code += [value.slot for value in values]
                if scalars:
                    self.scalars.append(scalars)
                for aval in plan.outputs:
                    made.append(Value(aval, None, len(self.results), self))
                    self.results.append(ref(made[-1]))
            except BaseException:
                self.repair()
                raise
        return tuple(made)

    def emptied(self) -> Iterator[None]:
        """Return an iterator that drops the contents of this trace after its run. The iterator runs in C.

        The Trace object may outlive the run: its inputs and results still reference it.
        """
        return map(setattr, repeat(self), _CONTENTS, repeat([]))

    def repair(self) -> None:
        """Drop an incomplete last entry, left by an interrupt or by an input that cannot be used."""
        code, position, results, scalars = self.code, 0, 0, 0
        while position < len(code):
            plan = code[position]
            end, made = position + 1 + len(plan.inputs), results + len(plan.outputs)
            if end > len(code) or made > len(self.results) or scalars + bool(plan.scalars) > len(self.scalars):
                break
            position, results, scalars = end, made, scalars + bool(plan.scalars)
        del code[position:], self.results[results:], self.scalars[scalars:], self.arrays[len(self.inputs) :]
        self.hosts = [i for i in self.hosts if i < len(self.arrays)]


_CONTENTS = ("arrays", "code", "hosts", "inputs", "puts", "results", "scalars")


class OwnTrace(Trace):
    """A trace of one thread that flushes do not run.

    While it is open, its thread records into it. Other threads that need one of its values wait until it closes.
    """

    __slots__ = ("device", "others", "owner")

    def __init__(self, device: Device) -> None:
        super().__init__()
        self.device = device
        self.others: set[Device] = set()  # the other devices on which operators were recorded while it was open
        self.owner = 0  # the id of the thread while the trace is open, else 0

    def record(self, plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> tuple[Value, ...]:
        """Append an operator to this trace, or to its own device's trace if it runs on another device."""
        device = plan.outputs[0].device
        if device is self.device:
            return self.take(plan, values, scalars)
        if device is not meta:
            self.others.add(device)
        return append(plan, values, scalars)

    def record_one(self, plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> Value:
        """Do the same as `record` for a plan with one result, and return its Value."""
        return self.record(plan, values, scalars)[0]

    def into(self, below: Recorder, capture: Any) -> Recorder:
        """Return a copy of the recorder `below` that appends to this trace and has `capture` as its capture."""
        many, one = self.record, self.record_one
        functions: dict[str, Any] = {"append": many, "append_one": one, "moves": False}
        if below.record is below.append:  # else `below.record` is a transform that ends by calling `append`
            functions |= {"record": many, "record_one": one}
        return below.but(capture=capture, **functions)

    @property
    def is_elsewhere(self) -> bool:
        """True if the trace is open in another thread."""
        return self.owner not in (0, threading.get_ident())

    def open(self) -> None:
        """Begin or continue recording in this thread."""
        self.owner = threading.get_ident()

    def close(self) -> None:
        """End the recording and wake the threads that wait for its values."""
        with lock:
            self.owner = 0
            closed.notify_all()


def is_elsewhere(value: Value) -> bool:
    """Return whether a value is pending in a trace that is open in another thread."""
    return value.array is None and isinstance(value.trace, OwnTrace) and value.trace.is_elsewhere


def wait_for(value: Value) -> bool:
    """Wait while a value is pending in a trace that is open in another thread. Return whether it was pending there."""
    if not is_elsewhere(value):
        return False
    trace = value.trace
    with lock:
        while trace.is_elsewhere:
            closed.wait()
    return True


def arrived(value: Value) -> bool:
    """Flush the device's trace if the value is pending there, or wait for another thread's trace.

    Return whether either was needed.
    """
    trace, device = value.trace, value.aval.device
    if value.array is not None or trace is None or trace is not device.trace:
        return wait_for(value)
    _flush(device)
    return True


def operators(code: Sequence) -> Iterator[tuple[Plan, Sequence[int]]]:
    """Yield the entries of a trace's code: each plan with the slots of its inputs."""
    position = 0
    while position < len(code):
        plan = code[position]
        end = position + 1 + len(plan.inputs)
        yield plan, code[position + 1 : end]
        position = end


def mesh_of(code: Sequence) -> Any:
    """Return the mesh of the collectives of a trace, or None if there are none."""
    found: Any = None
    for plan, _ in operators(code):
        if plan.mesh is not None and plan.mesh is not found:
            found = plan.mesh if found is None else found.joined(plan.mesh)
    return found


def observe(plans: Iterable[Plan]) -> None:
    """Call every observer with each plan."""
    for plan in plans:
        for look in observers:
            look(plan)


def _begin(device: Device) -> Trace:
    device.trace = pending[device] = Trace()
    return device.trace


def record(plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> tuple[Value, ...]:
    """Record one operator with this thread's current recorder and return the Values of its results."""
    return current().record(plan, values, scalars)


def record_one(plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> Value:
    """Do the same as `record` for a plan with one result, and return its Value."""
    return current().record_one(plan, values, scalars)


def append(plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> tuple[Value, ...]:
    """Append one operator to its device's trace and return the Values of its results."""
    if plan.single is not None:
        return (append_one(plan, values, scalars),)
    device = plan.outputs[0].device
    if device is meta:
        if observers:
            observe((plan,))
        return tuple([Value(a) for a in plan.outputs])
    with lock:
        trace = device.trace or _begin(device)
        try:
            made = trace.take(plan, values, scalars)
        except Elsewhere as error:
            wait_for(error.value)
            return append(plan, values, scalars)
        if len(trace.results) > limit.length or trace.is_heavy:
            _end_program(device, trace, made[-1])
    return made


def append_one(plan: Plan, values: Sequence[Value], scalars: Sequence = ()) -> Value:
    """Do the same as `append` for a plan with one result, and return its Value.

    This is the hot path, so the Value is made without calling `__init__`.
    """
    aval: Any = plan.single
    device = aval.device
    made = _new(Value)
    made.aval = aval
    made.array = made.stamp = None
    if device is meta:
        if observers:
            observe((plan,))
        made.trace, made.slot = None, 0
        return made
    with lock:
        trace = device.trace
        if trace is None:
            trace = _begin(device)
        code = trace.code
        try:
            code.append(plan)
            for value in values:
                if value.trace is not trace:
                    trace.adopt(value)
                code.append(value.slot)
            if scalars:
                trace.scalars.append(scalars)
            results = trace.results
            made.trace = trace
            made.slot = len(results)
            results.append(ref(made))
        except BaseException as error:
            trace.repair()
            if error.__class__ is Elsewhere:
                wait_for(error.value)  # type: ignore[attr-defined]
                return append_one(plan, values, scalars)
            raise
        if made.slot >= limit.length or trace.is_heavy:
            _end_program(device, trace, made)
    return made


def _end_program(device: Device, trace: Trace, last: Value) -> None:
    if ahead.session is not None:
        ahead.session.grown(device)
        return
    _flush(device)
    wait = getattr(last.array, "block_until_ready", None)
    if trace.is_heavy and wait is not None:  # JAX keeps the inputs of programs that it has not yet run
        wait()


def _flush(device: Device) -> None:
    from torchlike._engine.trace.flush import flush

    flush(device)


plain.record, plain.record_one, plain.append, plain.append_one = append, append_one, append, append_one
_new = object.__new__
end = vars(Device)["trace"].__set__  # sets a device's trace, in C
