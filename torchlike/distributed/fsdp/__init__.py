"""Fully sharded data parallelism: FSDP2 (`fully_shard`) and FSDP1 (`FullyShardedDataParallel`)."""

from torchlike._internal import settle as _settle
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
from torchlike.distributed.fsdp.api import BackwardPrefetch as BackwardPrefetch
from torchlike.distributed.fsdp.api import CPUOffload as CPUOffload
from torchlike.distributed.fsdp.api import FullOptimStateDictConfig as FullOptimStateDictConfig
from torchlike.distributed.fsdp.api import FullStateDictConfig as FullStateDictConfig
from torchlike.distributed.fsdp.api import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from torchlike.distributed.fsdp.api import LocalStateDictConfig as LocalStateDictConfig
from torchlike.distributed.fsdp.api import MixedPrecision as MixedPrecision
from torchlike.distributed.fsdp.api import OptimStateDictConfig as OptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedStateDictConfig as ShardedStateDictConfig
from torchlike.distributed.fsdp.api import ShardingStrategy as ShardingStrategy
from torchlike.distributed.fsdp.api import StateDictConfig as StateDictConfig
from torchlike.distributed.fsdp.api import StateDictSettings as StateDictSettings
from torchlike.distributed.fsdp.api import StateDictType as StateDictType
from torchlike.distributed.fsdp.fully_sharded_data_parallel import (
    FullyShardedDataParallel as FullyShardedDataParallel,
)
from torchlike.distributed.fsdp.fully_sharded_data_parallel import OptimStateKeyType as OptimStateKeyType

_settle(__name__, globals())
