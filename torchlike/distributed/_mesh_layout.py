"""Layouts of device meshes: which entries of the list of all ranks make up a mesh."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike.serialization._errors import Refused

_MOST_AXES = 64


@dataclass(frozen=True)
class _FlatLayout:
    """The layout of one dim of a mesh: its sizes and strides in the list of ranks. A flattened dim may have several.

    Use `flat` to make one in its normal form.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...]

    def __setstate__(self, state: Any) -> None:
        shape, stride = _fields(self, state, "shape", "stride")
        if not (_are_counts(shape) and type(stride) is tuple and len(shape) == len(stride) <= _MOST_AXES):
            raise Refused("a mesh in it has invalid sizes")
        pairs = [(size, step) for size, step in zip(shape, stride) if size > 1]
        if not _are_counts(tuple(step for _, step in pairs)):
            raise Refused("a mesh in it has invalid strides")
        self.__dict__.update(flat(pairs).__dict__)

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Return the pairs (size, stride)."""
        return zip(self.shape, self.stride)

    def indices(self) -> np.ndarray:
        """Return the indices in the list of ranks, relative to the first."""
        found = np.zeros(1, np.int64)
        for size, stride in self.pairs():
            found = (found[:, None] + np.arange(size) * stride).reshape(-1)
        return found

    def covers(self, stride: int) -> bool:
        """Return whether a dim of this stride, which is a dim of the root mesh, is in this one."""
        return any(s <= stride < s * n for n, s in self.pairs())


@dataclass(frozen=True)
class _MeshLayout:
    """The layouts of all dims of a mesh."""

    axes: tuple[_FlatLayout, ...]

    def __setstate__(self, state: Any) -> None:
        if type(state) is dict and "axes" not in state:  # as PyTorch wrote it before its version 2.13
            shape, stride = (_nested(each) for each in _fields(self, state, "shape", "stride"))
            if len(shape) != len(stride):
                raise Refused("a mesh in it has invalid strides")
            state = {"axes": tuple(map(_of_sizes, shape, stride))}
        (axes,) = _fields(self, state, "axes")
        if type(axes) is not tuple or len(axes) > _MOST_AXES or not all(map(_is_complete, axes)):
            raise Refused("the layout of a mesh is not a tuple of the layouts of its dims")
        object.__setattr__(self, "axes", axes)
        end = 1
        for size, stride in sorted((pair for axis in axes for pair in axis.pairs()), key=lambda pair: pair[1]):
            if stride < end or stride % end:
                raise Refused("the dims of a mesh in it overlap")
            end = stride * size  # of at most the list's length, see `ranks_in_file`

    def mesh(self, listed: np.ndarray, *ranks: int) -> np.ndarray:
        """Return the mesh in a list of ranks that contains one of `ranks`, or else the first mesh."""
        place = next((int(i) for rank in ranks for i in np.flatnonzero(listed == rank)), 0)
        found = np.full((), place - sum(place // s % n * s for axis in self.axes for n, s in axis.pairs()), np.int64)
        for axis in self.axes:
            found = found[..., None] + axis.indices()
        if found.flat[-1] >= len(listed):
            raise Refused(f"a mesh in it is larger than its list of {len(listed)} ranks")
        return listed[found]


def flat(pairs: Iterable[tuple[int, int]]) -> _FlatLayout:
    """Return the layout of pairs (size, stride), outermost first. Pairs that form one range are merged."""
    found: list[tuple[int, int]] = []
    for size, stride in pairs:
        if size == 1:
            continue
        if found and found[-1][1] == size * stride:
            found[-1] = (found[-1][0] * size, stride)
        else:
            found.append((size, stride))
    return _FlatLayout(tuple(size for size, _ in found), tuple(stride for _, stride in found))


def joined(axes: Iterable[_FlatLayout]) -> _FlatLayout:
    """Return the layout of the dim that several dims give when they are flattened."""
    return flat(pair for axis in axes for pair in axis.pairs())


def contiguous(shape: Sequence[int]) -> _MeshLayout:
    """Return the layout of a mesh whose ranks are listed row by row."""
    return _MeshLayout(tuple(flat([(n, math.prod(shape[dim + 1 :]))]) for dim, n in enumerate(shape)))


def _fields(made: Any, state: Any, *names: str) -> list:
    if type(state) is not dict or not all(name in state for name in names):
        raise Refused(f"the state of a {type(made).__name__} has no {' and '.join(names)}")
    return [state[name] for name in names]


def _is_complete(axis: Any) -> bool:
    return type(axis) is _FlatLayout and "shape" in axis.__dict__


def _are_counts(numbers: Any) -> bool:
    return type(numbers) is tuple and all(type(n) is int and 0 < n < 1 << 31 for n in numbers)


def _of_sizes(shape: Any, stride: Any) -> _FlatLayout:
    made = object.__new__(_FlatLayout)
    made.__setstate__({"shape": _nested(shape), "stride": _nested(stride)})
    return made


def _nested(numbers: Any) -> tuple:
    return numbers if type(numbers) is tuple else (numbers,)


def ranks_in_file(state: Any) -> tuple[_MeshLayout, np.ndarray, Any, dict]:
    """Return the entries about ranks in the state of a mesh: the layout, the list, the root mesh and the parts.

    PyTorch before its version 2.10 wrote the ranks of the mesh instead, and no root mesh.
    """
    if type(state) is not dict:
        raise Refused("the state of a mesh is not a dictionary")
    held = state.get("_rank_map", state.get("mesh"))
    if not isinstance(held, Tensor) or held.dtype not in (torchlike.int32, torchlike.int64):
        raise Refused("a mesh in it has no ranks")
    whole = "_rank_map" in state
    numbers = state.get("_flatten_rank_map")
    if type(numbers) is not tuple:
        numbers = tuple(held.reshape(-1).tolist())
    elif numbers != tuple(held.reshape(-1).tolist() if not held.is_meta else numbers):
        raise Refused("a mesh in it has two different lists of ranks")
    if not numbers or not all(type(n) is int and 0 <= n < 1 << 31 for n in numbers) or len(set(numbers)) < len(numbers):
        raise Refused("the ranks of a mesh in it are not different ranks")
    dims, parts = state.get("_layout") if whole else contiguous(held.shape), state.get("_flatten_mapping", {})
    if type(dims) is not _MeshLayout or "axes" not in dims.__dict__ or type(parts) is not dict:
        raise Refused("a mesh in it has no layout")
    if 1 + sum((n - 1) * s for axis in dims.axes for n, s in axis.pairs()) > len(numbers):
        raise Refused(f"a mesh in it is larger than its list of {len(numbers)} ranks")
    return dims, np.array(numbers, np.int32), state.get("_root_mesh") if whole else None, parts if whole else {}


def rank_of(state: dict, dims: _MeshLayout, listed: np.ndarray) -> int | None:
    """Return the rank of the process that saved a mesh, if its state has only the coordinates of that process."""
    place, shape = state.get("_coordinate_on_dim"), tuple(len(axis.indices()) for axis in dims.axes)
    if not isinstance(place, list | tuple) or len(place) != len(shape) or len(listed) != math.prod(shape):
        return None
    if not all(type(i) is int and 0 <= i < n for i, n in zip(place, shape)):
        raise Refused("a mesh in it has invalid coordinates")
    return int(listed.reshape(shape)[tuple(place)])
