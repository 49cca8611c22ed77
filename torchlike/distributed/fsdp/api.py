"""Options of `FullyShardedDataParallel`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from torchlike import dtype
from torchlike._internal import unsupported
from torchlike.nn import Module
from torchlike.nn.modules.batchnorm import _BatchNorm

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(Enum):
    """The strategy of `FullyShardedDataParallel`: which tensors are sharded, and over which processes.

    - `FULL_SHARD`: parameters, gradients and optimizer state. Parameters are gathered for forward and for backward.
    - `SHARD_GRAD_OP`: the same, but parameters stay gathered between forward and backward.
    - `NO_SHARD`: nothing. Gradients are averaged, as in `DistributedDataParallel`.
    - `HYBRID_SHARD`: as `FULL_SHARD` within the first group of a pair, with copies along the second group.
    - `_HYBRID_SHARD_ZERO2`: as `SHARD_GRAD_OP` within the first group, with copies along the second group.
    """

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the parameters of the next module are gathered in backward. It has no effect: XLA orders collectives."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


@dataclass
class MixedPrecision:
    """The dtypes of parameters, gradients, buffers and inputs.

    Args:
      param_dtype: the dtype of the gathered parameters. None keeps the original dtype.
      reduce_dtype: the dtype in which gradients are summed. None means `param_dtype`.
      buffer_dtype: the dtype of floating-point buffers. State dicts contain buffers in their original dtype.
      keep_low_precision_grads: must be False. Gradients of the shards have the original dtype.
      cast_forward_inputs: whether the inputs of each wrapped module are converted to `param_dtype`.
      cast_root_forward_inputs: whether the inputs of the root module are converted.
      _module_classes_to_ignore: classes whose instances are wrapped without mixed precision by auto wrapping.

    Raises:
      NotImplementedError: `keep_low_precision_grads` is True.

    >>> import torchlike as torch
    >>> from torchlike.distributed.fsdp import MixedPrecision
    >>> MixedPrecision(param_dtype=torch.bfloat16).cast_root_forward_inputs
    True
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    buffer_dtype: dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type[Module]] = (_BatchNorm,)

    def __post_init__(self) -> None:
        if self.keep_low_precision_grads:
            raise unsupported("MixedPrecision", "keep_low_precision_grads")


@dataclass
class CPUOffload:
    """Offloading of parameters to the CPU.

    Args:
      offload_params: keep the parameters on the CPU. True is not supported for modules on accelerators, and has no
        effect for modules on the CPU.
    """

    offload_params: bool = False


class StateDictType(Enum):
    """The kind of state dict that `FullyShardedDataParallel.state_dict` returns."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass
class StateDictConfig:
    """Options of state dicts.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU.
    """

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Options of full state dicts.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU.
      rank0_only: only the first process gets the state dict. The others get an empty dict.
    """

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """Options of local state dicts, which are not supported.

    Args:
      offload_to_cpu: has no effect, because no such state dict can be made.
    """


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Options of sharded state dicts. Their values always are `DTensor`s.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU.
    """

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """Options of the state dicts of optimizers.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU. Tensors without dims stay on their device.
    """

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Options of full state dicts of optimizers.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU. Tensors without dims stay on their device.
      rank0_only: only the first process gets the state dict, and the others get an empty dict. When it is loaded, only
        that of the first process is used.
    """

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Options of local state dicts of optimizers, which are not supported.

    Args:
      offload_to_cpu: has no effect, because no such state dict can be made.
    """

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Options of sharded state dicts of optimizers. Their values always are `DTensor`s.

    Args:
      offload_to_cpu: move the tensors of state dicts to the CPU. Tensors without dims stay on their device.
    """

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """The kind of state dict of a module, with its options.

    Args:
      state_dict_type (StateDictType): the kind. Default: `FULL_STATE_DICT`.
      state_dict_config (StateDictConfig): the options of the state dict of the module. Default:
        `FullStateDictConfig()`.
      optim_state_dict_config (OptimStateDictConfig): the options of the state dict of its optimizer. Default:
        `FullOptimStateDictConfig()`.
    """

    state_dict_type: StateDictType = StateDictType.FULL_STATE_DICT
    state_dict_config: StateDictConfig = field(default_factory=FullStateDictConfig)
    optim_state_dict_config: OptimStateDictConfig = field(default_factory=FullOptimStateDictConfig)
