"""The sum of sparse tensors over processes that store different numbers of elements."""

from __future__ import annotations

import torchlike
from torchlike import Tensor
from torchlike.distributed._group import ProcessGroup


def summed(own: Tensor | None, like: Tensor, group: ProcessGroup) -> Tensor:
    """Return the sum of the members' sparse tensors.

    Args:
      own: the tensor of this process, with one sparse dim. None stands for zeros.
      like: a dense tensor of the same shape and dtype.
      group: the members.
    """
    messages = group.share(b"" if own is None else _packed(own.coalesce()))
    parts = [_unpacked(bytes(messages[rank]), like) for rank in sorted(messages)]
    indices, values = (torchlike.cat(each) for each in zip(*parts))
    return torchlike.sparse_coo_tensor(indices[None], values, like.shape).coalesce()


def _packed(own: Tensor) -> bytes:
    indices, values = own.indices()[0], own.values()
    return indices.numpy().tobytes() + values.reshape(-1).contiguous().view(torchlike.uint8).numpy().tobytes()


def _unpacked(message: bytes, like: Tensor) -> tuple[Tensor, Tensor]:
    row = tuple(like.shape[1:])
    count = len(message) // (8 + like.element_size() * torchlike.Size(row).numel())
    if not count:
        return torchlike.zeros(0, dtype=torchlike.int64), torchlike.zeros((0, *row), dtype=like.dtype)
    indices = torchlike.frombuffer(bytearray(message[: 8 * count]), dtype=torchlike.int64)
    values = torchlike.frombuffer(bytearray(message[8 * count :]), dtype=like.dtype)
    return indices.to(like.device), values.view(count, *row).to(like.device)
