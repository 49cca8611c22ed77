"""Functions of `torch.distributed.utils` that libraries call: copies of a module's state between processes."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from torchlike import Tensor
from torchlike._internal import collectives
from torchlike.distributed import _tensors as t
from torchlike.distributed._group import ProcessGroup

if TYPE_CHECKING:
    from torchlike.nn import Module


def _sync_module_states(
    module: Module,
    process_group: ProcessGroup,
    broadcast_bucket_size: int,
    src: int,
    params_and_buffers_to_ignore: Container[str],
    broadcast_buffers: bool = True,
) -> None:
    """Copy the parameters and buffers of a module from one process to all others.

    Args:
      module: the module. Its parameters must have the same shapes in all processes.
      process_group: the group of the processes.
      broadcast_bucket_size: has no effect.
      src: the rank in the group of the process whose state is copied.
      params_and_buffers_to_ignore: names of parameters and buffers that are not copied.
      broadcast_buffers: whether buffers are copied.
    """
    named = [*module.named_parameters(), *(module.named_buffers() if broadcast_buffers else ())]
    tensors = [tensor.detach() for name, tensor in named if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, tensors, broadcast_bucket_size, src)


def _sync_params_and_buffers(
    process_group: ProcessGroup, module_states: Sequence[Tensor], broadcast_bucket_size: int, src: int
) -> None:
    """Copy the values of tensors from one process to all others.

    Args:
      process_group: the group of the processes.
      module_states: the tensors, in the same order in all processes.
      broadcast_bucket_size: has no effect.
      src: the rank in the group of the process whose tensors are copied.
    """
    if process_group.size() == 1 or not module_states:
        return
    mesh = process_group.mesh(module_states[0].device)
    results = collectives.broadcast(mesh, [*map(t.value, module_states)], src)
    for tensor, result in zip(module_states, results):
        t.write(tensor, result)
