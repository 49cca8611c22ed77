"""`DDPCommHookType`: the hooks by name."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from torchlike.distributed._c10d._buckets import GradBucket
from torchlike.distributed.algorithms.ddp_comm_hooks import (
    debugging_hooks,
    default_hooks,
    powerSGD_hook,
    quantization_hooks,
)


class DDPCommHookType(enum.Enum):
    """The names of communication hooks."""

    ALLREDUCE = enum.auto()
    FP16_COMPRESS = enum.auto()
    BF16_COMPRESS = enum.auto()
    QUANTIZE_PER_TENSOR = enum.auto()
    QUANTIZE_PER_CHANNEL = enum.auto()
    POWER_SGD = enum.auto()
    POWER_SGD_RANK2 = enum.auto()
    BATCHED_POWER_SGD = enum.auto()
    BATCHED_POWER_SGD_RANK2 = enum.auto()
    NOOP = enum.auto()


_HOOKS: dict[DDPCommHookType, Callable[[Any, GradBucket], Any]] = {
    DDPCommHookType.ALLREDUCE: default_hooks.allreduce_hook,
    DDPCommHookType.FP16_COMPRESS: default_hooks.fp16_compress_hook,
    DDPCommHookType.BF16_COMPRESS: default_hooks.bf16_compress_hook,
    DDPCommHookType.QUANTIZE_PER_TENSOR: quantization_hooks.quantization_pertensor_hook,
    DDPCommHookType.QUANTIZE_PER_CHANNEL: quantization_hooks.quantization_perchannel_hook,
    DDPCommHookType.NOOP: debugging_hooks.noop_hook,
}
_POWER_SGD: dict[DDPCommHookType, tuple[Callable[[Any, GradBucket], Any], int]] = {  # with the rank of matrices
    DDPCommHookType.POWER_SGD: (powerSGD_hook.powerSGD_hook, 1),
    DDPCommHookType.POWER_SGD_RANK2: (powerSGD_hook.powerSGD_hook, 2),
    DDPCommHookType.BATCHED_POWER_SGD: (powerSGD_hook.batched_powerSGD_hook, 1),
    DDPCommHookType.BATCHED_POWER_SGD_RANK2: (powerSGD_hook.batched_powerSGD_hook, 2),
}


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a hook that is given by its name.

    Args:
      comm_hook_type (DDPCommHookType): the name.
      model (DistributedDataParallel): the module.
      state (ProcessGroup, optional): the processes. Default: all.
    """
    if comm_hook_type in _POWER_SGD:
        hook, rank = _POWER_SGD[comm_hook_type]
        model.register_comm_hook(powerSGD_hook.PowerSGDState(state, matrix_approximation_rank=rank), hook)
    else:
        model.register_comm_hook(state, _HOOKS[comm_hook_type])


__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]
