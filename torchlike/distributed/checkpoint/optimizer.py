"""Sharded state dicts of optimizers of the first FSDP."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.distributed.checkpoint._nested_dict import unflatten_state_dict
from torchlike.distributed.checkpoint.metadata import BytesStorageMetadata, TensorStorageMetadata
from torchlike.distributed.checkpoint.planner import LoadPlanner
from torchlike.distributed.checkpoint.state_dict_loader import _load_state_dict
from torchlike.distributed.checkpoint.storage import StorageReader
from torchlike.distributed.tensor import DTensor


def load_sharded_optimizer_state_dict(
    model_state_dict: dict[str, Any],
    optimizer_key: str,
    storage_reader: StorageReader,
    planner: LoadPlanner | None = None,
) -> dict[str, Any]:
    """Load the state of an optimizer, sharded like the parameters. All processes must call this function.

    Args:
        model_state_dict: the sharded state dict of the module.
        optimizer_key: the key of the optimizer's state in the checkpoint.
        storage_reader: the reader of the checkpoint.
        planner: the planner. The default is `DefaultLoadPlanner()`.

    Returns:
        A dict with the state under `optimizer_key`, for `FullyShardedDataParallel.optim_state_dict_to_load`.
    """
    metadata = storage_reader.read_metadata()
    state: dict[str, Any] = {}
    for key, value in metadata.state_dict_metadata.items():
        path = metadata.planner_data[key]
        if path[0] == optimizer_key:
            is_object = isinstance(value, BytesStorageMetadata)
            state[key] = "" if is_object else _empty(value, model_state_dict.get(path[2]))
    _load_state_dict(state, storage_reader, planner=planner)
    return unflatten_state_dict(state, metadata.planner_data)


def _empty(saved: TensorStorageMetadata, parameter: Any) -> Tensor:
    """Return a tensor to load into. It has the placements of its parameter if it has the same shape."""
    dtype = saved.properties.dtype
    if isinstance(parameter, DTensor) and parameter.shape == saved.size:
        return torchlike.empty_like(parameter, dtype=dtype)
    return torchlike.empty(saved.size, dtype=dtype)
