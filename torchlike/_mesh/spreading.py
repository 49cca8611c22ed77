"""Tensors over the mesh: which parameters are sharded, and which tensors are batches.

Parameters and buffers get a sharding when their module is first called, or by `torchlike.distribute`. They keep it, and
so do their gradients and the state of optimizers. Batches come from a `DataLoader` or are arguments of a module.
"""

from __future__ import annotations

import fnmatch
import math
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jax.sharding import NamedSharding

from torchlike._dtypes.recorder import current
from torchlike._engine.xla.mesh import STATE_AXES, GlobalMesh, Spec, active
from torchlike._tensor.tensor import Tensor

SMALL = 4096  # elements; a smaller parameter is sharded only if a rule says so

Placement = str | Spec | None  # the value of a rule, see `distribute`
Rules = Mapping[str, Placement]


class Placed:
    """The tensors that have a sharding.

    Attributes:
      rules: the rules for the modules that are called.
    """

    def __init__(self) -> None:
        self.rules: Rules = {}
        self._tensors: dict[int, tuple[weakref.ref[Tensor], tuple, NamedSharding]] = {}
        self._modules: weakref.WeakSet[Any] = weakref.WeakSet()

    def module(self, module: Any, mesh: GlobalMesh, rules: Rules) -> None:
        """Choose the shardings of the parameters and buffers of a module."""
        self._modules.add(module)
        of = {id(p): part for part in module.modules() for p in part.parameters(recurse=False)}
        for name, parameter in module.named_parameters():
            rows_only = getattr(of[id(parameter)], "_shards_rows", False)
            self._add(parameter, mesh.sharding(*spec_of(name, tuple(parameter.shape), mesh, rules, rows_only)))
        for _, buffer in module.named_buffers():
            self._add(buffer, mesh.replicated)

    def knows(self, module: Any) -> bool:
        """Return whether the shardings of a module's parameters are chosen."""
        return module in self._modules

    def _add(self, tensor: Tensor, sharding: NamedSharding) -> None:
        key = id(tensor)
        self._tensors[key] = weakref.ref(tensor, lambda _: self._tensors.pop(key, None)), tuple(tensor.shape), sharding

    def __iter__(self) -> Iterator[tuple[Tensor, NamedSharding]]:
        for held, shape, sharding in [*self._tensors.values()]:
            tensor = held()
            if tensor is not None and tensor._chain is None and tensor._storage.value.aval.shape == shape:
                yield tensor, sharding

    def wanted(self) -> dict[int, NamedSharding]:
        """Return the shardings of the Values of these tensors and of their gradients, by id."""
        found = {}
        for tensor, sharding in self:
            found[id(tensor._storage.value)] = sharding
            grad = tensor._grad
            if grad.__class__ is Tensor and grad._chain is None and grad.shape == tensor.shape:
                found[id(grad._storage.value)] = sharding
        return found

    def storages(self) -> dict[int, NamedSharding]:
        """Return the shardings of the storages of these tensors, by id."""
        return {id(tensor._storage): sharding for tensor, sharding in self}

    def move(self, mesh: GlobalMesh) -> None:
        """Move these tensors to their shardings, for example after a checkpoint was loaded."""
        for tensor, sharding in self:
            value = tensor._storage.value
            if value.array is not None and value.aval.device is mesh.device:
                value.array = mesh.put(value.array, sharding)


placed = Placed()


def is_sharded(tensor: Tensor) -> bool:
    """Return whether the elements of a tensor are divided between the devices of the mesh."""
    mesh = active.mesh
    own = None if mesh is None else mesh.sharding_of(tensor._storage.value.array)
    return own is not None and not own.is_fully_replicated


# -- rules -------------------------------------------------------------------------------------------------------------


def spec_of(name: str, shape: tuple[int, ...], mesh: GlobalMesh, rules: Rules, rows_only: bool = False) -> Spec:
    """Return the spec of a parameter: that of the first rule whose pattern matches its name, or the default.

    With `rows_only`, the default shards only dimension 0.
    """
    for pattern, rule in rules.items():
        if fnmatch.fnmatchcase(name, pattern):
            return _of_rule(name, shape, mesh, pattern, rule)
    axes = [axis for axis in STATE_AXES if axis in mesh.axes] if math.prod(shape) >= SMALL else []
    return largest(shape[:1] if rows_only else shape, mesh, axes)


def _of_rule(name: str, shape: tuple[int, ...], mesh: GlobalMesh, pattern: str, rule: Placement) -> Spec:
    if rule is None:
        return ()
    if isinstance(rule, str):
        return largest(shape, mesh, [rule])
    spec = tuple(rule)
    if len(spec) > len(shape):
        raise ValueError(
            f"the rule {pattern!r} has {len(spec)} dimensions, and the parameter {name!r} has {len(shape)}"
        )
    for dim, (size, axes) in enumerate(zip(shape, spec)):
        ways = math.prod(mesh.axes[axis] for axis in axes_of(axes))
        if size % ways:
            raise ValueError(
                f"the rule {pattern!r} splits dimension {dim} of the parameter {name!r} into {ways} parts, "
                f"but its size is {size}"
            )
    return spec


def axes_of(part: Any) -> tuple[str, ...]:
    """Return the names of the axes in one element of a spec."""
    return () if part is None else (part,) if isinstance(part, str) else tuple(part)


def largest(shape: Sequence[int], mesh: GlobalMesh, axes: Iterable[str]) -> Spec:
    """Return the spec that shards the largest free dimension that each axis divides. The last one wins a tie."""
    spec: list[Any] = [None] * len(shape)
    for axis in axes:
        free = [d for d, size in enumerate(shape) if spec[d] is None and size % mesh.axes[axis] == 0]
        if free:
            spec[max(reversed(free), key=lambda d: shape[d])] = axis
    return tuple(spec)


# -- batches -----------------------------------------------------------------------------------------------------------


def entering(module: Any, given: Any) -> None:
    """Called with the arguments of an outermost module while a mesh is active."""
    mesh = active.mesh
    if mesh is None:
        return
    if not placed.knows(module):
        placed.module(module, mesh, placed.rules)
    if current().capture is None:
        placed.move(mesh)
        batch(given)


def batch(data: Any) -> None:
    """Shard the tensors of a batch on dimension 0 if its size divides. The first tensor determines the size.

    On an accelerator, a batch on the host is sharded when it is moved there.
    """
    mesh = active.mesh
    found = [t for t in _tensors(data) if t.ndim and t._chain is None and not t.requires_grad]
    if mesh is None or not found or not mesh.takes(size := found[0].shape[0]):
        return
    for tensor in found:
        value = tensor._storage.value
        if tensor.shape[0] != size or value.array is None:
            continue
        if value.aval.device is mesh.device:
            if mesh.sharding_of(value.array) in (None, mesh.replicated):
                value.array = mesh.put(value.array, mesh.batch)
        elif isinstance(value.array, np.ndarray):
            mesh.mark(value.array)


def _tensors(data: Any) -> Iterator[Tensor]:
    if data.__class__ is Tensor:
        yield data
    elif isinstance(data, Mapping):
        for each in data.values():
            yield from _tensors(each)
    elif isinstance(data, Sequence) and not isinstance(data, str | bytes):
        for each in data:
            yield from _tensors(each)
