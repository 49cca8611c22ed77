"""The sparse tensor class. Its members are dense tensors, and it has no storage of its own.

The dispatcher does not treat it as a tensor (it is not in `TENSOR_TYPES`), so that the dense path needs no layout
check. Code that does not support sparse tensors accesses the storage, which raises an error. No sparse tensor is
therefore converted to a dense one by accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._autograd.sparse_value import SparseValue
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import current
from torchlike._engine import Aval, Size
from torchlike._engine.trace.value import aval
from torchlike._errors.callers import calls_of_ours
from torchlike._tensor import binding, factories, views
from torchlike._tensor.overriding import _disabled_torch_function_impl
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor, untracked, wrap

_new = object.__new__
_WRAPPERS = (
    "call",
    "__call__",
    "public",
    "guarded",
    "reading",
    "quick",
    "twin",
    "dunder",
    "<lambda>",
    "missing",
    "by_name",
    "function",
    "elsewhere",
    "_elsewhere",
    "asked",
    "like",
)


def asked(name: str = "this function") -> str:
    """Return the name of the torchlike function that the user called, or `name` if it has no name of its own."""
    names = [call for call in calls_of_ours() if call not in _WRAPPERS]
    return names[-1].strip("_") if names else name


def _missing() -> Any:
    def missing(self: SparseTensor) -> Any:
        raise _errors.layouts.refused(asked(), self.layout)

    return property(missing, lambda self, value: missing(self))


class SparseTensor(Tensor):
    """A tensor of layout COO, CSR or CSC. `make` creates it."""

    __slots__ = ("_coalesced", "_indices_", "_layout_", "_size", "_values_")

    _storage = _missing()
    _chain = _missing()
    _strides = _missing()
    _offset = _missing()
    _cache = _missing()
    _tracks = _missing()
    _origin = None  # never a view
    _counter = None

    _layout_: mf.layout
    _indices_: tuple[Tensor, ...]  # COO: one tensor (sparse dims, elements); CSR, CSC: compressed and plain indices
    _values_: Tensor  # (elements, dense dims)
    _size: Size
    _coalesced: bool

    __torch_function__ = _disabled_torch_function_impl
    layout = property(lambda self: self._layout_, doc="The layout of the elements.")  # type: ignore[assignment]

    @property
    def _aval(self) -> Aval:
        return aval(self._size, self._values_.dtype, self._values_.device)

    @property
    def _edge(self) -> Any:
        return self._values_._edge

    def _pair(self, strict: bool | None = None) -> Any:
        """Return this tensor as a gradient value of the backward pass, with its gradient edge."""
        return SparseValue(self), self._edge

    def _members(self) -> tuple[Tensor, ...]:
        """Return the dense tensors that this tensor consists of."""
        return *self._indices_, self._values_

    def _maker(self) -> Callable[..., Any]:
        """Return a function that builds a similar tensor from the values of new members."""
        return _sparse_maker(self)

    def _total(self, a: Any, b: Any) -> Any:
        """Return the sum of two gradient values, at least one of which is sparse."""
        first, second = wrap(*a), wrap(*b)
        return (second + first if first.is_sparse else first + second)._pair()

    def _as_grad(self) -> Any:
        """Return a copy with members of its own, not marked as coalesced.

        A leaf stores its first gradient in this form.
        """
        *indices, values = [wrap(t._pair()[0]) for t in self._members()]
        return make(self._layout_, tuple(indices), values, self._size)

    @property
    def grad(self) -> Any:
        """The gradient in the layout of this leaf.

        Its indices are unique, because duplicate indices share one gradient.
        """
        grad = self._values_.grad
        return None if grad is None else _each_once(self, grad)

    @grad.setter
    def grad(self, grad: Any) -> None:  # type: ignore[override]
        if grad is not None:
            raise _errors.layouts.refused("grad", self.layout)
        self._values_.grad = None


def _each_once(t: SparseTensor, grad: Tensor) -> Any:
    if t._coalesced or t.layout is not mf.sparse_coo:
        return like(t, grad)
    where = places(t)
    _, first = np.unique(flat(where, tuple(t._size)), return_index=True)
    chosen = factories.of_array(first, grad.device)
    indices = binding.CALLERS["index_select"](t._indices_[0], 1, chosen)
    kept = binding.CALLERS["index_select"](grad, 0, chosen)
    return make(t.layout, (indices,), kept, t._size)


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
SparseTensor.__module__ = "torchlike"
TENSOR_TYPES.discard(SparseTensor)
COMPOSED: set[type] = {SparseTensor}  # the classes whose tensors consist of plain ones


def make(layout: mf.layout, indices: tuple[Tensor, ...], values: Tensor, size: Any, coalesced: bool = False) -> Any:
    """Return a sparse tensor of the given members, without checks."""
    made = _new(SparseTensor)
    made._layout_, made._indices_, made._values_ = layout, indices, values
    made._size, made._coalesced = Size(size), coalesced or values.shape[0] < 2
    return made


def members(t: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors that hold the contents of a tensor of any layout.

    For a strided tensor, this is the tensor itself.
    """
    return t._members() if t.__class__ in COMPOSED else (t,)  # type: ignore[attr-defined]


