"""The structure of a captured call's result, from which replays build their results."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

from torchlike import _errors
from torchlike._compile.differentiable import is_alive
from torchlike._compile.purity import Refusal
from torchlike._dtypes.devices import meta
from torchlike._engine import Value
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, wrap

Make = Callable[[Sequence[Value], Sequence[Any], Any], Any]
_PLAIN = (int, float, bool, complex, str, bytes, type(None))


class Results:
    """The structure of a result.

    `make(values, arguments, node)` builds a result. `values` are the new values in the order of `new`, `arguments` are
    the tensors among the call's arguments, and `node` is the gradient node of the new tensors.

    Args:
      returned: the result of the captured call.
      arguments: the tensors among the call's arguments.
      old: the ids of tensors from before the call.
      grads: the ids of gradients from before the call.
      outside: the ids of storages from before the call. A new tensor that shares one of them cannot be rebuilt.
    """

    def __init__(
        self,
        returned: Any,
        arguments: Sequence[Tensor],
        old: Container[int],
        grads: Container[int],
        outside: Container[int],
    ) -> None:
        self.new: list[Tensor] = []  # tensors of the captured call; `settle` drops them
        self.roots: list[Tensor] = []  # the new tensors that require grad
        self._unfilled: list[Tensor] = []  # new meta tensors, which a replay makes without data
        self._arguments, self._old, self._grads, self._outside = arguments, old, grads, outside
        self.make: Make = self._pattern(returned)

    def _pattern(self, x: Any) -> Make:
        cls = x.__class__
        if cls in TENSOR_TYPES:
            return self._tensor(x)
        if cls in _PLAIN or not isinstance(x, list | tuple | dict):
            if cls not in _PLAIN:
                raise Refusal(_errors.compiling.returned(x))
            return lambda values, arguments, node: x
        if cls is dict:
            keys, parts = list(x), [self._pattern(v) for v in x.values()]  # type: ignore[union-attr]
            return lambda values, arguments, node: dict(zip(keys, [p(values, arguments, node) for p in parts]))
        parts = [self._pattern(v) for v in x]
        if cls is list or cls is tuple:
            return lambda values, arguments, node: cls([p(values, arguments, node) for p in parts])
        if hasattr(cls, "_make") or hasattr(cls, "n_sequence_fields"):
            build = getattr(cls, "_make", cls)  # a type of `torch.return_types` takes one sequence
            return lambda values, arguments, node: build([p(values, arguments, node) for p in parts])
        raise Refusal(_errors.compiling.returned(x))

    def _tensor(self, t: Tensor) -> Make:
        for i, argument in enumerate(self._arguments):
            if argument is t:
                return lambda values, arguments, node: arguments[i]
        if id(t) in self._grads:
            raise Refusal(_errors.compiling.returned_grad())
        if id(t) in self._old:
            return lambda values, arguments, node: t
        others = [*self.new, *self._unfilled]
        if any(other is t for other in others):
            raise Refusal(_errors.compiling.returned_twice())
        if t._chain is not None or t._origin is not None or any(o._storage is t._storage for o in others):
            raise Refusal(_errors.compiling.returned_view())
        if id(t._storage) in self._outside:
            raise Refusal(_errors.compiling.returned_alias())
        if t.__class__ is not Tensor or t.__dict__ or t._grad is not None:
            raise Refusal(_errors.compiling.returned(t))
        place, edge, strides, aval = len(self.new), t._edge, t._strides, t._aval
        if aval.device is meta:
            if is_alive(edge):
                raise Refusal("it returns a meta tensor that requires grad")
            self._unfilled.append(t)
            return lambda values, arguments, node: wrap(Value(aval), None, strides)
        self.new.append(t)
        if not is_alive(edge):
            return lambda values, arguments, node: wrap(values[place], edge, strides)
        number = len(self.roots)
        self.roots.append(t)
        return lambda values, arguments, node: wrap(values[place], (node, number), strides)

    def storages(self) -> Iterator[Any]:
        return (t._storage for t in self.new)

    def values(self) -> list[Value]:
        """Return the values of the new tensors."""
        return [t._storage.value for t in self.new]

    def settle(self) -> None:
        """Drop the tensors of the captured call."""
        self.new, self.roots, self._unfilled, self._arguments = [], [], [], ()
