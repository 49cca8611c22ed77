"""The structure of a captured call's result and assignments, which replays build and repeat."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._compile.assignments import Assignments, Slot
from torchlike._compile.differentiable import is_alive
from torchlike._compile.purity import Refusal
from torchlike._dtypes.devices import meta
from torchlike._dtypes.strides import extent, places
from torchlike._engine import Value, uninterrupted
from torchlike._tensor import views
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, same_memory, wrap

Make = Callable[[Sequence[Any], Sequence[Any]], Any]
Build = Callable[[Sequence[Value], Any, Sequence[Tensor]], Tensor]
_COMPARED = 1 << 20  # elements
_PLAIN = (int, float, bool, complex, str, bytes, type(None))


def _overlap(a: Tensor, b: Tensor) -> bool:
    """Return whether two views of one storage may have elements in common. Large views are not compared in detail."""
    layouts = [(tuple(t.shape), t.stride(), t.storage_offset()) for t in (a, b)]
    (*first, start), (*second, later) = layouts
    ends = [extent(*layout) for layout in layouts]
    if a.dtype is not b.dtype or max(a.numel(), b.numel()) > _COMPARED:
        return True
    if ends[0] <= later or ends[1] <= start:
        return False
    is_held = np.zeros(max(ends), bool)
    is_held[places(*first) + start] = True
    return bool(is_held[places(*second) + later].any())


class Results:
    """The structure of a result, and of the values that the call assigns.

    `make(values, arguments, node)` builds a result and repeats the assignments. `values` are the new values in the
    order of `new`, `arguments` are the tensors among the call's arguments, and `node` is the gradient node of the new
    tensors.

    Args:
      returned: the result of the captured call.
      arguments: the tensors among the call's arguments.
      old: the ids of tensors from before the call.
      grads: the ids of gradients from before the call.
      outside: the ids of storages from before the call. A new tensor that shares one of them cannot be rebuilt.
      assigned: the assignments of the call.
    """

    def __init__(
        self,
        returned: Any,
        arguments: Sequence[Tensor],
        old: Container[int],
        grads: Container[int],
        outside: Container[int],
        assigned: Assignments,
    ) -> None:
        self.new: list[Tensor] = []  # tensors of the captured call; `settle` drops them
        self.roots: list[Tensor] = []  # the new tensors that require grad
        self.assigned = assigned
        self._made: list[Tensor] = []  # `new`, with new meta tensors and detached tensors, in the order of `_builds`
        self._builds: list[Build] = []
        self.views: list[Tensor] = []  # the results of the captured call that are views
        self._arguments, self._old, self._grads, self._outside = arguments, old, grads, outside
        self._returned: Make = self._pattern(returned)
        self._assigned = [self._new_contents(slot) for slot in assigned.slots]

    def make(self, values: Sequence[Value], arguments: Sequence[Any], node: Any) -> Any:
        """Build the result from the values of the new tensors, and repeat the assignments."""
        made: list[Tensor] = []
        for build in self._builds:
            made.append(build(values, node, made))
        if self._assigned:
            with uninterrupted():
                self.assigned.put([part(made, arguments) for part in self._assigned])
        return self._returned(made, arguments)

    def _new_contents(self, slot: Slot) -> Make:
        """Return how to build what the call assigns to a slot."""
        try:
            return self._pattern(slot.new, self.assigned)
        except Refusal:
            raise Refusal(f"it changes {slot.words}") from None

    def _pattern(self, x: Any, assigned: Assignments | None = None) -> Make:
        cls = x.__class__
        if cls in TENSOR_TYPES:
            return self._tensor(x)
        if assigned is not None and assigned.is_kept(x):
            return lambda made, arguments: x
        if cls in _PLAIN or not isinstance(x, list | tuple | dict):
            if cls not in _PLAIN:
                raise Refusal(_errors.compiling.returned(x))
            return lambda made, arguments: x
        if cls is dict:
            keys, parts = list(x), [self._pattern(v, assigned) for v in x.values()]  # type: ignore[union-attr]
            return lambda made, arguments: dict(zip(keys, [p(made, arguments) for p in parts]))
        parts = [self._pattern(v, assigned) for v in x]
        if cls is list or cls is tuple:
            return lambda made, arguments: cls([p(made, arguments) for p in parts])
        if hasattr(cls, "_make") or hasattr(cls, "n_sequence_fields"):
            build = getattr(cls, "_make", cls)  # a type of `torch.return_types` takes one sequence
            return lambda made, arguments: build([p(made, arguments) for p in parts])
        raise Refusal(_errors.compiling.returned(x))

    def _tensor(self, t: Tensor) -> Make:
        for i, argument in enumerate(self._arguments):
            if argument is t:
                return lambda made, arguments: arguments[i]
        if id(t) in self._grads:
            raise Refusal(_errors.compiling.returned_grad())
        if id(t) in self.assigned.entries:
            return self.assigned.reader(t)
        if id(t) in self._old:
            return lambda made, arguments: t
        place = next((i for i, other in enumerate(self._made) if other is t), len(self._made))
        if place == len(self._made):
            self._builds.append(self._build(t))
            self._made.append(t)
        return lambda made, arguments: made[place]

    def _build(self, t: Tensor) -> Build:
        """Return how to build a new tensor from the values of the call, or from a tensor built before."""
        shared = next((i for i, other in enumerate(self._made) if other._storage is t._storage), None)
        if t._chain is None and t._origin is not None:
            raise Refusal(_errors.compiling.returned_view())
        if id(t._storage) in self._outside:
            raise Refusal(_errors.compiling.returned_alias())
        if t.__class__ is not Tensor or t.__dict__ or t._grad is not None:
            raise Refusal(_errors.compiling.returned(t))
        if t._chain is not None:
            return self._view(t, shared)
        if shared is not None:
            return self._detached(t, shared)
        place, edge, strides, aval = len(self.new), t._edge, t._strides, t._aval
        if aval.device is meta:
            if is_alive(edge):
                raise Refusal("it returns a meta tensor that requires grad")
            return lambda values, node, made: wrap(Value(aval), None, strides)
        self.new.append(t)
        number = self._root_number(t, edge)
        if number is None:
            return lambda values, node, made: wrap(values[place], edge, strides)
        return lambda values, node, made: wrap(values[place], (node, number), strides)

    def _root_number(self, t: Tensor, edge: Any) -> int | None:
        """Add a new tensor to `roots` and return its position, or return None if no gradient reaches it."""
        if not is_alive(edge):
            return None
        self.roots.append(t)
        return len(self.roots) - 1

    def _view(self, t: Tensor, place: int | None) -> Build:
        """Return how to build a view of memory that only views among the results share.

        As in PyTorch, the built tensor is not a view for the user. `place` is that of another view of the same memory.
        """
        whole_is_returned = place is not None and self._made[place]._chain is None
        if whole_is_returned or t._counter is not None or t._aval.device is meta:
            raise Refusal(_errors.compiling.returned_view())
        if t._origin is not None and views.is_whole(t):
            raise Refusal(_errors.compiling.returned_view())
        edge = views.edge_of(t)
        rivals = [other for other in self.roots if other._storage is t._storage]
        if rivals and is_alive(edge) and any(_overlap(t, other) for other in rivals):
            raise Refusal(_errors.compiling.returned_view())  # a write to one changes the history of the other
        t._cache = None  # the result of the view's last step is computed again when it is read
        number = self._root_number(t, edge)
        at, strides = len(self.new), t._storage.strides
        geometry = t._chain, t._strides, t._offset
        self.views.append(t)
        if place is None:
            self.new.append(t)

        def build(values: Sequence[Value], node: Any, made: Sequence[Tensor]) -> Tensor:
            tensor = wrap(values[at], None, strides) if place is None else same_memory(made[place])
            tensor._chain, tensor._strides, tensor._offset = geometry
            tensor._edge = edge if number is None else (node, number)
            return tensor

        return build

    def _detached(self, t: Tensor, place: int) -> Build:
        """Return how to build the detached tensor over the memory of another result."""
        other = self._made[place]
        layouts = [(x._aval, x._strides, x._offset, x._counter) for x in (t, other)]
        if t._edge is not None or t._aval.device is meta or layouts[0] != layouts[1] or t._counter is not None:
            raise Refusal(_errors.compiling.returned_view())
        return lambda values, node, made: made[place].detach()

    def storages(self) -> Iterator[Any]:
        return (t._storage for t in self.new)

    def values(self) -> list[Value]:
        """Return the values of the new tensors."""
        return [t._storage.value for t in self.new]

    def settle(self) -> None:
        """Drop the tensors of the captured call, whose results are no views for the user."""
        for view in self.views:
            view._origin, view._tracks = None, False
        self.views = []
        self.new, self.roots, self._made, self._arguments = [], [], [], ()
        self.assigned.settle()
