"""The environment variables of a process that the launcher starts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ._rendezvous import Attempt

if TYPE_CHECKING:
    from .api import LaunchConfig


def environment(config: LaunchConfig, joined: Attempt, local_rank: int) -> dict[str, str]:
    """Return the variables of one process. They are PyTorch's.

    TORCHELASTIC_USE_AGENT_STORE is False: rank 0 runs the store at MASTER_ADDR:MASTER_PORT, not the launcher.
    """
    rank, count = str(joined.first_rank + local_rank), str(config.nproc_per_node)
    found = {
        "RANK": rank,
        "LOCAL_RANK": str(local_rank),
        "GROUP_RANK": str(joined.group_rank),
        "ROLE_RANK": rank,
        "ROLE_NAME": config.role,
        "LOCAL_WORLD_SIZE": count,
        "WORLD_SIZE": str(joined.world_size),
        "GROUP_WORLD_SIZE": str(joined.group_world_size),
        "ROLE_WORLD_SIZE": str(joined.world_size),
        "MASTER_ADDR": joined.master_addr,
        "MASTER_PORT": str(joined.master_port),
        "TORCHELASTIC_RESTART_COUNT": str(joined.number),
        "TORCHELASTIC_MAX_RESTARTS": str(config.max_restarts),
        "TORCHELASTIC_RUN_ID": config.run_id,
        "TORCHELASTIC_USE_AGENT_STORE": "False",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": os.environ.get("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1"),
    }
    if config.virtual_local_rank:
        found |= {"LOCAL_RANK": "0", "CUDA_VISIBLE_DEVICES": _visible(local_rank)}
    elif config.nproc_per_node > 1:
        # JAX would allocate most of the memory of every visible GPU in every process.
        name = "XLA_PYTHON_CLIENT_PREALLOCATE"
        found[name] = os.environ.get(name, "false")
    return found


def _visible(local_rank: int) -> str:
    """Return the GPU of this rank: one of those that CUDA_VISIBLE_DEVICES of the launcher names."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return str(local_rank)
    names = listed.split(",")
    if local_rank >= len(names):
        raise ValueError(f"local_rank {local_rank} exceeds available GPUs in CUDA_VISIBLE_DEVICES={listed}")
    return names[local_rank].strip()
