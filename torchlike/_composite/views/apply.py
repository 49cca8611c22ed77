"""Methods that call a Python function for each element: `apply_`, `map_` and `map2_`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from torchlike._errors.dtypes import type_text
from torchlike._tensor import factories, public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def apply_(self: Tensor, callable: Callable) -> Tensor:
    """Replace each element by `callable(element)`. This is slow, and works only on the CPU.

    Args:
      callable: a function of one number that returns a number.
    """
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    _host_only(self, "apply_")
    if not hasattr(callable, "__call__"):  # noqa: B004 - the argument hides the built-in
        raise TypeError(f"'{type(callable).__name__}' object is not callable")
    return _put_elements(self, [callable(x) for x in self._host().reshape(-1).tolist()])


def map_(self: Tensor, tensor: Tensor, callable: Callable) -> Tensor:
    """Replace each element a by `callable(a, b)`, where b is the corresponding element of `tensor`.

    Args:
      tensor: a tensor whose shape broadcasts with that of this tensor.
      callable: a function of two numbers that returns a number.
    """
    if self.requires_grad or tensor.requires_grad:
        raise RuntimeError("Can't call map_() on Variable that requires grad. Use var.detach().map_() instead.")
    _host_only(self, "map_")
    other = rows["expand"](tensor, tuple(self.shape))
    pairs = zip(self._host().reshape(-1).tolist(), other._host().reshape(-1).tolist())
    return _put_elements(self, [callable(a, b) for a, b in pairs])


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable) -> Tensor:
    """Replace each element a by `callable(a, b, c)`, where b and c are the corresponding elements of `x` and `y`.

    Args:
      x, y: tensors of the same shape as this tensor.
      callable: a function of three numbers that returns a number.
    """
    if any(t.requires_grad for t in (self, x, y)):
        raise RuntimeError("Can't call map2_() on Variable that requires grad. Use var.detach().map2_() instead.")
    _host_only(self, "map2_")
    for name, t in (("x", x), ("y", y)):
        if t.dtype is not self.dtype:
            raise TypeError(f"map2_: expected {type_text(self)} for argument '{name}' (got {type_text(t)})")
    others = [rows["expand"](t, tuple(self.shape))._host().reshape(-1).tolist() for t in (x, y)]
    return _put_elements(self, [callable(*each) for each in zip(self._host().reshape(-1).tolist(), *others)])


def _host_only(self: Tensor, name: str) -> None:
    if self.device.type != "cpu":
        raise TypeError(f"{name} is only implemented on CPU tensors")


def _put_elements(self: Tensor, found: list) -> Tensor:
    array = np.array(found, self.dtype.numpy).reshape(tuple(self.shape))
    self._write(factories.of_array(array, self.device)._value)
    return self


METHODS = {"apply_": apply_} | public_calls.methods(map_, map2_)
