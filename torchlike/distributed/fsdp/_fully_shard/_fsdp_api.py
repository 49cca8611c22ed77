"""Policies of `fully_shard`: mixed precision and offloading."""

from __future__ import annotations

from dataclasses import dataclass

from torchlike import dtype
from torchlike._internal import unsupported


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of the parameters, gradients, inputs and outputs of a module that `fully_shard` wraps.

    The sharded parameters, their gradients and the optimizer state keep the original dtype.

    Args:
      param_dtype: the dtype of the gathered parameters, and of floating-point inputs with `cast_forward_inputs`. None
        keeps the original dtype.
      reduce_dtype: the dtype in which gradients are summed over the processes, and accumulated between reductions. None
        keeps the dtype of the gathered parameters.
      output_dtype: the dtype of the floating-point outputs. None does not change the outputs.
      cast_forward_inputs: whether floating-point inputs are converted to `param_dtype`.

    >>> import torchlike as torch
    >>> from torchlike.distributed.fsdp import MixedPrecisionPolicy
    >>> MixedPrecisionPolicy(param_dtype=torch.bfloat16).reduce_dtype is None
    True
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """The default policy, without offloading."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Not supported: the shards stay on the device.

    Args:
      pin_memory: has no effect: the constructor raises.

    Raises:
      NotImplementedError: always.
    """

    pin_memory: bool = True

    def __post_init__(self) -> None:
        raise unsupported("fully_shard", "offload_policy=CPUOffloadPolicy")


@dataclass
class DataParallelMeshDims:
    """Not supported: the data-parallel dims of one mesh for all kinds of parallelism.

    Pass a submesh such as `mesh["dp"]` as the argument `mesh` of `fully_shard` instead.

    Args:
      shard, replicate: have no effect: the constructor raises.

    Raises:
      NotImplementedError: always.
    """

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        raise unsupported("fully_shard", "dp_mesh_dims")
