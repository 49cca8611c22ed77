"""`ShardedGradScaler`: loss scaling for gradients that are sharded over processes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.amp.grad_scaler import GradScaler, _unscale
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed._world import member
from torchlike.distributed.tensor import DTensor


class ShardedGradScaler(GradScaler):
    """A `GradScaler` whose overflow check covers the shards of all processes.

    Args:
      device: the device type of the losses.
      init_scale, backoff_factor, growth_factor, growth_interval, enabled: as for `GradScaler`.
      process_group: the processes that have the shards. The default is the default group.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        backoff_factor: float = 0.5,
        growth_factor: float = 2.0,
        growth_interval: int = 2000,
        enabled: bool = True,
        process_group: ProcessGroup | None = None,
    ) -> None:
        super().__init__(
            device,
            init_scale=init_scale,
            backoff_factor=backoff_factor,
            growth_factor=growth_factor,
            growth_interval=growth_interval,
            enabled=enabled,
        )
        self.process_group = member(process_group) if enabled else None

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Any, Tensor]:
        """Multiply the local gradients by `inv_scale`. Return the overflow flags of all processes by device."""
        grads: dict[Any, list[Tensor]] = defaultdict(list)
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad: Any = parameter.grad
                if grad is not None:
                    grad = grad._local_tensor if isinstance(grad, DTensor) else grad
                    grads[grad.device].append(grad)
        with torchlike.no_grad():
            found = {
                device: found_inf.to(device) + _unscale(each, inv_scale.to(device)) for device, each in grads.items()
            }
            found = found or {found_inf.device: found_inf}
            group = member(self.process_group)
            if group.size() == 1:
                return found
            return {device: collectives.all_reduce(flag, "max", group) for device, flag in found.items()}
