"""Movement of arrays between the host and devices. All code that moves arrays calls the functions of this module.

The host is NumPy's memory and JAX's CPU device. Every other device is an accelerator, and so are the JAX devices that
stand in for one (`torchlike._dtypes.devices.stand_ins`).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import SingleDeviceSharding

from torchlike import _errors
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import of_jax, to_jax
from torchlike._engine.trace.ownership import lend
from torchlike._engine.xla import allocation
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.mesh import active


class Counts:
    """The transfers and programs that ran inside a `counted()` block.

    Attributes:
      to_device: the number of transfers from the host to an accelerator. A host array that a program takes as an
        argument counts as one.
      to_device_bytes: their size in bytes.
      to_host: the number of reads of an accelerator's arrays on the host.
      to_host_bytes: their size in bytes.
      between: the number of moves from one accelerator to another.
      between_bytes: their size in bytes.
      programs: the number of programs that ran on an accelerator.
    """

    __slots__ = (
        "between",
        "between_bytes",
        "programs",
        "to_device",
        "to_device_bytes",
        "to_host",
        "to_host_bytes",
    )

    def __init__(self) -> None:
        self.to_device = self.to_device_bytes = 0
        self.to_host = self.to_host_bytes = 0
        self.between = self.between_bytes = 0
        self.programs = 0

    def add(self, what: str, nbytes: int) -> None:
        """Count one transfer of a kind: "to_device", "to_host" or "between"."""
        setattr(self, what, getattr(self, what) + 1)
        setattr(self, f"{what}_bytes", getattr(self, f"{what}_bytes") + nbytes)

    def __repr__(self) -> str:
        return f"Counts({', '.join(f'{name}={getattr(self, name)}' for name in self.__slots__)})"


counting: list[Counts] = []  # the counts of the active `counted()` blocks


@contextlib.contextmanager
def counted() -> Iterator[Counts]:
    """Count the transfers and programs of all threads within the block."""
    counts = Counts()
    counting.append(counts)
    try:
        yield counts
    finally:
        counting.remove(counts)


def _count(what: str, nbytes: int) -> None:
    for counts in counting:
        counts.add(what, nbytes)


def is_remote(array: Any) -> bool:
    """Return whether an array is in the memory of an accelerator."""
    return array.__class__ is not np.ndarray and of_jax(next(iter(array.devices()))).type != "cpu"


def to_device(array: Any, device: Device) -> jax.Array:
    """Return a JAX array on a device with the elements of a NumPy or JAX array. The transfer is asynchronous.

    No other code may write to a NumPy array that is passed here, because the result may share its memory.

    Raises:
      OutOfMemoryError: the accelerator has not enough free memory.
    """
    mesh = active.over(device)
    if mesh is not None:
        return allocation.allocated(lambda: mesh.put(array), device)
    target = to_jax(device)
    if isinstance(array, np.ndarray | np.generic):
        if counting and device.type != "cpu":
            _count("to_device", array.nbytes)
        return _put(array, target, device)
    is_there = is_remote(array)
    if is_there is (device.type == "cpu"):  # the two platforms are different clients of JAX
        return to_device(to_host(array), device)
    if counting and is_there and target not in array.devices():
        _count("between", array.nbytes)
    return _put(array, target, device)


def _put(array: Any, target: Any, device: Device) -> Any:
    """Return an array on the JAX device `target`, which is that of `device`.

    In a process that must not use XLA, NumPy arrays stay as they are.
    """
    if forked.is_closed:
        if device.type == "cpu":
            return array
        forked.check(f"moving a tensor to {device}")
    if device.type != "cpu" and not (isinstance(array, jax.Array) and target in array.devices()):
        allocation.check(device, array.nbytes)
    return allocation.allocated(lambda: jax.device_put(array, target), device)


SMALL = 1 << 14  # bytes; constants up to this size are kept on the device


def constant(array: np.ndarray, device: Device) -> jax.Array:
    """Return a constant on an accelerator. Other code may have the same array, so it must not be donated.

    A small constant is transferred once and kept. The device fills an array that repeats one number; its strides are 0.

    Raises:
      OutOfMemoryError: the accelerator has not enough free memory.
    """
    repeats = not any(array.strides)
    if not array.size or (array.nbytes > SMALL and not repeats):
        return to_device(array, device)
    if active.over(device) is not None:
        return to_device(array, device)
    contents = (array[(0,) * array.ndim] if repeats else array).tobytes()
    if array.nbytes > SMALL:
        allocation.check(device, array.nbytes)
        return allocation.allocated(_filled(array.shape, array.dtype, contents, to_jax(device)), device)
    return lend(_kept(array.shape, array.dtype, contents, repeats, device, to_jax(device)))


@functools.lru_cache(256)
def _kept(shape: tuple, dtype: np.dtype, contents: bytes, repeats: bool, device: Device, _: Any) -> jax.Array:
    elements = np.frombuffer(contents, dtype).reshape(() if repeats else shape)
    return to_device(np.array(np.broadcast_to(elements, shape)), device)


@functools.lru_cache(256)
def _filled(shape: tuple, dtype: np.dtype, element: bytes, place: Any) -> Any:
    """Return a program that fills an array of a device."""
    number = np.frombuffer(element, dtype).reshape(())
    return jax.jit(lambda: jnp.broadcast_to(number, shape), out_shardings=SingleDeviceSharding(place))


def to_host(array: Any) -> np.ndarray:
    """Return an array as a NumPy array. A read of an accelerator's array waits until it is computed."""
    if forked.is_child and is_remote(array):
        raise _errors.engine.accelerator_in_child()
    if counting and is_remote(array):
        _count("to_host", array.nbytes)
    try:
        return np.asarray(array)
    except (MemoryError, jax.errors.JaxRuntimeError) as error:
        raise allocation.translated(error, of_jax(next(iter(array.devices())))) from None


