"""The gradients that one exchange averages."""

from __future__ import annotations

import enum

from torchlike import Tensor


class GradBucket:
    """Gradients of one dtype, one after another in a tensor of one dim, as hooks of `DistributedDataParallel` get
    them: not yet divided by the number of processes."""

    def __init__(self, index: int, buffer: Tensor, parameters: list[Tensor], is_last: bool) -> None:
        self._index, self._buffer, self._parameters, self._is_last = index, buffer, parameters, is_last

    def index(self) -> int:
        """Which bucket this is."""
        return self._index

    def buffer(self) -> Tensor:
        """The gradients."""
        return self._buffer

    def set_buffer(self, buffer: Tensor) -> None:
        """Take another tensor in place of the buffer."""
        self._buffer = buffer

    def gradients(self) -> list[Tensor]:
        """Views of the buffer in the parameters' shapes."""
        parts = self._buffer.split([p.numel() for p in self._parameters])
        return [part.view(p.shape) for part, p in zip(parts, self._parameters)]

    def parameters(self) -> list[Tensor]:
        """The parameters, in the buffer's order."""
        return list(self._parameters)

    def is_last(self) -> bool:
        """Whether no other bucket follows."""
        return self._is_last


class BuiltinCommHookType(enum.Enum):
    """Ways of averaging that need no function."""

    ALLREDUCE = 0
    FP16_COMPRESS = 1
