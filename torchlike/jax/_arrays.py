"""Tensors as JAX arrays and back, over the same memory."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import Value, concrete
from torchlike._engine.trace.ownership import lend
from torchlike._engine.xla.jax_private import Tracer
from torchlike._tensor.exchange import from_dlpack
from torchlike._tensor.tensor import Tensor


def to_jax(tensor: Tensor) -> jax.Array:
    """The tensor's elements as a `jax.Array`.

    On the CPU it is the same memory (a tensor whose elements lie in NumPy's is moved there once), on an accelerator a
    copy. JAX's arrays never change: a later write to the tensor does not show. Either side may give its array away
    (donate it to a program): the other keeps its own.

    Raises RuntimeError for a tensor that requires grad (`detach()` it), and for one without data.

    >>> import torchlike as torch
    >>> torch.jax.to_jax(torch.arange(3)) + 1
    Array([1, 2, 3], dtype=int64)
    """
    if not isinstance(tensor, Tensor):
        raise _errors.arguments.wrong_type("to_jax", "tensor", 1, "Tensor", tensor)
    if tensor.requires_grad:
        raise _errors.memory.dlpack_of_grad()
    return array_of(tensor._value)


def array_of(value: Value) -> jax.Array:
    """A value's elements as an array that the user may keep."""
    value = value.settle()
    array = concrete(value)
    place = devices.to_jax(value.aval.device)
    if isinstance(array, np.ndarray):
        array = value.array = jax.device_put(array, place)
    if value.aval.device.type != "cpu":
        return array.copy()
    # Another array over the same memory: a program that is given the one does not take the memory from the other. On
    # JAX's first device it is free to move with the arrays that it meets.
    with jax.default_device(place):
        return jax.device_put(np.asarray(lend(array)), None if place == jax.local_devices()[0] else place)


def from_jax(array: Any) -> Tensor:
    """A tensor of a `jax.Array`'s elements: over the same memory on the CPU, a copy on an accelerator.

    The first write to the tensor gives it memory of its own: JAX's arrays never change.

    Raises TypeError for what is no `jax.Array`, and for a tracer: inside of `jax.jit` and its like use `functional`.

    >>> import jax.numpy as jnp, torchlike as torch
    >>> torch.jax.from_jax(jnp.ones(2))
    tensor([1., 1.], dtype=torch.float64)
    """
    if not isinstance(array, jax.Array):
        raise _errors.arguments.wrong_type("from_jax", "array", 1, "jax.Array", array)
    if isinstance(array, Tracer):
        raise _errors.recording.tracer()
    return from_dlpack(array)
