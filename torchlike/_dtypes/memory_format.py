"""Memory formats (orders of the dims in memory) and layouts."""

from __future__ import annotations

import math
from typing import Any

from torchlike._dtypes import strides as _layout


class memory_format:
    """The name of an order of dims in memory.

    Args:
      name: the name without "torch.".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout:
    """The name of a tensor layout, such as strided or sparse.

    Args:
      name: the name without "torch.".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format = memory_format("contiguous_format")
legacy_contiguous_format = contiguous_format
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
jagged = layout("jagged")


def strides_for(shape: tuple[int, ...], wanted: memory_format | None) -> tuple[int, ...]:
    """Return the strides of a dense tensor of this shape: channels-last if `wanted` is, otherwise row-major."""
    if wanted in (channels_last, channels_last_3d):
        rank = 4 if wanted is channels_last else 5
        if len(shape) != rank:
            raise RuntimeError(f"required rank {rank} tensor to use {wanted.name} format")
        order = (0, *range(2, rank), 1)
        return tuple(math.prod(shape[inner] for inner in order[order.index(d) + 1 :]) for d in range(rank))
    return _layout.contiguous_strides(shape)


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...], wanted: memory_format | None) -> bool:
    """Return whether strides are contiguous in a memory format."""
    if wanted not in (channels_last, channels_last_3d):
        return _layout.is_contiguous(shape, strides)
    if len(shape) != (4 if wanted is channels_last else 5):
        return False
    return all(n == 1 or s == t for n, s, t in zip(shape, strides, strides_for(shape, wanted)))


def suggested(tensor: Any) -> memory_format:
    """Return the memory format that a tensor's strides suggest. Operators that preserve the format use it."""
    return contiguous_format if tensor._strides is None else spoken_of(tuple(tensor.shape), tensor._strides)


def spoken_of(shape: tuple[int, ...], strides: tuple[int, ...]) -> memory_format:
    """Return the memory format that strides suggest."""
    for wanted in (channels_last, channels_last_3d):
        if _speaks_of(shape, strides, wanted):
            return wanted
    return contiguous_format


def _speaks_of(shape: tuple[int, ...], strides: tuple[int, ...], wanted: memory_format) -> bool:
    """Return whether the strides suggest the channels-last format `wanted`.

    The strides must not decrease from the channels over the spatial dims, the last one first, to the batch. Each stride
    must also cover the extent of the dims before it, to which dims of size one add nothing. As in PyTorch, shapes such
    as N111 are ambiguous and count as contiguous.
    """
    rank = 4 if wanted is channels_last else 5
    if len(shape) != rank or strides[1] == 0:
        return False
    least = 0
    for d in (1, *range(rank - 1, 1, -1), 0):
        if shape[d] == 0 or strides[d] < least:
            return False
        if d == 0 and least == strides[1]:
            return False
        least = strides[d] * max(shape[d], 1) if shape[d] > 1 else strides[d]
    return True
