"""`DDPCommHookType`: the hooks by name."""

from __future__ import annotations

import enum
from typing import Any

from torchlike._internal import _errors
from torchlike.distributed.algorithms.ddp_comm_hooks import debugging_hooks, default_hooks


class DDPCommHookType(enum.Enum):
    """The names of communication hooks. Quantization and PowerSGD are not supported."""

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


_HOOKS = {
    DDPCommHookType.ALLREDUCE: default_hooks.allreduce_hook,
    DDPCommHookType.FP16_COMPRESS: default_hooks.fp16_compress_hook,
    DDPCommHookType.BF16_COMPRESS: default_hooks.bf16_compress_hook,
    DDPCommHookType.NOOP: debugging_hooks.noop_hook,
}


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a hook that is given by its name.

    Args:
      comm_hook_type (DDPCommHookType): the name.
      model (DistributedDataParallel): the module.
      state: the first argument of the hook. The hooks here take a process group, or None for all processes.

    Raises:
      NotImplementedError: the hook is not supported.
    """
    hook = _HOOKS.get(comm_hook_type)
    if hook is None:
        raise _errors.arguments.no_distributed(str(comm_hook_type))
    model.register_comm_hook(state, hook)


__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]
