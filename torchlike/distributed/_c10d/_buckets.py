"""Gradient buckets: groups of gradients that `DistributedDataParallel` averages in one all-reduce."""

from __future__ import annotations

import enum

from torchlike import Tensor


class GradBucket:
    """A bucket of gradients of one dtype, concatenated in a one-dimensional tensor.

    `DistributedDataParallel` passes buckets to its communication hooks. The gradients are not yet divided by the number
    of processes.

    Args:
      index (int): the position of the bucket in the order of the reductions.
      buffer (Tensor): the gradients, in one dim.
      parameters (list of Tensors): the parameters, in the order of the buffer.
      is_last: whether this is the last bucket.
    """

    def __init__(self, index: int, buffer: Tensor, parameters: list[Tensor], is_last: bool) -> None:
        self._index, self._buffer, self._parameters, self._is_last = index, buffer, parameters, is_last

    def index(self) -> int:
        """Return the index of this bucket."""
        return self._index

    def buffer(self) -> Tensor:
        """Return the one-dimensional tensor that contains the gradients."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Replace the buffer by another tensor.

        Args:
          buffer (Tensor): the new buffer, in one dim.
        """
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """Return the gradients as views of the buffer, in the shapes of the parameters."""
        parts = self._buffer.split([p.numel() for p in self._parameters])
        return [part.view(p.shape) for part, p in zip(parts, self._parameters)]

    def parameters(self) -> list[Tensor]:
        """Return the parameters, in the order of the buffer."""
        return list(self._parameters)

    def is_last(self) -> bool:
        """Return whether this is the last bucket."""
        return self._is_last


class BuiltinCommHookType(enum.Enum):
    """The built-in communication hooks."""

    ALLREDUCE = 0
    FP16_COMPRESS = 1
