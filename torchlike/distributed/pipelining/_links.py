"""The tensors that stages pass to each other: through messages, or directly within a process."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from torchlike import Tensor
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.tensor import DTensor

from ._utils import PipeliningMetadataError

_FIRST_TAG = -2  # the tag -1 is that of object messages, and users' tags are not negative


class Links:
    """The way to other stages. A sent tensor keeps its `requires_grad`, but not its autograd graph.

    Args:
      group (ProcessGroup): the processes of the pipeline.
      num_stages (int): the number of stages.
      device: the device of received tensors.
    """

    def __init__(self, group: ProcessGroup, num_stages: int, device: object) -> None:
        self._group, self._num_stages, self._device = group, num_stages, device
        self._own: dict[int, Sequence[Tensor | None]] = {}

    def _tag(self, source: int, target: int, microbatch: int) -> int:
        return _FIRST_TAG - ((microbatch * self._num_stages + source) * self._num_stages + target)

    def send(self, tensors: Sequence[Tensor | None], source: int, target: int, microbatch: int, rank: int) -> None:
        """Send tensors from one stage to another, which is in the process with this rank in the group."""
        for tensor in tensors:
            if not isinstance(tensor, Tensor | None):
                raise PipeliningMetadataError(f"Stage {source}: expected tensors as outputs, got {type(tensor)}")
            if isinstance(tensor, DTensor):
                raise PipeliningMetadataError(
                    f"Stage {source}: DTensors cannot be sent to another stage; send their local tensors"
                )
        parts = [None if x is None else (x.detach().cpu(), x.requires_grad) for x in tensors]
        self._group.send(rank, self._tag(source, target, microbatch), pickle.dumps(parts))

    def receive(self, source: int, target: int, microbatch: int, rank: int) -> tuple[Tensor | None, ...]:
        """Return the tensors that stage `source` sends, or wait for them."""
        tag = self._tag(source, target, microbatch)
        if tag in self._own:
            return tuple(self._own.pop(tag))
        parts = pickle.loads(self._group.receive(rank, tag)[1])
        return tuple(None if x is None else x[0].to(self._device).requires_grad_(x[1]) for x in parts)

    def put(self, tensors: Sequence[Tensor | None], source: int, target: int, microbatch: int) -> None:
        """Store tensors of another stage of this process, for `receive`."""
        alone = [None if x is None else x.detach().requires_grad_(x.requires_grad) for x in tensors]
        self._own[self._tag(source, target, microbatch)] = alone

    def clear(self) -> None:
        """Drop the tensors that were stored but not received."""
        self._own.clear()