def maker(t: Tensor) -> Callable[..., Any]:
    """Return a function that builds a tensor of the same layout and shape from the values of its members."""
    if t.__class__ not in COMPOSED:
        return functools.partial(wrap, edge=None, strides=t._strides)
    return t._maker()  # type: ignore[attr-defined]


def _sparse_maker(t: SparseTensor) -> Callable[..., Any]:
    return functools.partial(_of_values, t._layout_, tuple(t._size), t._coalesced)


def _of_values(layout: mf.layout, size: tuple, coalesced: bool, *values: Any) -> Any:
    *indices, kept = map(wrap, values)
    return make(layout, tuple(indices), kept, size, coalesced)


def passed_on(values: Tensor, node: str) -> Tensor:
    """Return the values of a sparse tensor that is the result of an operator.

    If the values require grad and grad mode is on, they are returned as the result of the gradient node `node`, so that
    the sparse tensor is not a leaf.
    """
    if values._edge is None or not modes.local.grad:
        return values
    seen: Any = untracked(binding.CALLERS["view"](values, tuple(values.shape)))
    seen._edge = views.named(seen._edge, node)
    return seen


def like(t: SparseTensor, values: Tensor, coalesced: bool | None = None) -> Any:
    """Return a sparse tensor with the same indices and other values."""
    coalesced = t._coalesced if coalesced is None else coalesced
    size = (*t._size[: sparse_dim(t)], *values.shape[1:])
    return make(t.layout, t._indices_, values, size, coalesced)


def sparse_dim(t: SparseTensor) -> int:
    """Return the number of sparse dims."""
    return t._indices_[0].shape[0] if t.layout is mf.sparse_coo else 2


def nnz(t: SparseTensor) -> int:
    """Return the number of stored elements."""
    return t._values_.shape[0]


def on_host(indices: Tensor, what: str = "a sparse tensor") -> np.ndarray:
    """Return the indices as a NumPy array.

    In a captured graph, the indices must be constants of the graph. Otherwise, the capture stops.
    """
    capture, value = current().capture, indices._value
    if capture is not None and (value.array is None or id(value) in capture.known):
        capture.stop(f"the indices of {what} are looked at")
    return indices._host()


def places(t: SparseTensor) -> np.ndarray:
    """Return the indices of all elements, on the host: (sparse dims, elements)."""
    if t.layout is mf.sparse_coo:
        return on_host(t._indices_[0])
    ends, plain = map(on_host, t._indices_)
    outer = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    return np.stack([outer, plain] if t.layout is mf.sparse_csr else [plain, outer]).astype(np.int64)


def flat(where: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """Return the row-major flat index of each element."""
    found = np.zeros(where.shape[1], np.int64)
    for index, n in zip(where, sizes):
        found = found * n + index
    return found
