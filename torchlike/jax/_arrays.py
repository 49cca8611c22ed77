"""Conversion between tensors and JAX arrays, without a copy on the CPU."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._dtypes import devices
from torchlike._engine import Value, concrete
from torchlike._engine.trace.ownership import lend
from torchlike._engine.xla.jax_private import Tracer
from torchlike._engine.xla.transfers import to_device
from torchlike._tensor.exchange import from_dlpack
from torchlike._tensor.tensor import Tensor


def to_jax(tensor: Tensor) -> jax.Array:
    """Return the tensor's elements as a `jax.Array`.

    On the CPU, the array shares the tensor's memory. If the tensor's elements are stored in a NumPy array, a JAX array
    replaces it first. On an accelerator, the result is a copy. JAX arrays are immutable, so later writes to the tensor
    do not change the result. Donating either the result or the tensor's memory to a program does not affect the other.

    Raises RuntimeError if the tensor requires grad (call `detach()` first) or has no data.

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
    """Return a value's elements as an array that the user may keep."""
    value = value.settle()
    array = concrete(value)
    place = devices.to_jax(value.aval.device)
    if isinstance(array, np.ndarray):
        array = value.array = to_device(array, value.aval.device)
    if value.aval.device.type != "cpu":
        return array.copy()
    # Create another array over the same memory, so that donating one array does not free the memory of the other. On
    # JAX's first device the new array is uncommitted, so JAX may move it to the device of other operands.
    with jax.default_device(place):
        return jax.device_put(np.asarray(lend(array)), None if place == jax.local_devices()[0] else place)


def from_jax(array: Any) -> Tensor:
    """Return a tensor with the elements of a `jax.Array`.

    On the CPU, the tensor shares the array's memory. On an accelerator, it is a copy. JAX arrays are immutable, so the
    first write to the tensor allocates new memory for it.

    Raises TypeError if the argument is not a `jax.Array`, or if it is a tracer. Inside `jax.jit` and similar
    transformations, use `functional`.

    >>> import jax.numpy as jnp, torchlike as torch
    >>> torch.jax.from_jax(jnp.ones(2))
    tensor([1., 1.], dtype=torch.float64)
    """
    if not isinstance(array, jax.Array):
        raise _errors.arguments.wrong_type("from_jax", "array", 1, "jax.Array", array)
    if isinstance(array, Tracer):
        raise _errors.recording.tracer()
    return from_dlpack(array)
