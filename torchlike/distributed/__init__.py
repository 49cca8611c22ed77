"""`torch.distributed`: training with several processes on JAX's distributed runtime.

A launcher (`torchrun --nproc-per-node 2 script.py`) or `torch.multiprocessing.spawn` starts the processes, and
`init_process_group` connects them. Collectives are operators of programs that all processes run.
`nn.parallel.DistributedDataParallel`, `distributed.fsdp`, `distributed.tensor` and `distributed.pipelining` use them.
RPC is not supported. Its names can be imported and used in `isinstance` checks, but calling them raises an error.
"""

from __future__ import annotations

import sys

from torchlike._internal import settle as _settle
from torchlike.distributed import _absent
from torchlike.distributed._c10d._availability import DebugLevel as DebugLevel
from torchlike.distributed._c10d._availability import get_debug_level as get_debug_level
from torchlike.distributed._c10d._availability import is_available as is_available
from torchlike.distributed._c10d._availability import is_gloo_available as is_gloo_available
from torchlike.distributed._c10d._availability import is_mpi_available as is_mpi_available
from torchlike.distributed._c10d._availability import is_torchelastic_launched as is_torchelastic_launched
from torchlike.distributed._c10d._availability import is_ucc_available as is_ucc_available
from torchlike.distributed._c10d._availability import is_xccl_available as is_xccl_available
from torchlike.distributed._c10d._availability import record_comm as record_comm
from torchlike.distributed._c10d._availability import reduce_op as reduce_op
from torchlike.distributed._c10d._availability import set_debug_level as set_debug_level
from torchlike.distributed._c10d._availability import set_debug_level_from_env as set_debug_level_from_env
from torchlike.distributed._c10d._buckets import BuiltinCommHookType as BuiltinCommHookType
from torchlike.distributed._c10d._buckets import GradBucket as GradBucket
from torchlike.distributed._c10d._call_options import AllreduceCoalescedOptions as AllreduceCoalescedOptions
from torchlike.distributed._c10d._call_options import AllreduceOptions as AllreduceOptions
from torchlike.distributed._c10d._call_options import AllToAllOptions as AllToAllOptions
from torchlike.distributed._c10d._call_options import BarrierOptions as BarrierOptions
from torchlike.distributed._c10d._call_options import BroadcastOptions as BroadcastOptions
from torchlike.distributed._c10d._call_options import GatherOptions as GatherOptions
from torchlike.distributed._c10d._call_options import ReduceOptions as ReduceOptions
from torchlike.distributed._c10d._call_options import ReduceScatterOptions as ReduceScatterOptions
from torchlike.distributed._c10d._call_options import ScatterOptions as ScatterOptions
from torchlike.distributed._errors import DistBackendError as DistBackendError
from torchlike.distributed._errors import DistError as DistError
from torchlike.distributed._errors import DistNetworkError as DistNetworkError
from torchlike.distributed._errors import DistStoreError as DistStoreError
from torchlike.distributed._errors import QueueEmptyError as QueueEmptyError
from torchlike.distributed.device_mesh import DeviceMesh as DeviceMesh
from torchlike.distributed.device_mesh import init_device_mesh as init_device_mesh
from torchlike.distributed.distributed_c10d import Backend as Backend
from torchlike.distributed.distributed_c10d import BackendConfig as BackendConfig
from torchlike.distributed.distributed_c10d import FileStore as FileStore
from torchlike.distributed.distributed_c10d import GroupMember as GroupMember
from torchlike.distributed.distributed_c10d import HashStore as HashStore
from torchlike.distributed.distributed_c10d import P2POp as P2POp
from torchlike.distributed.distributed_c10d import PrefixStore as PrefixStore
from torchlike.distributed.distributed_c10d import ProcessGroup as ProcessGroup
from torchlike.distributed.distributed_c10d import ReduceOp as ReduceOp
from torchlike.distributed.distributed_c10d import Store as Store
from torchlike.distributed.distributed_c10d import TCPStore as TCPStore
from torchlike.distributed.distributed_c10d import Work as Work
from torchlike.distributed.distributed_c10d import _make_nccl_premul_sum as _make_nccl_premul_sum
from torchlike.distributed.distributed_c10d import all_gather as all_gather
from torchlike.distributed.distributed_c10d import all_gather_coalesced as all_gather_coalesced
from torchlike.distributed.distributed_c10d import all_gather_into_tensor as all_gather_into_tensor
from torchlike.distributed.distributed_c10d import all_gather_object as all_gather_object
from torchlike.distributed.distributed_c10d import all_gather_single as all_gather_single
from torchlike.distributed.distributed_c10d import all_reduce as all_reduce
from torchlike.distributed.distributed_c10d import all_reduce_coalesced as all_reduce_coalesced
from torchlike.distributed.distributed_c10d import all_to_all as all_to_all
from torchlike.distributed.distributed_c10d import all_to_all_single as all_to_all_single
from torchlike.distributed.distributed_c10d import barrier as barrier
from torchlike.distributed.distributed_c10d import batch_isend_irecv as batch_isend_irecv
from torchlike.distributed.distributed_c10d import broadcast as broadcast
from torchlike.distributed.distributed_c10d import broadcast_object_list as broadcast_object_list
from torchlike.distributed.distributed_c10d import default_pg_timeout as default_pg_timeout
from torchlike.distributed.distributed_c10d import destroy_process_group as destroy_process_group
from torchlike.distributed.distributed_c10d import gather as gather
from torchlike.distributed.distributed_c10d import gather_object as gather_object
from torchlike.distributed.distributed_c10d import get_backend as get_backend
from torchlike.distributed.distributed_c10d import get_backend_config as get_backend_config
from torchlike.distributed.distributed_c10d import get_default_backend_for_device as get_default_backend_for_device
from torchlike.distributed.distributed_c10d import get_global_rank as get_global_rank
from torchlike.distributed.distributed_c10d import get_group_rank as get_group_rank
from torchlike.distributed.distributed_c10d import get_node_local_rank as get_node_local_rank
from torchlike.distributed.distributed_c10d import get_pg_count as get_pg_count
from torchlike.distributed.distributed_c10d import get_process_group_ranks as get_process_group_ranks
from torchlike.distributed.distributed_c10d import get_rank as get_rank
from torchlike.distributed.distributed_c10d import get_world_size as get_world_size
from torchlike.distributed.distributed_c10d import group as group
from torchlike.distributed.distributed_c10d import init_process_group as init_process_group
from torchlike.distributed.distributed_c10d import irecv as irecv
from torchlike.distributed.distributed_c10d import is_backend_available as is_backend_available
from torchlike.distributed.distributed_c10d import is_initialized as is_initialized
from torchlike.distributed.distributed_c10d import is_nccl_available as is_nccl_available
from torchlike.distributed.distributed_c10d import isend as isend
from torchlike.distributed.distributed_c10d import monitored_barrier as monitored_barrier
from torchlike.distributed.distributed_c10d import new_group as new_group
from torchlike.distributed.distributed_c10d import new_subgroups as new_subgroups
from torchlike.distributed.distributed_c10d import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from torchlike.distributed.distributed_c10d import recv as recv
from torchlike.distributed.distributed_c10d import recv_object_list as recv_object_list
from torchlike.distributed.distributed_c10d import reduce as reduce
from torchlike.distributed.distributed_c10d import reduce_scatter as reduce_scatter
from torchlike.distributed.distributed_c10d import reduce_scatter_single as reduce_scatter_single
from torchlike.distributed.distributed_c10d import reduce_scatter_tensor as reduce_scatter_tensor
from torchlike.distributed.distributed_c10d import scatter as scatter
from torchlike.distributed.distributed_c10d import scatter_object_list as scatter_object_list
from torchlike.distributed.distributed_c10d import send as send
from torchlike.distributed.distributed_c10d import send_object_list as send_object_list
from torchlike.distributed.distributed_c10d import split_group as split_group
from torchlike.distributed.distributed_c10d import supports_complex as supports_complex
from torchlike.distributed.rendezvous import register_rendezvous_handler as register_rendezvous_handler
from torchlike.distributed.rendezvous import rendezvous as rendezvous

_absent.fill(sys.modules[__name__], "shrink_group")
_ROOT = __name__
_HOOKS = _ROOT + ".algorithms.ddp_comm_hooks"
_absent.submodule(_HOOKS + ".optimizer_overlap_hooks", "")
_absent.submodule(_HOOKS + ".ddp_zero_hook", "hook_with_zero_step hook_with_zero_step_interleaved")
_absent.refuse_remote_calls(_ROOT)
_absent.submodule(_ROOT + ".debug", "start_debug_server stop_debug_server")

_settle(__name__, globals())
