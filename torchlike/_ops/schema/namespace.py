"""The array namespace of a kernel's inputs (NumPy or `jax.numpy`), and helpers that work in both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._engine.interpreter import select
from torchlike._engine.interpreter.half import is_half
from torchlike._engine.interpreter.sums import total
from torchlike._engine.xla.target import for_cpu


class _OwnGradients(threading.local):
    """A context manager that disables the kernels' `jax.custom_vjp` rules, so that JAX differentiates the kernels.

    Forward-mode differentiation needs this, because a `jax.custom_vjp` function has no JVP.
    """

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    @property
    def are_off(self) -> bool:
        return self.depth > 0


own_gradients = _OwnGradients()


def namespace(array: Any) -> Any:
    """Return `numpy` for a host array and `jax.numpy` for any other array. Kernels are written once for both."""
    return np if isinstance(array, (np.ndarray, np.generic)) else jnp


def within(index: Any, size: int, say: Callable[[int], Exception]) -> Any:
    """Check that every index lies in [0, size), and return the indices.

    With NumPy, raise `say(index)` for an index out of range. In a compiled program, a negative index is replaced by
    `size`, because it would otherwise count from the end. An index of `size` or more reads NaN, and writes to it are
    dropped.
    """
    if namespace(index) is not np:
        return jnp.where(index < 0, size, index)
    outside = index[(index < 0) | (index >= size)]
    if outside.size:
        raise say(int(outside.flat[0]))
    return index


def refused(value: Any, wrong: Any, error: Callable[[], Exception]) -> Any:
    """Return `value`. Where `wrong` is True, NumPy raises `error()`, and a compiled program returns NaN."""
    if namespace(wrong) is not np:
        return jnp.where(wrong, jnp.asarray(np.nan, value.dtype), value)
    if wrong.any():
        raise error()
    return value


def sum_of(array: Any, axes: tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
    """Return the sum over some dims (None: all)."""
    over = tuple(range(array.ndim)) if axes is None else axes
    return total(array, over, keepdims) if namespace(array) is np else jnp.sum(array, axis=over, keepdims=keepdims)


def mean_of(array: Any, axes: tuple[int, ...] | None = None, keepdims: bool = True) -> Any:
    """Return the mean, or NaN if there are no elements. `numpy.mean` would also emit a warning."""
    whole = sum_of(array, axes, keepdims)
    count = array.size // max(whole.size, 1)
    return whole / count if count else whole + np.nan


def fractional(array: Any) -> Any:
    """Return integers and bools as float64 for the floating-point part of a kernel, whose result is rounded last."""
    return array.astype(np.float64) if array.dtype.kind in "iub" else array


def widened(array: Any) -> Any:
    """Return half precision as float32, for functions that PyTorch computes in float32 and rounds once at the end."""
    return array.astype("float32") if is_half(array.dtype) else array


def summed_wide(array: Any) -> Any:
    """Return a JAX array of half precision as float32, and any other array unchanged.

    Kernels that repeat elements use this, so that the gradients of the copies are summed in float32. NumPy arrays are
    never differentiated.
    """
    return array if isinstance(array, np.ndarray | np.generic) else widened(array)


def unrounded(*arrays: Any) -> tuple:
    """Return the arrays with half precision as float32 on the CPU, and unchanged on accelerators.

    On the CPU, PyTorch adds a term to a matrix product before it rounds, so there is one rounding. On accelerators, the
    product itself is rounded to half precision. An array may be None.
    """
    wide = tuple([a if a is None else widened(a) for a in arrays])
    return arrays if any([a is not w for a, w in zip(arrays, wide)]) and not for_cpu() else wide


def choose(which: Any, yes: Any, no: Any) -> Any:
    """Return `where(which, yes, no)`. On the host, this is much faster than `numpy.where` for irregular masks."""
    if any(isinstance(x, jax.Array) for x in (which, yes, no)):
        return jnp.where(which, yes, no)
    return select.where(which, yes, no) if isinstance(which, np.ndarray) else np.where(which, yes, no)


def constant(array: Any) -> Any:
    """Return the array as a constant for differentiation (`jax.lax.stop_gradient`)."""
    return array if namespace(array) is np else jax.lax.stop_gradient(array)


class _Places:
    """The equivalent of `jax.Array.at[index]` for a NumPy array.

    The update methods return a changed copy. If the values are a JAX array, the result is one too.
    """

    __slots__ = ("array", "where")

    def __init__(self, array: np.ndarray, where: Any) -> None:
        self.array, self.where = array, where

    def get(self, mode: str = "fill") -> np.ndarray:
        return self.array[self.where]

    def set(self, values: Any) -> Any:
        if isinstance(values, jax.Array):
            return jnp.asarray(self.array).at[self.where].set(values)
        made = self.array.copy()
        made[self.where] = values
        return made

    def add(self, values: Any) -> Any:
        return self._combined("add", np.add, values)

    def max(self, values: Any) -> Any:
        return self._combined("max", np.maximum, values)

    def _combined(self, name: str, function: np.ufunc, values: Any) -> Any:
        if isinstance(values, jax.Array):
            return getattr(jnp.asarray(self.array).at[self.where], name)(values)
        made = self.array.copy()
        function.at(made, self.where, values)
        return made


def at(array: Any, where: Any) -> Any:
    """Return `array.at[where]` for a NumPy or JAX array."""
    return _Places(array, where) if namespace(array) is np else array.at[where]
