"""The replay of a captured call: gather the inputs, run the executable, store its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from operator import add, attrgetter
from sys import getrefcount
from typing import Any, NamedTuple
from weakref import WeakSet, ref

import numpy as np

from torchlike import _native
from torchlike._compile import whole_program
from torchlike._compile.guards import Attributes
from torchlike._compile.old_gradients import JaxArray, OldGradients
from torchlike._compile.purity import Refusal
from torchlike._compile.results import Results
from torchlike._engine import Aval, Value, boundary, concrete, element, to_numpy, uninterrupted
from torchlike._engine.ranks.meeting import DifferentProgram
from torchlike._engine.trace.capture import Capture, Elements, Numbers, Sample
from torchlike._engine.trace.interrupts import assign, reraise
from torchlike._engine.trace.known import elements
from torchlike._engine.trace.ownership import LOCAL, has_lent
from torchlike._engine.trace.trace import lock, operators
from torchlike._engine.xla import layout, memory, transfers
from torchlike._engine.xla.layout import MeshExecutable
from torchlike._engine.xla.mesh import active
from torchlike._errors.callers import users_place
from torchlike._mesh.inputs import aligned, known
from torchlike._sparse import members
from torchlike._tensor.tensor import Tensor

DIFFERENT = "the members of the process group run different programs"
ARGUMENT, MEMORY, STATE, VIEW, GRAD = "argument", "memory", "state", "view", "grad"
DRAW, CONSTANT, COTANGENT, ENTRY = "draw", "constant", "cotangent", "entry"


class Source(NamedTuple):
    """The source of an input.

    The meaning of `what` depends on `kind`. ARGUMENT: the index of an argument whose value is used. MEMORY: the index
    of an argument whose whole storage is used. STATE: a storage. VIEW: a view. GRAD: a tensor whose gradient is used,
    or its index if it is an argument. DRAW: the index of a random sample. CONSTANT: a value. COTANGENT: the index of an
    incoming gradient. ENTRY: a function that returns the tensor in an attribute that the call assigns to.
    """

    kind: str
    what: Any


class Write(NamedTuple):
    """A write to a storage.

    Attributes:
      target: the source from which a replay finds the storage.
      storage: the storage in the captured call.
      value: the new value.
      step: the increment of the version counter.
    """

    target: Source
    storage: Any
    value: Value
    step: int


class Grad(NamedTuple):
    """The `.grad` of a tensor after the call.

    Attributes:
      tensor: the tensor, or its index if it is an argument.
      before: whether a gradient must exist before the call; None if it does not matter.
      kept: whether the call keeps the tensor that is in `.grad`.
      make: a function that builds the new gradient from `values`; None if `.grad` is set to None.
      values: the values of the new gradient.
    """

    tensor: Tensor | int
    before: bool | None
    kept: bool
    make: Callable[..., Tensor] | None = None
    values: tuple[Value, ...] = ()


def in_order_of_reading(writes: list[Write], sources: Sequence[Source]) -> list[Write]:
    """Sort writes: those to storages that are also read come first, in the order of `sources`."""
    read = {id(s.what): i for i, s in enumerate(sources) if s.kind == STATE}
    last = len(sources)
    return sorted(writes, key=lambda w: read.get(id(w.target.what), last) if w.target.kind == STATE else last)


def _inspected(capture: Capture, sources: list[Source]) -> dict[int, Source]:
    """Return the sources of the inputs whose elements are checked before a replay, by the index of the input."""
    inputs = sorted(set().union(*[look.inputs for look, _ in capture.checks]))
    return {i: sources[i] for i in inputs if sources[i].kind not in (DRAW, COTANGENT)}


def _whole(source: Source, tensors: Sequence[Tensor]) -> Any:
    """Return the storage whose whole contents are an input, or None."""
    if source.kind == ARGUMENT:
        return tensors[source.what]._storage if tensors[source.what]._chain is None else None
    return source.what if source.kind == STATE else None


class Replay:
    """A captured call as one executable. `writes` are sorted by `in_order_of_reading`."""

    def __init__(
        self,
        capture: Capture,
        sources: list[Source],
        writes: list[Write],
        grads: list[Grad],
        results: Results,
        tensors: Sequence[Tensor],
    ) -> None:
        self.device = capture.device
        self._repeated, self._guards = capture.repeated, capture.guards
        self._hosts = [*capture.changed.values()]
        self._checked: list[ref[Value]] = []  # the values that passed the last check of elements
        self._looked = _inspected(capture, sources)
        self._came: WeakSet[Value] = WeakSet()  # host values that were inputs of an earlier call
        self._checks, self._scalars = capture.checks, capture.trace.scalars
        self._sources, self._code = sources, tuple(capture.trace.code)
        self._results, self.assigned = results, results.assigned
        self._states = capture.outside
        self._aliases = self._aliased(tensors)
        self._views = self._viewed(
            capture, tensors, [*[s for s in sources if s.kind == MEMORY], *[w.target for w in writes]]
        )
        self._expect_gradients(capture, grads, tensors)
        self._writes = [(w.target.kind, w.target.what, w.step) for w in writes]
        # The same in columns, for calls that write only to state.
        self._written, self._steps = [w.target.what for w in writes], [w.step for w in writes]
        self._grads = [(g.tensor, g.make, len(g.values)) for g in grads if not g.kept]
        self._old = OldGradients(self.device, _replaced(grads, sources))
        outputs = [w.value for w in writes] + [v for g in grads for v in g.values] + results.values()
        self._avals: list[Aval] = [value.aval for value in outputs]
        self._begin = len(outputs) - len(results.values())
        self._read = self._read_state(capture, sources)
        self._draw_avals = {s.what: v.aval for s, v in zip(sources, capture.trace.held) if s.kind == DRAW}
        # A pure call depends only on its arguments and writes nothing.
        other = any(s.kind not in (ARGUMENT, CONSTANT) for s in sources)
        self._is_pure = not (writes or grads or self._repeated or self._guards or self._checks or self._states or other)
        self._is_pure = self._is_pure and not (self._views or results.assigned.slots) and capture.trace.mesh is None
        self._make(capture, outputs)
        results.settle()

    def _read_state(self, capture: Capture, sources: list[Source]) -> Attributes:
        """Set `read`, the ids of the outside storages that the call reads. Return guards of their shapes and dtypes."""
        read = [(s.what, v.aval) for v, s in zip(capture.trace.held, sources) if s.kind == STATE]
        self.read = {id(storage) for storage, _ in read}
        return Attributes([storage for storage, _ in read], "value.aval", [aval for _, aval in read])

    def _expect_gradients(self, capture: Capture, grads: list[Grad], tensors: Sequence[Tensor]) -> None:
        """Set the guards of the gradients that tensors have, or do not have, before the call."""
        expected = [g for g in grads if g.before is not None]
        without = [g.tensor for g in expected if not g.before and isinstance(g.tensor, Tensor)]
        self._without = Attributes(without, "_grad", [None] * len(without))
        self._expected = [(g.tensor, g.before) for g in expected if g.before or not isinstance(g.tensor, Tensor)]
        befores = [capture.grads[id(of(g.tensor, tensors))][2] for g in expected if g.before]
        self._shared_grads = self._shared(befores)

    def first(self, tensors: Sequence[Tensor]) -> None:
        """Finish the captured call after the gradient edges of its arguments are restored. Here, do nothing."""

    def executable(self) -> Any:
        """Return XLA's executable."""
        return self.program.compiled

    def difference(self, other: Replay) -> str:
        """Describe the first difference from another recording of the same call, or return "" if they are equal."""
        if self._code != other._code:
            return "the operators differ"
        if [s.kind for s in self._sources] != [s.kind for s in other._sources]:
            return "the sources of the inputs differ"
        for mine, yours in zip(self._sources, other._sources):
            if mine.kind == CONSTANT and to_numpy(mine.what).tobytes() != to_numpy(yours.what).tobytes():
                return "the elements of a constant differ"
            if mine.kind != CONSTANT and mine.what is not yours.what and mine.what != yours.what:
                return "the sources of the inputs differ"
        sequences = {id(x.sequence) for x in self._repeated if isinstance(x, Numbers)}
        asked = {i for i, x in enumerate(self._scalars) if id(x) in sequences}
        for i, (mine, yours) in enumerate(zip(self._scalars, other._scalars)):
            if i not in asked and repr([*mine]) != repr([*yours]):
                return f"the runtime numbers changed from {[*mine]} to {[*yours]}"
        return ""

    def _make(self, capture: Capture, outputs: list[Value]) -> None:
        """Compile, and compute the results of the captured call. The storages already contain their Values."""
        trace = capture.trace
        self._arrange({id(what) for kind, what, _ in self._writes if kind == STATE})
        asked = [x for x in self._repeated if isinstance(x, Numbers)]
        self._packs = whole_program.Packs(self.device, trace, asked)
        live = tuple([value.slot for value in outputs])
        layout.place(self.device, trace, self._order, lambda mesh: known(mesh, trace, self._sources))
        # Overwritten inputs are copied for this run, because the capture still references their old contents.
        private = transfers.private([trace.arrays[i] for i in self._order], self.device)
        kept = [trace.arrays[i] for i in range(len(trace.arrays)) if i not in set(self._order)]
        given = ([*private, *self._old.fresh()], kept, self._packs.now([x.sequence for x in asked]))
        self.program = whole_program.find(self.device, trace, live, self._order, self._old.avals, self._packs, given)
        try:
            self.program.meet()
        except DifferentProgram:
            raise Refusal(DIFFERENT) from None
        with uninterrupted():
            arrays = self.program.run(self.device, *given)
            self.program.account.runs += 1
            for value, array in zip(outputs, arrays):
                value.array, value.trace = array, None  # storages keep the Value, which must not reference the trace
            capture.leave()
            trace.drop_inputs()

    def _arrange(self, written: set[int]) -> None:
        """Split the inputs into those that are overwritten and the others, and list the overwritten storages."""
        states = [(i, s.what) for i, s in enumerate(self._sources) if s.kind == STATE]
        self._order = tuple([i for i, storage in states if id(storage) in written])
        self._replaced = [storage for i, storage in states if id(storage) in written]
        self._no_stamps = [None] * len(self._replaced)
        self._rest = [s for i, s in enumerate(self._sources) if i not in set(self._order)]

    # -- inputs --------------------------------------------------------------------------------------------------------

    def _donated(self) -> tuple[list, list]:
        """Return the arrays to donate, and the Value of each.

        If an array has another owner, a copy is donated and its Value is None.
        """
        return self._alone() or self._copied([storage.value for storage in self._replaced])

    def _alone(self) -> tuple[list, list] | None:
        """Return the arrays to donate and their Values, or None if one of them may have another owner.

        The check is done in C. Without the C code, the result is None.
        """
        if _native.same is None:
            return None
        owned = _native.same.alone(self._replaced, "value", Value)
        if owned is None or not _native.same.attributes(owned, ("stamp",), self._no_stamps):
            return None
        arrays = _native.same.alone(owned, "array", JaxArray)
        return None if arrays is None or has_lent(arrays) else (arrays, owned)

    def _copied(self, values: list) -> tuple[list, list]:
        """Return the arrays to donate and their Values. Arrays that have another owner are copied."""
        arrays, owned = [], []
        while values:
            value = values.pop(0)
            array = value.array
            is_held = has_lent((array,)) or getrefcount(value) > LOCAL or getrefcount(array) > LOCAL
            if is_held or array.__class__ is not JaxArray or value.stamp:
                (array,), value = transfers.private([concrete(value.settle())], self.device), None
            arrays.append(array)
            owned.append(value)
        return arrays, owned

    def _values(
        self, sources: Iterable[Source], given: Sequence[Value], tensors: Sequence[Tensor], draws: Sequence[Any]
    ) -> list[Value]:
        """Return the values of `sources` for this call."""
        values = []
        for kind, what in sources:
            if kind == ARGUMENT:
                values.append(given[what])
            elif kind == CONSTANT:
                values.append(what)
            elif kind == STATE:
                values.append(what.value.settle())
            elif kind == DRAW:
                values.append(Value(self._draw_avals[what], draws[what]))
            elif kind == MEMORY:
                values.append(tensors[what]._storage.value.settle())
            elif kind == GRAD:
                values.append(of(what, tensors)._grad._value.settle())
            elif kind == ENTRY:
                values.append(what()._storage.value.settle())
            else:
                values.append(what._read(False).settle())
        return values

    def _kept(self, given: Sequence[Value], tensors: Sequence[Tensor], draws: Sequence[Any]) -> list:
        """Return the arrays of the inputs that are not overwritten."""
        values = self._values(self._rest, given, tensors, draws)
        if active.mesh is not None and isinstance(self.program.compiled, MeshExecutable):
            return aligned(values, self.program.compiled, self._came)
        return [v.array if v.array.__class__ is JaxArray else self._moved(v) for v in values]

    def _moved(self, value: Value) -> Any:
        """Return the array of a host value. At its second use, the value is moved to the device permanently."""
        array = concrete(value)
        if array.__class__ is np.ndarray:
            if value in self._came:
                array = value.array = transfers.to_device(array, self.device)
            self._came.add(value)
        return array

    def takes(self, given: Sequence[Value], tensors: Sequence[Tensor]) -> bool:
        """Return whether all operators accept the elements of the inputs. An index out of range is not accepted."""
        try:
            if self._checks:
                self._check(self._values(self._looked.values(), given, tensors, ()))
        except Exception as error:
            reraise(error)
            return False
        return True

    def _check(self, values: list[Value]) -> None:
        """Check the elements of inputs as PyTorch does, for example the range of indices.

        Values are immutable, so the same values are checked only once.
        """
        if len(values) == len(self._checked) and all([x is was() for x, was in zip(values, self._checked)]):
            return
        arrays = dict(zip(self._looked, map(elements, values)))
        for look, check in self._checks:
            array = look.now(arrays, self._scalars)
            if array is not None:
                check(array)
        self._checked = [ref(value) for value in values]

    # -- the run -------------------------------------------------------------------------------------------------------

    def _aliased(self, tensors: Sequence[Tensor]) -> list[tuple[int, int]]:
        """Return the arguments that share memory with the state, as pairs of an index and the id of a storage."""
        states = self._states
        return [(i, id(t._storage)) for i, t in enumerate(tensors) if id(t._storage) in states]

    def _viewed(
        self, capture: Capture, tensors: Sequence[Tensor], used: Sequence[Source]
    ) -> list[tuple[int, tuple, Aval]]:
        """Return the arguments that are views of memory that the call uses as a whole, with their chains of views."""
        ids = {id(tensors[s.what]._storage if s.kind == MEMORY else s.what) for s in used}
        views = [(i, t) for i, t in enumerate(tensors) if t._chain]
        guarded = [(i, t) for i, t in views if id(t._storage) in ids or self._is_read_again(t, capture, tensors)]
        return [(i, t._chain, t._storage.value.aval) for i, t in guarded]

    def _is_read_again(self, view: Tensor, capture: Capture, tensors: Sequence[Tensor]) -> bool:
        """Return whether the call applies the first operator of a view to the memory of the view, for its `detach`."""
        wholes = [~i for i, source in enumerate(self._sources) if _whole(source, tensors) is view._storage]
        first = view._chain[0][0] if view._chain else None
        return bool(wholes) and any(p is first and slots[0] in wholes for p, slots in operators(capture.trace.code))

    def are_views(self, tensors: Sequence[Tensor]) -> bool:
        """Return whether these arguments view the same parts of their memory as in the captured call."""
        pairs = [(tensors[i], chain, aval) for i, chain, aval in self._views]
        return all([t._chain == chain and t._storage.value.aval == aval for t, chain, aval in pairs])

    def _shared(self, grads: Sequence[Tensor]) -> list[int] | None:
        """Return which gradients share memory with each other or with the state, or None if none does."""
        storages = [id(m._storage) for grad in grads for m in members(grad)]
        if len({*storages}) == len(storages) and self._states.isdisjoint(storages):
            return None
        return [s if s in self._states else storages.index(s) for s in storages]

    def is_valid(self, tensors: Sequence[Tensor]) -> bool:
        """Return whether the guards on tensors pass."""
        if self._is_pure:
            return True
        if self._aliased(tensors) != self._aliases or not (self._read.is_unchanged() and self._without.is_unchanged()):
            return False
        if self._views and not self.are_views(tensors):
            return False
        grads = []
        for tensor, before in self._expected:
            grad = of(tensor, tensors)._grad
            if (grad is not None) is not before:
                return False
            if grad is not None:
                if grad._chain is not None or any(t._storage is grad._storage for t in tensors):
                    return False
                grads.append(grad)
        return (not grads or self._shared(grads) == self._shared_grads) and all([guard() for guard in self._guards])

    def changed(self, tensors: Sequence[Tensor]) -> str | None:
        """Describe the guard on tensors that fails, or return None if all pass."""
        if self._is_pure or self.is_valid(tensors):
            return None
        if self._aliased(tensors) != self._aliases:
            return "the set of arguments that share memory with the state"
        if not self.are_views(tensors):
            return "the view layout of an argument"
        if not self._read.is_unchanged():
            return "the shape or dtype of a tensor"
        return "optimizer or autocast state" if not all([guard() for guard in self._guards]) else "a tensor's gradient"

    def _act(self, given: Sequence[Value], tensors: Sequence[Tensor]) -> tuple[list, list]:
        """Repeat the side effects on the host in order. Return the random samples and the runtime numbers."""
        x: Any
        draws, asked = [], []
        find = lambda source: element(self._values([source], given, tensors, ())[0])
        for x in self._repeated:
            if x.__class__ is Sample:
                draws.append(x.make())
            elif x.__class__ is Numbers:
                asked.append(x.ask())
            elif x.__class__ is Elements:
                asked.append(x.now(find))
            else:
                x.do()
        return draws, asked

    def run(self, given: Sequence[Value], tensors: Sequence[Tensor]) -> Any:
        """Run the call with these arguments and return its result."""
        if self._is_pure:
            values = [given[what] if kind is ARGUMENT else what for kind, what in self._sources]
            arrays = [value.array for value in values]
            for array in arrays:
                if array.__class__ is not JaxArray:
                    arrays = [*map(self._moved, values)]
                    break
            return self._returned(self.program.run(self.device, [], arrays, self._packs.first), tensors)
        with lock:
            boundary()
            undo, found, done = [host.kept() for host in self._hosts], [], []
            try:
                draws, asked = self._act(given, tensors)
                donated, owned = self._donated()
                kept = self._kept(given, tensors, draws)
                inputs = [*donated, *self._old.arrays()], kept, self._packs.now(asked)
                self.program.run_into(found, self.device, inputs)
                returned = self._finish(found[0], owned, tensors, done)
            except BaseException:
                # Counters, generators and parameters have either all their old values or all their new values.
                with uninterrupted():
                    if not found:
                        put_back(undo)
                    elif not done:
                        self._finish(found[0], owned, tensors, done)  # type: ignore[possibly-undefined]
                raise
        self.program.account.runs += 1
        return returned

    def explained(self, error: Exception) -> Exception:
        """Return PyTorch's error for an error of XLA in `run`."""
        return memory.explained(error, self.device, self.program.code, users_place())

    def _finish(self, arrays: list, owned: list, tensors: Sequence[Tensor], done: list) -> Any:
        """Store the results, repeat the assignments, and return the result of the call."""
        with uninterrupted() if self.assigned.slots else nullcontext():
            return self._results.make(self._put(arrays, owned, tensors, done), tensors, None)

    def _put(self, arrays: list, owned: list, tensors: Sequence[Tensor], done: list) -> list[Value]:
        """Store the results and return the values of the returned tensors.

        No signal handler runs between the stores. Afterwards, an element is added to `done`. `owned` are the Values of
        the overwritten storages, or None (see `_donated`).
        """
        count = len(owned)
        fresh = [*map(Value, self._avals[count:], arrays[count:])]
        place = len(self._writes) - count
        holders, grads = [], []
        for tensor, make, parts in self._grads:
            holders.append(of(tensor, tensors))
            grads.append(None if make is None else make(*fresh[place : place + parts]))
            place += parts
        if count < len(self._writes) or None in owned:
            self._put_elsewhere(arrays, owned, tensors, done, zip(holders, grads))
        else:
            versions = [*map(add, map(_VERSION, self._written), self._steps)]
            assign(((owned, "array", arrays), (self._written, "version", versions), (holders, "_grad", grads)), done)
        return fresh[place:]

    def _put_elsewhere(
        self, arrays: list, owned: list, tensors: Sequence[Tensor], done: list, grads: Iterable[tuple[Tensor, Any]]
    ) -> None:
        """Store the results if some storages need a new Value."""
        with uninterrupted():
            for i, (kind, what, step) in enumerate(self._writes):
                storage = what if i < len(owned) else storage_of(kind, what, tensors)
                if i < len(owned) and owned[i] is not None:
                    owned[i].array = arrays[i]
                    storage.version += step
                else:
                    storage.put(Value(self._avals[i], arrays[i]), None, None, step)
            for tensor, grad in grads:
                tensor._grad = grad
            done.append(True)

    def _returned(self, arrays: list, tensors: Sequence[Tensor]) -> Any:
        """Return the result of a pure call."""
        self.program.account.runs += 1
        return self._results.make([*map(Value, self._avals, arrays)], tensors, None)


def _replaced(grads: Sequence[Grad], sources: Sequence[Source]) -> list[tuple[Tensor, Aval]]:
    """Return the tensors whose gradients a call replaces by dense gradients without reading them, with the avals.

    A call that requires that there is no gradient (`before` is False) has nothing to replace.
    """
    read = {id(s.what) for s in sources if s.kind == GRAD}
    new = [g for g in grads if g.before is None and not g.kept and len(g.values) == 1]
    return [(g.tensor, g.values[0].aval) for g in new if isinstance(g.tensor, Tensor) and id(g.tensor) not in read]


def put_back(undo: Sequence[Callable[[], Any]]) -> None:
    """Undo the side effects on the host in reverse order."""
    for each in reversed(undo):
        each()


def storage_of(kind: str, what: Any, tensors: Sequence[Tensor]) -> Any:
    """Return the storage that a call writes to."""
    if kind == MEMORY:
        return tensors[what]._storage
    return of(what, tensors)._grad._storage if kind == GRAD else what


def of(tensor: Tensor | int, tensors: Sequence[Tensor]) -> Tensor:
    """Return the tensor, or the argument with this index."""
    return tensors[tensor] if isinstance(tensor, int) else tensor


_VERSION = attrgetter("version")
