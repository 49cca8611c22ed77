"""`torch.distributed` of a library that runs in one process: `is_available()` is False.

The names that programs import are there, so that those which ask first run as they stand; whatever is called raises.
"""

from __future__ import annotations

import sys

from torchlike.distributed import _absent


def is_available() -> bool:
    """Whether several processes can work together: no."""
    return False


def is_initialized() -> bool:
    """Whether there is a group of processes: no."""
    return False


def is_nccl_available() -> bool:
    """Whether groups could use NCCL: no."""
    return False


def is_gloo_available() -> bool:
    """Whether groups could use Gloo: no."""
    return False


def is_mpi_available() -> bool:
    """Whether groups could use MPI: no."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether a launcher of PyTorch's started this process: it could not have."""
    return False


_absent.fill(sys.modules[__name__], """
    init_process_group destroy_process_group new_group get_rank get_world_size get_backend get_global_rank
    get_group_rank get_process_group_ranks barrier monitored_barrier all_reduce all_gather
    all_gather_into_tensor all_gather_object all_to_all all_to_all_single broadcast broadcast_object_list
    gather gather_object reduce reduce_scatter reduce_scatter_tensor scatter scatter_object_list send recv
    isend irecv batch_isend_irecv P2POp Work ReduceOp Backend ProcessGroup GroupMember group Store TCPStore
    FileStore HashStore DeviceMesh init_device_mesh""")  # fmt: skip
_ROOT = __name__
_FSDP_API = """ShardingStrategy CPUOffload MixedPrecision BackwardPrefetch StateDictType StateDictSettings
    StateDictConfig FullStateDictConfig ShardedStateDictConfig LocalStateDictConfig OptimStateDictConfig
    FullOptimStateDictConfig ShardedOptimStateDictConfig LocalOptimStateDictConfig"""
_FSDP = _FSDP_API + " FullyShardedDataParallel OptimStateKeyType"
_TENSOR = "DTensor Replicate Shard Partial Placement distribute_tensor distribute_module"
_absent.submodule(
    _ROOT + ".fsdp", _FSDP + " FSDPModule MixedPrecisionPolicy CPUOffloadPolicy OffloadPolicy fully_shard"
)
_absent.submodule(_ROOT + ".fsdp.fully_sharded_data_parallel", _FSDP)
_absent.submodule(_ROOT + ".fsdp.api", _FSDP_API)
_absent.submodule(_ROOT + ".fsdp.sharded_grad_scaler", "ShardedGradScaler")
_absent.submodule(_ROOT + ".fsdp.wrap", """transformer_auto_wrap_policy size_based_auto_wrap_policy
    lambda_auto_wrap_policy ModuleWrapPolicy CustomPolicy enable_wrap wrap _or_policy
    _module_wrap_policy""")  # fmt: skip
_absent.submodule(_ROOT + "._composable.fsdp", "fully_shard FSDPModule MixedPrecisionPolicy CPUOffloadPolicy")
_absent.submodule(_ROOT + "._composable.replicate", "replicate")
_absent.submodule(_ROOT + ".tensor", _TENSOR)
_absent.submodule(_ROOT + "._tensor", _TENSOR)
_absent.submodule(_ROOT + "._tensor.experimental", "implicit_replication")
_absent.submodule(_ROOT + ".tensor.experimental", "implicit_replication")
_absent.submodule(_ROOT + ".tensor.parallel", """ColwiseParallel RowwiseParallel SequenceParallel PrepareModuleInput
    PrepareModuleOutput ParallelStyle parallelize_module loss_parallel""")  # fmt: skip
_absent.submodule(_ROOT + ".device_mesh", "DeviceMesh init_device_mesh")
_absent.submodule(_ROOT + ".checkpoint", """FileSystemReader FileSystemWriter load save async_save load_state_dict
    save_state_dict""")  # fmt: skip
_absent.submodule(_ROOT + ".checkpoint.state_dict", """StateDictOptions get_model_state_dict get_optimizer_state_dict
    set_model_state_dict set_optimizer_state_dict get_state_dict set_state_dict""")  # fmt: skip
_absent.submodule(_ROOT + ".checkpoint.stateful", "Stateful")
_absent.submodule(_ROOT + ".checkpoint.default_planner", "DefaultLoadPlanner DefaultSavePlanner")
_absent.submodule(_ROOT + ".checkpoint.format_utils", "_EmptyStateDictLoadPlanner dcp_to_torch_save torch_save_to_dcp")
_absent.submodule(_ROOT + ".algorithms._checkpoint.checkpoint_wrapper", """checkpoint_wrapper
    CheckpointImpl CheckpointWrapper apply_activation_checkpointing offload_wrapper""")  # fmt: skip
_absent.submodule(_ROOT + ".algorithms.join", "Join Joinable JoinHook")
_absent.submodule(
    _ROOT + ".nn.functional", "all_gather all_reduce all_to_all broadcast gather reduce reduce_scatter scatter"
)
_absent.submodule(_ROOT + ".distributed_c10d", "_get_default_group ProcessGroup Backend ReduceOp")
_absent.submodule(_ROOT + ".optim", "DistributedOptimizer ZeroRedundancyOptimizer")
_absent.submodule(_ROOT + ".rpc", "TensorPipeRpcBackendOptions init_rpc rpc_async rpc_sync remote RRef shutdown")
sys.modules[_ROOT + ".rpc"].is_available = is_available  # type: ignore[attr-defined]
_absent.submodule(_ROOT + ".elastic.multiprocessing.errors", "record")
_absent.submodule(_ROOT + ".pipelining", "pipeline SplitPoint PipelineStage ScheduleGPipe")
