"""The conversion of a captured call to a replay: find the sources of its inputs and the targets of its results."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from torchlike import _errors
from torchlike._compile.differentiable import Gradient
from torchlike._compile.operator_replay import DifferentiableReplay
from torchlike._compile.places import same
from torchlike._compile.purity import Refusal
from torchlike._compile.replay import (
    ARGUMENT,
    CONSTANT,
    COTANGENT,
    DRAW,
    ENTRY,
    GRAD,
    MEMORY,
    STATE,
    VIEW,
    Grad,
    Replay,
    Source,
    Write,
    in_order_of_reading,
)
from torchlike._compile.results import Results
from torchlike._engine import Value
from torchlike._engine.trace.capture import Capture, Elements, Sample
from torchlike._engine.trace.ownership import LIST_ITEM
from torchlike._sparse import maker, members
from torchlike._tensor.storage import Storage
from torchlike._tensor.tensor import Tensor


class Recording:
    """A captured call that is being converted to a replay.

    Args:
      capture: the capture of the call.
      results: the structure of the call's result.
      tensors: the tensors among the call's arguments.
      state: the reachable tensors that outlive the call.
    """

    replays: tuple[type[Replay], type[DifferentiableReplay]] = Replay, DifferentiableReplay

    def __init__(self, capture: Capture, results: Results, tensors: Sequence[Tensor], state: Sequence[Tensor]) -> None:
        self.capture, self.results, self.tensors, self.state = capture, results, tensors, state
        self.trace = capture.trace
        self.draws = [x for x in capture.repeated if isinstance(x, Sample)]
        self._outside: dict[int, Source] = {}  # sources of storages that outlive the call, by id
        capture.outside = {id(tensor._storage) for tensor in state}
        for tensor in state:
            self._outside[id(tensor._storage)] = Source(STATE, tensor._storage)
        for tensor, read in results.assigned.entries.values():
            self._outside[id(tensor._storage)] = Source(ENTRY, read)
        for i, tensor in reversed(list(enumerate(tensors))):
            self._outside[id(tensor._storage)] = Source(MEMORY, i)

    def check(self) -> None:
        """Check that the call can be replayed.

        Raises:
          Refusal: if it cannot, with the reason.
        """
        self._check_devices()
        self._check_shared()
        self._check_histories()
        writes, grads = self._writes(), self._grads()
        self._pass_on(writes, grads)
        self._check_known(self._sources([])[1])
        self._find_elements()

    def made(self, gradient: Gradient | None) -> tuple[Replay, str | None]:
        """Compile the call and run it.

        The backward pass for the gradient has freed the graph of the call. With a gradient, the call is therefore run
        here even if the replay must not be reused.

        Returns:
          The replay, and the reason why it must not be reused, or None.

        Raises:
          Refusal: without a gradient, if a value of the trace is referenced outside of the call.
        """
        plain, differentiable = self.replays
        writes, grads = self._writes(), self._grads()
        self._pass_on(writes, grads)
        sources, unknown = self._sources([] if gradient is None else gradient.cotangents)
        writes = in_order_of_reading(writes, sources)
        wanted = {w.value for w in writes} | {v for g in grads for v in g.values} | {*self.results.values()}
        escaped = self._escaped(wanted)
        if gradient is None:
            if escaped:
                raise Refusal(_errors.compiling.ESCAPES)
            return plain(self.capture, sources, writes, grads, self.results, self.tensors), None
        reason = _errors.compiling.ESCAPES if escaped else None
        try:
            self._check_known(unknown)
        except Refusal as refusal:
            reason = str(refusal)
        return differentiable(
            self.capture, sources, writes, grads, self.results, self.tensors, gradient, escaped
        ), reason

    def _pass_on(self, writes: list[Write], grads: list[Grad]) -> None:
        """Add to the inputs of the trace the values that are stored or returned without being computed."""
        for value in [*(w.value for w in writes), *(v for g in grads for v in g.values), *self.results.values()]:
            if value.trace is not self.trace:
                self.trace.adopt(value)

    def _check_devices(self) -> None:
        devices = {value.aval.device for value in [*self.trace.held, *self.results.values()]}
        if self.trace.others or devices - {self.capture.device}:
            raise Refusal("it works on more than one device")

    def _check_shared(self) -> None:
        if any(t._storage.shared and t._chain is not None for t in self.state):
            raise Refusal("it uses a view of memory that is shared with NumPy")

    def _check_histories(self) -> None:
        """Refuse a call that changes the history, the storage or the attributes of a tensor from outside.

        A replay repeats only writes to elements and to `.grad`.
        """
        for tensor, edge, storage in self.capture.histories:
            if not same([tensor._edge], [edge]) or tensor._storage is not storage:
                raise Refusal("it changes the autograd history or the storage of an outside tensor")
        if any(t.__dict__ for t in self.tensors):
            raise Refusal("it sets attributes or hooks on an argument")
        before = [grad for *_, grad in self.capture.grads.values() if grad is not None]
        old = {id(member._storage) for grad in before for member in members(grad)}
        if any(id(t._storage) in old for t in self.tensors):
            raise Refusal("an argument is the gradient of a tensor whose gradient is replaced")
        grads = self._new_grads()
        storages = [id(m._storage) for grad in grads for m in members(grad)]
        if len({*storages}) < len(storages) or not old.union(self._outside).isdisjoint(storages):
            raise Refusal("it sets a gradient to a tensor that shares memory with another tensor")
        if any(t is grad for t in self.results.new for grad in grads):
            raise Refusal(_errors.compiling.returned_grad())

    # -- inputs --------------------------------------------------------------------------------------------------------

    def _sources(self, cotangents: Sequence[Value]) -> tuple[list[Source], list[Value]]:
        """Return the source of each input, and the inputs of unknown source, which become constants."""
        places = self._places() | {id(value): Source(COTANGENT, i) for i, value in enumerate(cotangents)}
        arrays = {id(draw.array): i for i, draw in enumerate(self.draws)}
        sources, unknown = [], []
        for value in self.trace.held:
            source = places.get(id(value))
            if source is None and id(value.array) in arrays:
                source = Source(DRAW, arrays[id(value.array)])
            if source is None:
                unknown.append(value)
                source = Source(CONSTANT, value.twin())  # a copy of the Value without a reference to the trace
            sources.append(source)
        claimed = {s.what for s in sources if s.kind == DRAW}
        if len(claimed) < len(self.draws) and not cotangents:
            raise Refusal("random numbers are changed on the host before they are used")
        return sources, unknown

    def _places(self) -> dict[int, Source]:
        places: dict[int, Source] = {}
        for held, value, *_ in self.capture.written.values():
            source = self._outside.get(id(held()))
            if source is not None and value is not None:
                places[id(value)] = source
        for tensor in self.state:
            storage = tensor._storage
            if storage.shared:
                if storage._loan.settled is not None:
                    places[id(storage._loan.settled)] = Source(STATE, storage)
            elif self.capture.written_to(storage) is None:
                places[id(storage.value)] = Source(STATE, storage)
        for tensor, read in self.results.assigned.entries.values():
            if self.capture.written_to(tensor._storage) is None:
                places[id(tensor._storage.value)] = Source(ENTRY, read)
        places |= {id(value): Source(VIEW, view) for view, value in self.capture.views}
        for tensor, grad_value, is_read in self._old_grads():
            if is_read or id(grad_value) not in places:  # a gradient may share the memory of a parameter
                places[id(grad_value)] = Source(GRAD, self._named(tensor))
        for i, tensor in enumerate(self.tensors):
            if tensor._storage.shared and tensor._storage._loan.settled is not None:
                places[id(tensor._storage._loan.settled)] = Source(MEMORY, i)
        for i, value in enumerate(self.capture.given):
            places[id(value)] = Source(ARGUMENT, i)
        return places

    def _named(self, tensor: Tensor) -> Tensor | int:
        """Return the tensor, or its index if it is an argument."""
        return next((i for i, argument in enumerate(self.tensors) if argument is tensor), tensor)

    def _old_grads(self) -> Any:
        """Yield each tensor that had a gradient, its value, and whether the call reads `.grad`."""
        for held, is_read, grad in self.capture.grads.values():
            tensor = held()
            if tensor is not None and grad is not None and not grad.is_sparse:
                written = self.capture.written_to(grad._storage)
                yield tensor, grad._storage.value if written is None else written[1], is_read

    def _check_known(self, unknown: list[Value]) -> None:
        """Refuse inputs of unknown source that belong to a storage from outside.

        The other inputs of unknown source were made from Python numbers. Usually only the trace and `unknown` refer to
        them. If something else does, all objects of the process are searched, which takes long.
        """
        held = [unknown[i] for i in range(len(unknown)) if getrefcount(unknown[i]) > LIST_ITEM + 1]
        if not held:
            return
        ids = {id(value) for value in held}
        returned = {id(s) for s in self.results.storages()}
        for found in gc.get_referrers(*held):
            if isinstance(found, Storage) and not found.shared and id(found.value) in ids and id(found) not in returned:
                raise Refusal("it reads a tensor that guards cannot track")

    def _find_elements(self) -> None:
        """Find the source of each tensor element that is used as a runtime number."""
        asked = [x for x in self.capture.repeated if isinstance(x, Elements)]
        places = self._places() if asked else {}
        for x in asked:
            x.places = [(position, places.get(id(value))) for position, value in x.places]
            if any(source is None for _, source in x.places):
                raise Refusal("it reads a number from a tensor that guards cannot track")

    # -- results -------------------------------------------------------------------------------------------------------

    def _writes(self) -> list[Write]:
        returned = {id(s) for s in self.results.storages()} | {
            id(m._storage) for g in self._new_grads() for m in members(g)
        }
        old_grads = {id(m._storage): tensor for tensor, grad in self._kept_grads() for m in members(grad)}
        writes = []
        for held, _, version, owner, edge in self.capture.written.values():
            storage = held()
            if storage is None or id(storage) in returned:
                continue
            if owner is not None and owner() is not None and owner()._edge is not edge:
                raise Refusal("it writes to an outside tensor, and autograd records the write")
            target = self._outside.get(id(storage))
            if id(storage) in old_grads:
                target = Source(GRAD, self._named(old_grads[id(storage)]))
            if target is None:
                raise Refusal(_errors.compiling.ESCAPES)
            if target.kind == ENTRY:
                raise Refusal("it writes to a tensor and replaces it")
            writes.append(Write(target, storage, storage.value, storage.version - version))
        return writes

    def _kept_grads(self) -> list[tuple[Any, Any]]:
        """Return the tensors whose `.grad` is the same tensor as before the call, paired with that gradient."""
        found = [(held(), before) for held, _, before in self.capture.grads.values()]
        return [(t, g) for t, g in found if t is not None and g is not None and t._grad is g]

    def _new_grads(self) -> list[Any]:
        found = []
        for held, _, before in self.capture.grads.values():
            tensor = held()
            if tensor is not None and tensor._grad is not None and tensor._grad is not before:
                found.append(tensor._grad)
        return found

    def _grads(self) -> list[Grad]:
        found = []
        for held, is_read, before in self.capture.grads.values():
            tensor = held()
            if tensor is None:
                continue
            now = tensor._grad
            was_there = before is not None if is_read else None
            if before is not None and before.is_sparse and (is_read or now is before):
                raise Refusal("it uses a sparse gradient from before the call")
            tensor = self._named(tensor)
            if before is not None and now is before and not is_read:
                raise Refusal("it sets a gradient to its previous tensor")
            if now is None or now is before:
                found.append(Grad(tensor, was_there, is_read and now is before))
                continue
            if any(m._chain is not None or m._edge is not None for m in members(now)):
                raise Refusal("a gradient is a view or has an autograd history")
            values = tuple(m._storage.value for m in members(now))
            found.append(Grad(tensor, was_there, False, maker(now), values))
        return found

    def _escaped(self, wanted: set[Value]) -> list[Value]:
        """Return the results of the trace that are still referenced but not in `wanted`."""
        live = [v for v in (r() for r in self.trace.results) if v is not None and v not in wanted]
        if live:
            del live
            gc.collect(1)  # the call's objects are young; a full collection of a large program takes seconds
            live = [v for v in (r() for r in self.trace.results) if v is not None and v not in wanted]
        return live
