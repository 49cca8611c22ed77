"""Copying and pickling of tensors."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from torchlike import _errors, _layout
from torchlike._autograd.nodes import AccumulateGrad
from torchlike._tensor import Tensor, adopt, leaf_node


def deepcopy(t: Tensor, memo: dict) -> Any:
    """A copy of a leaf with its own storage, gradient and attributes."""
    if id(t) in memo:
        return memo[id(t)]
    if not t.is_leaf:
        raise _errors.memory.non_leaf_deepcopy()
    import copy

    made = t.detach().clone()
    if type(t) is not Tensor:
        made = adopt(type(t), made)
    if t.requires_grad:
        made.requires_grad_()
    if t._grad is not None:
        made._grad = copy.deepcopy(t._grad, memo)
    memo[id(t)] = made
    made.__dict__.update(copy.deepcopy(t.__dict__, memo))
    return made


def _rebuild(cls: type, array: np.ndarray, strides: tuple[int, ...] | None, requires_grad: bool, extra: dict) -> Any:
    from torchlike import _factories

    made = _factories.of_array(array)
    if strides is not None:
        _factories.with_strides(made, strides)
    if cls is not Tensor:
        made = adopt(cls, made)
    made.__dict__.update(extra)
    return made.requires_grad_(requires_grad)


def reduce(t: Tensor) -> Any:
    """What pickle stores of a tensor."""
    strides = t._strides if t._strides is not None and _layout.is_dense(tuple(t.shape), t._strides) else None
    return (_rebuild, (type(t), np.array(t._host()), strides, t.requires_grad, dict(t.__dict__)))


def swap(first: Tensor, second: Tensor) -> None:
    """Let two tensors change places. No graph may end at either: its gradients would go to the other one."""
    states = []
    for name, t in (("t1", first), ("t2", second)):
        node = t._edge and t._edge[0]
        if isinstance(node, AccumulateGrad) and getrefcount(node) > _NODE_AND_EDGE:
            raise RuntimeError(f"Cannot swap {name}: a graph still ends at it")
        del node
        states.append({slot: getattr(t, slot) for slot in _SLOTS if hasattr(t, slot)})
    first.__class__, second.__class__ = second.__class__, first.__class__
    for t, state in zip((second, first), states):
        for slot in _SLOTS:
            if slot in state:
                setattr(t, slot, state[slot])
            elif hasattr(t, slot):
                delattr(t, slot)
        if t._edge is not None and isinstance(t._edge[0], AccumulateGrad):
            t._edge = (leaf_node(t), 0)


_SLOTS = tuple(slot for slot in Tensor.__slots__ if slot != "__weakref__")
_NODE_AND_EDGE = 3  # references to a leaf's node: its edge's, a local name's, and that of who counts
