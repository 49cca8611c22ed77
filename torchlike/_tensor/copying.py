"""Copying and pickling of tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._autograd import engine
from torchlike._autograd.nodes import AccumulateGrad
from torchlike._dtypes import strides as _layout
from torchlike._dtypes.recorder import current
from torchlike._tensor import storage as _storage
from torchlike._tensor.hooks import warn_of_lost_hooks
from torchlike._tensor.storage_io import count_rebuilt
from torchlike._tensor.tensor import Tensor, adopt, alias, leaf_node


def deepcopy(t: Tensor, memo: dict) -> Any:
    """Return a copy of a leaf with its own storage, gradient and attributes."""
    if id(t) in memo:
        return memo[id(t)]
    if not t.is_leaf:
        raise _errors.memory.non_leaf_deepcopy()
    import copy

    made = _copied(t, memo)
    if type(t) is not Tensor:
        made = adopt(type(t), made)
    if t.requires_grad:
        made._require_grad()
    if t._grad is not None:
        made._grad = copy.deepcopy(t._grad, memo)
    memo[id(t)] = made
    made.__dict__.update(copy.deepcopy(attributes(t), memo))
    return made


def _copied(t: Tensor, memo: dict) -> Tensor:
    """Return a detached tensor over a copy of the storage.

    Copies of tensors that share a storage share the copy.
    """
    storage = t._storage
    if type(storage) is not _storage.Storage or _storage.marks(t):
        shared = storage.shared  # a read may turn the storage into an ordinary one
        made = t.detach().clone()
        if shared:
            made._count()
        return made
    made, copied = alias(t), memo.get(id(storage))
    if copied is None:
        copied = memo[id(storage)] = _storage.Storage(engine.another(storage.value), storage.strides)
        copied.version = _storage.WRITE  # in PyTorch, the assignment of the memory increments the version
        told = current().made
        if told is not None:
            told(copied)
    made._storage = copied
    made._counter = None
    return made


def shallow(t: Tensor) -> Any:
    """Return a leaf over the same memory, with the same attributes."""
    if type(t).__reduce_ex__ is not Tensor.__reduce_ex__:
        rebuild, given = t.__reduce_ex__(4)[:2]
        return rebuild(*given)
    made = t.detach()
    if type(t) is not type(made):
        made = adopt(type(t), made)
    made.__dict__.update(attributes(t))
    return made._require_grad(t.requires_grad)


def attributes(t: Tensor) -> dict[str, Any]:
    """Return the attributes that the user attached to a tensor. Hooks are not copied, as in PyTorch."""
    return {name: held for name, held in t.__dict__.items() if name not in PRIVATE}


# Attributes that PyTorch does not keep in `__dict__`. The last is on offsets of nested tensors.
PRIVATE = ("_retains_grad", "_post_accumulate", "_nested_int")


def _rebuild(
    cls: type,
    array: np.ndarray,
    strides: tuple[int, ...] | None,
    requires_grad: bool,
    extra: dict,
    marks: tuple[str, ...] = (),
) -> Any:
    from torchlike._tensor import factories

    made = factories.of_array(array)
    count_rebuilt(made)
    if strides is not None:
        factories.with_strides(made, strides)
    made = marked(made, marks)
    if cls is not Tensor:
        made = adopt(cls, made)
    made.__dict__.update(extra)
    return made._require_grad(requires_grad)


MARKS = {"conj": "conj", "neg": "_neg_view"}  # the operators of conjugate and negative views


def marked(plain: Tensor, marks: Iterable[str]) -> Tensor:
    """Apply the conjugate ("conj") and negative ("neg") bits to a new tensor. Users do not see the result as a view."""
    from torchlike._tensor.binding import CALLERS

    for mark in marks:
        plain = alias(CALLERS[MARKS[mark]](plain))
    return plain


def _rebuild_meta(cls: type, size: tuple, strides: tuple, dtype: Any, requires_grad: bool, extra: dict) -> Any:
    from torchlike._tensor import factories

    made = factories.empty_strided(size, strides, dtype=dtype, device="meta")
    if cls is not Tensor:
        made = adopt(cls, made)
    made.__dict__.update(extra)
    return made._require_grad(requires_grad)


def reduce(t: Tensor, copies: bool = True) -> Any:
    """Return the result of `__reduce_ex__`, from which pickle rebuilds a tensor.

    Without `copies`, the result may contain the memory of the tensor. The caller must pickle it at once.
    """
    if t.is_meta:
        size, strides = tuple(t.shape), tuple(t.stride())
        return _rebuild_meta, (type(t), size, strides, t.dtype, t.requires_grad, attributes(t))
    if type(t) is Tensor:
        warn_of_lost_hooks(t)
    strides = t._strides if t._strides is not None and _layout.is_dense(tuple(t.shape), t._strides) else None
    turn = _storage.involution(t)
    array = t._host() if turn is None else turn(t._host())  # the numbers as they are in memory
    array = np.array(array, copy=True if copies and turn is None else None)
    args = (type(t), array, strides, t.requires_grad, attributes(t))
    return (_rebuild, args if turn is None else (*args, _storage.marks(t)))


def swap(first: Tensor, second: Tensor) -> None:
    """Swap two tensors. A backward pass of a graph that refers to either tensor then raises."""
    states = [{slot: getattr(t, slot) for slot in _SLOTS if hasattr(t, slot)} for t in (first, second)]
    first.__class__, second.__class__ = second.__class__, first.__class__
    for t, state in zip((second, first), states):
        for slot in _SLOTS:
            if slot in state:
                setattr(t, slot, state[slot])
            elif hasattr(t, slot):
                delattr(t, slot)
        old = t._edge and t._edge[0]
        if isinstance(old, AccumulateGrad):
            new = leaf_node(t)
            new.extra, old.extra, old.receive = old.extra, None, _refuse_gradient
            t._edge = (new, 0)


def _refuse_gradient(*_: Any) -> None:
    raise _errors.autograd.swapped()


_SLOTS = tuple(slot for slot in Tensor.__slots__ if slot != "__weakref__")
