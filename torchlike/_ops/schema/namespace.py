"""The array namespace of a kernel's inputs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._engine.xla.target import for_cpu


class _OwnGradients(threading.local):
    """Whether kernels leave their differentiation to JAX, which a pass in forward mode asks for: a `jax.custom_vjp` has
    none. Use as a context manager."""

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
    """`numpy` for a host array, `jax.numpy` for anything else: kernels are written once against it."""
    return np if isinstance(array, (np.ndarray, np.generic)) else jnp


def within(index: Any, size: int, say: Callable[[int], Exception]) -> Any:
    """Indices of which each must lie in [0, size). NumPy raises what `say` makes of one that does not; in a compiled
    program it becomes `size`, which reads NaN and writes nowhere: a negative one would be counted from the end."""
    if namespace(index) is not np:
        return jnp.where(index < 0, size, index)
    outside = index[(index < 0) | (index >= size)]
    if outside.size:
        raise say(int(outside.flat[0]))
    return index


def refused(value: Any, wrong: Any, error: Callable[[], Exception]) -> Any:
    """`value`, unless something is `wrong`: NumPy raises it, in a compiled program the value is NaN there."""
    if namespace(wrong) is not np:
        return jnp.where(wrong, jnp.asarray(np.nan, value.dtype), value)
    if wrong.any():
        raise error()
    return value


def mean_of(array: Any, axis: Any = None, keepdims: bool = True) -> Any:
    """The mean, which is NaN of no elements; NumPy's own says so with a warning."""
    total = namespace(array).sum(array, axis=axis, keepdims=keepdims)
    count = array.size // max(total.size, 1)
    return total / count if count else total + np.nan


def fractional(array: Any) -> Any:
    """Integers, once a row has computed with them as integers, in float64: the result is rounded to its dtype."""
    return array.astype(np.float64) if array.dtype.kind in "iub" else array


def widened(array: Any) -> Any:
    """Half precision as float32, for what PyTorch computes there and rounds once at the end."""
    return array.astype("float32") if array.dtype.itemsize <= 2 and array.dtype.kind in "fV" else array


def summed_wide(array: Any) -> Any:
    """The array for a kernel that repeats its elements: half precision as float32, in which their gradients are then
    added up. NumPy, which differentiates nothing, gets the array itself."""
    return array if isinstance(array, np.ndarray | np.generic) else widened(array)


def unrounded(*arrays: Any) -> tuple:
    """The arrays (None stays), half precision as float32: PyTorch rounds a product and what is added to it once. An
    accelerator's products round by themselves."""
    wide = tuple([a if a is None else widened(a) for a in arrays])
    return arrays if any([a is not w for a, w in zip(arrays, wide)]) and not for_cpu() else wide


def constant(array: Any) -> Any:
    """The same numbers, through which no gradient flows."""
    return array if namespace(array) is np else jax.lax.stop_gradient(array)


class _Places:
    """The places of a NumPy array that an index picks, with the methods of `jax.Array.at[index]`: each makes a changed
    copy. A value that JAX holds makes JAX's of it."""

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
    """`array.at[where]` for either kind of array."""
    return _Places(array, where) if namespace(array) is np else array.at[where]
