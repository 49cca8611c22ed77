"""Writing regions of a checkpoint into the tensors of a state dict.

The regions of one tensor are put together in the host's memory, and the tensor is then written once. Writing each
region into a view of the tensor would copy the tensor once for each region.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from torchlike import Tensor
from torchlike._internal import of_array, to_numpy
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torchlike.distributed.checkpoint.metadata import MetadataIndex
from torchlike.distributed.checkpoint.planner import LoadPlanner, ReadItem

Read = Callable[[ReadItem], np.ndarray]


def destinations(items: Iterable[ReadItem], planner: LoadPlanner) -> list[list[ReadItem]]:
    """Group the regions by the tensors that they are written into.

    If the planner decides for each region where it is written, each region is a group of its own.
    """
    if not _writes_whole_tensors(planner):
        return [[item] for item in items]
    found: dict[MetadataIndex, list[ReadItem]] = defaultdict(list)
    for item in items:
        found[item.dest_index].append(item)
    return list(found.values())


def _writes_whole_tensors(planner: LoadPlanner) -> bool:
    return isinstance(planner, DefaultLoadPlanner) and all(
        getattr(type(planner), name) is getattr(DefaultLoadPlanner, name)
        for name in ("resolve_tensor", "transform_tensor", "commit_tensor")
    )


def fill(items: list[ReadItem], planner: LoadPlanner, read: Read) -> int:
    """Write a group of regions into its tensor. Return the number of bytes that were written."""
    if len(items) == 1 or not isinstance(planner, DefaultLoadPlanner):
        written = 0
        for item in items:
            target = planner.resolve_tensor(item).detach()
            written += _write(target, read(item), item)
            planner.commit_tensor(item, target)
        return written
    target = planner.lookup_tensor(items[0].dest_index).detach()
    return _write(target, _joined(items, target, read), items[0])


def _joined(items: list[ReadItem], target: Tensor, read: Read) -> np.ndarray:
    """Return the elements of a tensor: the regions, and the elements of `target` where there are none."""
    first = read(items[0])
    if sum(math.prod(item.lengths) for item in items) == target.numel():
        found = np.empty(tuple(target.shape), first.dtype)
    else:
        found = np.array(to_numpy(target.to(of_array(first).dtype)._value))
    for item in items:
        place = tuple(slice(b, b + n) for b, n in zip(item.dest_offsets, item.lengths))
        found[place] = first if item is items[0] else read(item)
    return found


def _write(target: Tensor, array: np.ndarray, item: ReadItem) -> int:
    if tuple(target.shape) != array.shape:
        raise AssertionError(f"req {item.storage_index} mismatch sizes {target.size()} vs {array.shape}")
    target.copy_(of_array(np.array(array, order="C")))
    return array.nbytes
