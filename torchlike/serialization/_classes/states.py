"""Classes whose objects `load(weights_only=True)` creates empty and then gives a state: the parts of a `DTensor`.

Each class checks the whole state in its `__setstate__`. A file sets the state of an object exactly once, so that what
was checked does not change later.
"""

from __future__ import annotations

import functools
import importlib
import pickle
from typing import Any

import torchlike
from torchlike._errors.memory import is_out_of_memory
from torchlike.serialization import _errors as errors
from torchlike.serialization._budget import NO_KEYS, Budget
from torchlike.serialization._classes import wrappers

_TENSOR = "torch.distributed.tensor"
_PLACEMENTS = tuple(f"{_TENSOR}.placement_types.{name}" for name in ("Shard", "_StridedShard", "Replicate", "Partial"))
_STATEFUL = (
    "torch.distributed.device_mesh.DeviceMesh",
    "torch.distributed._mesh_layout._MeshLayout",
    "torch.distributed._mesh_layout._FlatLayout",
    f"{_TENSOR}._dtensor_spec.DTensorSpec",
    *_PLACEMENTS,
)
_TUPLES = tuple(f"{_TENSOR}._dtensor_spec.{name}" for name in ("TensorMeta", "ShardOrderEntry"))
_MOVED = {  # other names, such as those of older versions of PyTorch -> the names in torchlike
    f"{_TENSOR}._ops._math_ops._NormPartial": f"{_TENSOR}.placement_types._NormPartial",
    "torch.distributed._tensor.api.DTensor": f"{_TENSOR}.DTensor",
    "torch.distributed._tensor.DTensor": f"{_TENSOR}.DTensor",
    f"{_TENSOR}._api.DTensor": f"{_TENSOR}.DTensor",
    "torch.distributed._tensor._dtensor_spec.DTensorSpec": f"{_TENSOR}._dtensor_spec.DTensorSpec",
    "torch.distributed._tensor._dtensor_spec.TensorMeta": f"{_TENSOR}._dtensor_spec.TensorMeta",
    "torch.distributed._tensor.placement_types.DTensorSpec": f"{_TENSOR}._dtensor_spec.DTensorSpec",
    "torch.distributed._tensor.placement_types.TensorMeta": f"{_TENSOR}._dtensor_spec.TensorMeta",
    **{path.replace("tensor", "_tensor", 1): path for path in _PLACEMENTS},
}
NAMES = frozenset((f"{_TENSOR}.DTensor", *_STATEFUL, *_TUPLES, *_MOVED))


@functools.cache
def find(path: str) -> Any:
    """Return torchlike's class for one of `NAMES`. Its module is imported when a file needs it."""
    module, _, name = _MOVED.get(path, path).rpartition(".")
    found = getattr(importlib.import_module(f"torchlike{module.removeprefix('torch')}"), name)
    if path in _STATEFUL and path not in _PLACEMENTS:
        NO_KEYS.add(found)
    return found


class States:
    """The objects of these classes in one file."""

    def __init__(self) -> None:
        self._found: set[type] = set()
        self._empty: dict[int, Any] = {}

    def find(self, path: str) -> type:
        """Return the class for one of `NAMES`."""
        found = find(path)
        self._found.add(found)
        return found

    def has(self, cls: Any) -> bool:
        """Return whether the file may create objects of a class."""
        return isinstance(cls, type) and any(cls is found for found in self._found)

    def new(self, cls: type, args: Any) -> Any:
        """Return an object without a state, or a named tuple."""
        if issubclass(cls, torchlike.Tensor):
            raise errors.forbidden_new(cls)
        if issubclass(cls, tuple):
            if type(args) is not tuple or len(args) != len(cls._fields):  # type: ignore[attr-defined]
                raise errors.bad_arguments(cls)
            return cls(*args)
        if args != ():
            raise errors.bad_arguments(cls)
        made = object.__new__(cls)
        self._empty[id(made)] = made
        return made

    def build(self, made: Any, state: Any, budget: Budget) -> None:
        """Give an object its state."""
        if self._empty.pop(id(made), None) is None:
            raise errors.forbidden_build(type(made))
        if type(state) is not dict or not all(type(name) is str for name in state):
            raise errors.bad_state(type(made))
        budget.objects(sum(map(_length, state.values())))
        try:
            made.__setstate__(state)
        except pickle.UnpicklingError:
            raise
        except Exception as error:
            if is_out_of_memory(error):
                raise
            raise errors.bad_state(type(made)) from None

    def finish(self) -> None:
        """Raise if an object has no state."""
        if self._empty:
            raise errors.bad_state(type(next(iter(self._empty.values()))))


def _length(value: Any) -> int:
    if isinstance(value, torchlike.Tensor) and not wrappers.is_wrapper(type(value)):
        return value.numel()
    return len(value) if isinstance(value, list | tuple | dict | str) else 1
