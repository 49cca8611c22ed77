"""The functions of `torch.distributed`, under the name of the module that defines them in PyTorch."""

import sys
from typing import NewType

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
from torchlike.distributed._c10d._call_options import AllreduceCoalescedOptions as AllreduceCoalescedOptions
from torchlike.distributed._c10d._call_options import AllreduceOptions as AllreduceOptions
from torchlike.distributed._c10d._call_options import AllToAllOptions as AllToAllOptions
from torchlike.distributed._c10d._call_options import BarrierOptions as BarrierOptions
from torchlike.distributed._c10d._call_options import BroadcastOptions as BroadcastOptions
from torchlike.distributed._c10d._call_options import GatherOptions as GatherOptions
from torchlike.distributed._c10d._call_options import ReduceOptions as ReduceOptions
from torchlike.distributed._c10d._call_options import ReduceScatterOptions as ReduceScatterOptions
from torchlike.distributed._c10d._call_options import ScatterOptions as ScatterOptions
from torchlike.distributed._c10d._coalescing import _coalescing_manager as _coalescing_manager
from torchlike.distributed._c10d._coalescing import _CoalescingManager as _CoalescingManager
from torchlike.distributed._collectives import all_gather as all_gather
from torchlike.distributed._collectives import all_gather_coalesced as all_gather_coalesced
from torchlike.distributed._collectives import all_gather_into_tensor as all_gather_into_tensor
from torchlike.distributed._collectives import all_gather_single as all_gather_single
from torchlike.distributed._collectives import all_reduce as all_reduce
from torchlike.distributed._collectives import all_reduce_coalesced as all_reduce_coalesced
from torchlike.distributed._collectives import all_to_all as all_to_all
from torchlike.distributed._collectives import all_to_all_single as all_to_all_single
from torchlike.distributed._collectives import barrier as barrier
from torchlike.distributed._collectives import broadcast as broadcast
from torchlike.distributed._collectives import gather as gather
from torchlike.distributed._collectives import monitored_barrier as monitored_barrier
from torchlike.distributed._collectives import reduce as reduce
from torchlike.distributed._collectives import reduce_scatter as reduce_scatter
from torchlike.distributed._collectives import reduce_scatter_single as reduce_scatter_single
from torchlike.distributed._collectives import reduce_scatter_tensor as reduce_scatter_tensor
from torchlike.distributed._collectives import scatter as scatter
from torchlike.distributed._group import ProcessGroup as ProcessGroup
from torchlike.distributed._group import Work as Work
from torchlike.distributed._messages import P2POp as P2POp
from torchlike.distributed._messages import all_gather_object as all_gather_object
from torchlike.distributed._messages import batch_isend_irecv as batch_isend_irecv
from torchlike.distributed._messages import broadcast_object_list as broadcast_object_list
from torchlike.distributed._messages import gather_object as gather_object
from torchlike.distributed._messages import irecv as irecv
from torchlike.distributed._messages import isend as isend
from torchlike.distributed._messages import recv as recv
from torchlike.distributed._messages import recv_object_list as recv_object_list
from torchlike.distributed._messages import scatter_object_list as scatter_object_list
from torchlike.distributed._messages import send as send
from torchlike.distributed._messages import send_object_list as send_object_list
from torchlike.distributed._reducing import ReduceOp as ReduceOp
from torchlike.distributed._reducing import _make_nccl_premul_sum as _make_nccl_premul_sum
from torchlike.distributed._reducing import supports_complex as supports_complex
from torchlike.distributed._stores import FileStore as FileStore
from torchlike.distributed._stores import HashStore as HashStore
from torchlike.distributed._stores import PrefixStore as PrefixStore
from torchlike.distributed._stores import Store as Store
from torchlike.distributed._stores import TCPStore as TCPStore
from torchlike.distributed._world import Backend as Backend
from torchlike.distributed._world import BackendConfig as BackendConfig
from torchlike.distributed._world import GroupMember as GroupMember
from torchlike.distributed._world import default as _get_default_group  # noqa: F401
from torchlike.distributed._world import destroy_process_group as destroy_process_group
from torchlike.distributed._world import get_backend as get_backend
from torchlike.distributed._world import get_backend_config as get_backend_config
from torchlike.distributed._world import get_default_backend_for_device as get_default_backend_for_device
from torchlike.distributed._world import get_global_rank as get_global_rank
from torchlike.distributed._world import get_group_rank as get_group_rank
from torchlike.distributed._world import get_node_local_rank as get_node_local_rank
from torchlike.distributed._world import get_pg_count as get_pg_count
from torchlike.distributed._world import get_process_group_ranks as get_process_group_ranks
from torchlike.distributed._world import get_rank as get_rank
from torchlike.distributed._world import get_world_size as get_world_size
from torchlike.distributed._world import group as group
from torchlike.distributed._world import init_process_group as init_process_group
from torchlike.distributed._world import is_backend_available as is_backend_available
from torchlike.distributed._world import is_initialized as is_initialized
from torchlike.distributed._world import is_nccl_available as is_nccl_available
from torchlike.distributed._world import new_group as new_group
from torchlike.distributed._world import new_subgroups as new_subgroups
from torchlike.distributed._world import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from torchlike.distributed._world import split_group as split_group
from torchlike.distributed.constants import default_pg_nccl_timeout as default_pg_nccl_timeout
from torchlike.distributed.constants import default_pg_timeout as default_pg_timeout
from torchlike.distributed.rendezvous import register_rendezvous_handler as register_rendezvous_handler
from torchlike.distributed.rendezvous import rendezvous as rendezvous

GroupName = NewType("GroupName", str)

_absent.fill(sys.modules[__name__], "shrink_group")