def private(arrays: Sequence[Any], device: Device) -> list[jax.Array]:
    """Return copies of arrays as JAX arrays on a device. No other code references the copies.

    One program copies the arrays that are on an accelerator already, so they do not pass the host.
    """
    mesh = active.over(device)
    if mesh is not None:
        return mesh.copies(arrays)
    if device.type == "cpu":
        return [to_device(np.array(array), device) for array in arrays]
    target = {to_jax(device)}
    there = [i for i, array in enumerate(arrays) if isinstance(array, jax.Array) and array.devices() == target]
    copies = dict(zip(there, _copies([arrays[i] for i in there]) if there else ()))
    return [copies[i] if i in copies else to_device(np.array(array), device) for i, array in enumerate(arrays)]


@jax.jit
def _copies(arrays: list) -> list:
    return [jnp.copy(array) for array in arrays]


class Resident:
    """The host vectors that a program took last. On an accelerator, a vector that repeats stays on the device.

    The first use of a vector passes it to the program. The second use transfers it once, and later uses transfer
    nothing until its bytes change.
    """

    __slots__ = ("_device", "_is_host", "_last")

    def __init__(self, device: Device) -> None:
        self._device, self._is_host = device, device.type == "cpu"
        self._last: dict[int, tuple[bytes, jax.Array | None]] = {}

    def __call__(self, vectors: list) -> list:
        """Return the vectors, each as a NumPy array or as an array that is on the device already."""
        return vectors if self._is_host else [*map(self.held, range(len(vectors)), vectors)]

    def held(self, place: int, vector: np.ndarray) -> Any:
        """Return one vector, as in a call. `place` is its index among the vectors of the program."""
        if self._is_host:
            return vector
        contents = vector.tobytes()
        before, array = self._last.get(place, (None, None))
        if before != contents:
            self._last[place] = contents, None
            return vector
        if array is None:
            array = to_device(vector, self._device)
            self._last[place] = contents, array
        return array


def end_to_end(arrays: Sequence[Any], device: Device) -> Any:
    """Return one flat array with the elements of all arrays, computed where the arrays are."""
    if device.type == "cpu":
        return np.concatenate([np.asarray(array).reshape(-1) for array in arrays])
    return _end_to_end([to_device(array, device) for array in arrays])


def apart(flat: Any, shapes: Sequence[tuple[int, ...]], device: Device) -> list:
    """Undo `end_to_end`: return arrays of these shapes with the elements of a flat array."""
    if device.type == "cpu":
        return [part.copy() for part in _cut(np.asarray(flat), shapes)]
    return _apart(flat, tuple(shapes))


def _cut(flat: Any, shapes: Sequence[tuple[int, ...]]) -> list:
    ends = list(itertools.accumulate(map(math.prod, shapes)))
    return [flat[begin:end].reshape(shape) for begin, end, shape in zip([0, *ends], ends, shapes)]


@jax.jit
def _end_to_end(arrays: list) -> jax.Array:
    return jnp.concatenate([array.reshape(-1) for array in arrays])


_apart = jax.jit(_cut, static_argnums=1)


def runs(device: Device, arguments: Iterable[Sequence[Any]]) -> None:
    """Count one run of a program on a device, and its host arguments. JAX transfers them when it calls the program."""
    if device.type == "cpu":
        return
    for array in (array for group in arguments for array in group):
        if isinstance(array, np.ndarray):
            _count("to_device", array.nbytes)
    for counts in counting:
        counts.programs += 1
