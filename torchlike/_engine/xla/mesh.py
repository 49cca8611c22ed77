"""The mesh: the devices over which one process spreads a program that knows of one device.

While a mesh is active, the engine's device (`cpu`, `cuda:0`, `tpu:0`) stands for all devices of the mesh. Arrays are
global: each has the shape that the program sees, and a sharding that says which device holds which part. XLA's
partitioner inserts the collectives.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from torchlike._dtypes import devices, modes
from torchlike._dtypes.devices import device as Device

BATCH_AXES = ("data", "fsdp")  # the axes over which batches are sharded
STATE_AXES = ("fsdp", "model")  # the axes over which large parameters are sharded by default

Spec = tuple[Any, ...]  # for each dimension, the name of an axis, a tuple of names, or None


class GlobalMesh:
    """The devices of one type, arranged in named axes.

    Attributes:
      axes: the number of devices along each axis, by name.
      device: the engine's device that stands for the mesh.
      jax: JAX's mesh.
      batch: the sharding of batches: dimension 0 over the axes of `BATCH_AXES` that the mesh has.
      replicated: the sharding of arrays of which each device holds all elements.
      ways: the number of parts into which a batch is split.
      sizes: the sizes of the batches that were sharded.
      uneven: the sizes of batches that were replicated because `ways` does not divide them.
      wanted: returns the shardings of the state that must keep its sharding, by the id of the Value.
    """

    def __init__(self, axes: Mapping[str, int], device: Device, places: Sequence[Any]) -> None:
        self.axes, self.device = dict(axes), device
        self.jax = Mesh(np.array(places).reshape([*axes.values()]), tuple(axes))
        names = tuple(name for name in axes if name in BATCH_AXES)
        self.ways = math.prod(axes[name] for name in names)
        self.replicated = self.sharding()
        self.batch = self.sharding(names) if self.ways > 1 else self.replicated
        self.sizes: set[int] = set()
        self.uneven: set[int] = set()
        self.wanted: Callable[[], dict[int, NamedSharding]] = dict
        self._marked: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()

    def __repr__(self) -> str:
        return ",".join(f"{name}={size}" for name, size in self.axes.items())

    def sharding(self, *spec: Any) -> NamedSharding:
        """Return the sharding of a spec. Equal specs have the same object."""
        return _sharding(self.jax, _shortest(spec))

    def described(self) -> str:
        """Describe the mesh and the batches of the program in one line, for reports."""
        text = f"mesh {self} of {self.device.type} devices"
        if self.sizes:
            text += f"; batches of {_listed(self.sizes)} are sharded"
        if self.uneven:
            text += f"; batches of {_listed(self.uneven)} are replicated, because {self.ways} does not divide them"
        return text

    # -- batches ---------------------------------------------------------------------------------------------------

    def takes(self, size: int) -> bool:
        """Return whether batches of this size are sharded."""
        if self.ways == 1:
            return False
        if size and size % self.ways == 0:
            self.sizes.add(size)
            return True
        self.uneven.add(size)
        return False

    def mark(self, array: np.ndarray) -> None:
        """Mark a host array as a batch. It is sharded when it is moved to the mesh."""
        self._marked[id(array)] = array

    def is_led(self, shape: Sequence[int]) -> bool:
        """Return whether dimension 0 of an array has the size of a sharded batch."""
        return bool(shape) and shape[0] in self.sizes

    def natural(self, array: Any) -> NamedSharding:
        """Return the sharding of an array that is moved to the mesh: that of batches if it is marked."""
        return self.batch if self._marked.get(id(array)) is array else self.replicated

    # -- placing ---------------------------------------------------------------------------------------------------

    def sharding_of(self, array: Any) -> NamedSharding | None:
        """Return the sharding of an array over this mesh, or None if the array is elsewhere."""
        found = getattr(array, "sharding", None)
        return found if isinstance(found, NamedSharding) and found.mesh == self.jax else None

    def put(self, array: Any, sharding: NamedSharding | None = None) -> jax.Array:
        """Return an array over the mesh. Without a sharding, an array that is on the mesh already is returned as it is.

        Args:
          array: a NumPy or JAX array.
          sharding: the sharding; by default the one of `natural`.
        """
        own = self.sharding_of(array)
        if own is not None:
            is_there = sharding is None or own == sharding or own.is_equivalent_to(sharding, array.ndim)
            return array if is_there else _relaid(sharding)(array)
        sharding = sharding or self.natural(array)
        if self.device.type != "cpu":
            return jax.device_put(np.asarray(array), sharding)
        # A JAX array on the CPU may share the memory of a NumPy array. Each device gets its own copy, because programs
        # overwrite donated arrays.
        given = np.asarray(array)
        parts = [
            jax.device_put(np.array(given[index]), place)
            for place, index in sharding.addressable_devices_indices_map(given.shape).items()
        ]
        return jax.make_array_from_single_device_arrays(given.shape, sharding, parts)

    def copies(self, arrays: Sequence[Any]) -> list[jax.Array]:
        """Return copies of arrays over the mesh, with the same shardings. No other code references them."""
        found = [(array, self.sharding_of(array)) for array in arrays]
        return [self.put(np.array(array)) if own is None else _relaid(own)(array) for array, own in found]


def _listed(sizes: set[int]) -> str:
    return ", ".join(map(str, sorted(sizes)))


def _shortest(spec: Spec) -> Spec:
    """Return a spec without empty tuples, tuples of one name, and None at its end."""
    short = [(name[0] if len(name) == 1 else name or None) if isinstance(name, tuple) else name for name in spec]
    while short and short[-1] is None:
        short.pop()
    return tuple(short)


@functools.cache
def _sharding(mesh: Mesh, spec: Spec) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec(*spec))


@functools.cache
def _relaid(sharding: NamedSharding) -> Callable[[Any], jax.Array]:
    """Return a program that copies an array of a mesh to a sharding."""
    return jax.jit(jnp.copy, out_shardings=sharding)


class _Active:
    """The mesh of the process, or None."""

    __slots__ = ("mesh",)

    def __init__(self) -> None:
        self.mesh: GlobalMesh | None = None

    def over(self, device: Device) -> GlobalMesh | None:
        """Return the mesh that a device stands for, or None."""
        mesh = self.mesh
        return mesh if mesh is not None and mesh.device is device else None


active = _Active()


def activate(axes: Mapping[str, int], what: str) -> GlobalMesh:
    """Make the local devices the mesh of this process. They are those of the accelerator, or else the CPU's.

    If JAX has not started, the CPU gets as many devices as the mesh needs.

    Args:
      axes: the number of devices along each axis.
      what: the mesh as the user wrote it, for errors.

    Raises:
      RuntimeError: another mesh is active, or the number of devices differs from that of the mesh.
    """
    if active.mesh is not None:
        if active.mesh.axes == dict(axes):
            return active.mesh
        raise RuntimeError(f"the mesh {active.mesh} is active, so {what} cannot be; a process has one mesh")
    count = math.prod(axes.values())
    _ask_for(count)
    type = devices.accelerator() or "cpu"
    places = devices.jax_devices(type)
    if len(places) != count:
        raise RuntimeError(f"{what} needs {_counted(count)}, and this process has {_counted(len(places), type)}")
    device = modes.canonical(type)
    if type != "cpu":
        devices.join(type, places)
    active.mesh = GlobalMesh(axes, device, places)
    return active.mesh


def _ask_for(count: int) -> None:
    """Ask JAX for this many CPU devices. Once JAX has started, their number cannot change."""
    try:
        jax.config.update("jax_num_cpu_devices", count)
    except (RuntimeError, ValueError, AttributeError):
        return


def _counted(count: int, type: str = "") -> str:
    return f"{count} {type and type + ' '}device{'s' if count != 1 else ''}"


def parse(text: str) -> dict[str, int]:
    """Return the axes of a mesh that is written as `data=4,model=2`.

    Raises:
      ValueError: the text has another form.
    """
    axes: dict[str, int] = {}
    for part in text.split(","):
        name, equals, size = (x.strip() for x in part.partition("="))
        if not equals or not name.isidentifier():
            raise ValueError(
                f"a mesh is written as data=8 or data=4,model=2; {part.strip()!r} is not an axis and a size"
            )
        if not size.isdecimal() or int(size) < 1:
            raise ValueError(f"the size of the mesh axis {name!r} must be a positive number, not {size!r}")
        if name in axes:
            raise ValueError(f"the mesh axis {name!r} is given twice")
        axes[name] = int(size)
    return axes
