"""In-place methods of sparse tensors.

As in PyTorch, some of them write to the values, so that tensors that share the values see the change. The others
replace the members of the tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._sparse import _tensor as s
from torchlike._sparse._make import from_host
from torchlike._sparse._rules import add, is_sparse, mul
from torchlike._tensor.tensor import Tensor


def _of_values(name: str) -> Callable:
    """Return an in-place method that writes to each stored value. Tensors that share the values see the change."""

    def write(self: Any, *args: Any) -> Any:
        if any(isinstance(a, Tensor) and (a.ndim or is_sparse(a)) for a in args):
            raise _errors.layouts.refused(f"{name} by a tensor", self.layout)
        getattr(self._values_, name)(*args)
        return self

    return write


def _become(self: Any, other: Any) -> Any:
    """Replace the members of `self` by those of `other`."""
    flag = self.requires_grad and self.is_leaf
    if flag and modes.local.grad:
        raise _errors.autograd.leaf_in_place()
    if not _dtypes.can_cast(other.dtype, self.dtype):
        raise _errors.dtypes.cannot_cast(other.dtype, self.dtype)
    self._indices_, self._coalesced = other._indices_, other._coalesced
    values = other._values_ if other.dtype is self.dtype else other._values_.to(self.dtype)
    self._values_ = values._require_grad() if flag else values
    return self


def mul_(self: Any, other: Any) -> Any:
    """Multiply in place by an argument that `mul` accepts. The layout stays the same."""
    if self.layout is not mf.sparse_coo:
        return _of_values("mul_")(self, other)
    return _become(self, mul(self, other))


def add_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Add another sparse tensor in place."""
    return _become(self, add(self, other, alpha=alpha))


def sub_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Subtract another sparse tensor in place."""
    return add_(self, mul(other, -alpha)) if is_sparse(other) else add_(self, other)


def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Replace the elements by a copy of those of a tensor of the same layout and shape."""
    if not is_sparse(src) or src.layout is not self.layout or src.shape != self.shape:
        raise _errors.layouts.refused("copy_ from another layout or shape", self.layout)
    return _become(self, s.like(src, src._values_.clone()))


def zero_(self: Any) -> Any:
    """Remove all elements."""
    if self.layout is not mf.sparse_coo:
        raise _errors.layouts.refused("zero_", self.layout)
    none = from_host(np.zeros((s.sparse_dim(self), 0), np.int64), self.device)
    return _become(self, s.make(mf.sparse_coo, (none,), self._values_.detach()[:0], self.shape, True))


METHODS: dict[str, Callable] = {name: _of_values(name) for name in ("div_", "neg_")}
METHODS |= {f.__name__: f for f in (mul_, add_, sub_, copy_, zero_)}
METHODS |= {"__imul__": METHODS["mul_"], "__itruediv__": METHODS["div_"], "__iadd__": add_, "__isub__": sub_}
