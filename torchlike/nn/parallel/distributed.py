"""One module trained by several processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torchlike

from .. import _errors
from ..modules.module import Module


class DistributedDataParallel(Module):
    """Hold `module` as `self.module` and call it; gradients are averaged over the processes of the default group.

    One process alone averages with nobody, which is all that is supported: the group must be initialised and have one
    member. Arguments that say how to communicate are accepted as far as they make no difference to one process.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        **options: Any,
    ) -> None:
        super().__init__()
        if not _world_size():
            raise _errors.process_group_missing()
        if _world_size() > 1:
            raise NotImplementedError(
                "DistributedDataParallel: more than one process is not supported by torchlike yet"
            )
        for name in options:
            raise _errors.unsupported("DistributedDataParallel", name)
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise _errors.nothing_to_distribute()
        self.module = module
        self.device_ids = device_ids
        self.output_device = output_device
        self.dim = dim
        self.process_group = process_group
        self.require_backward_grad_sync = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let gradients accumulate in this process only while the block runs."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before


def _world_size() -> int:
    """How many processes the default group has; 0 where there is none."""
    distributed = getattr(torchlike, "distributed", None)
    return distributed.get_world_size() if distributed is not None and distributed.is_initialized() else 0
