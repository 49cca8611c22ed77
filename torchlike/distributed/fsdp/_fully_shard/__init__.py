"""FSDP2: `fully_shard`, its policies and the class of the modules that it wraps."""

from torchlike.distributed.fsdp._fully_shard._fsdp_api import CPUOffloadPolicy as CPUOffloadPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_api import DataParallelMeshDims as DataParallelMeshDims
from torchlike.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy as MixedPrecisionPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_api import OffloadPolicy as OffloadPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_module import FSDPModule as FSDPModule
from torchlike.distributed.fsdp._fully_shard._fsdp_module import UnshardHandle as UnshardHandle
from torchlike.distributed.fsdp._fully_shard._fully_shard import fully_shard as fully_shard
from torchlike.distributed.fsdp._fully_shard._fully_shard import (
    register_fsdp_forward_method as register_fsdp_forward_method,
)
from torchlike.distributed.fsdp._fully_shard._fully_shard import share_comm_ctx as share_comm_ctx
