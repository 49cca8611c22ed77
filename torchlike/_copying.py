"""Copying and pickling of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors, _layout
from torchlike._tensor import Tensor, adopt


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
    return (_rebuild, (type(t), np.array(t._host()), strides, t.requires_grad and t.is_leaf, dict(t.__dict__)))
