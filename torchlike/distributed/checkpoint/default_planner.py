"""The default planners: each key of the flat state dict is one tensor or one object of the checkpoint."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike._internal import unsupported, warn
from torchlike.distributed.checkpoint._dedup_save_plans import dedup_save_plans
from torchlike.distributed.checkpoint._files.global_plan import (
    create_default_global_save_plan as create_default_global_save_plan,
)
from torchlike.distributed.checkpoint._files.global_plan import validate_global_plan
from torchlike.distributed.checkpoint._nested_dict import FLATTEN_MAPPING, flatten_state_dict, with_string_keys
from torchlike.distributed.checkpoint._traverse import set_element
from torchlike.distributed.checkpoint.metadata import (
    STATE_DICT_TYPE,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from torchlike.distributed.checkpoint.planner_helpers import (
    _create_read_items,
    _create_write_items,
    is_elsewhere,
    materialized,
)
from torchlike.distributed.checkpoint.utils import find_state_dict_object

_MOST_SAID = 500  # characters of validation errors in a message


class DefaultSavePlanner(SavePlanner):
    """The default planner of saves.

    Args:
      flatten_state_dict: save the items of nested dictionaries and lists separately.
      flatten_sharded_tensors: if the state dict is not flattened, convert its keys to strings and omit empty
        dictionaries. There are no `ShardedTensor`s.
      dedup_replicated_tensors: deprecated, has no effect and warns.
      dedup_save_to_lowest_rank: the process of the lowest rank saves what several processes have. By default these
        items are distributed evenly.
      enable_plan_caching: not supported.
    """

    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        if enable_plan_caching:
            raise unsupported("DefaultSavePlanner", "enable_plan_caching")
        if dedup_replicated_tensors is not None:
            warn("DefaultSavePlanner's `dedup_replicated_tensors` argument is deprecated and has no effect.")
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings = {}

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        elif self.flatten_sharded_tensors:
            state_dict = with_string_keys(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = replace(plan, planner_data=self.mappings) if self.flatten_state_dict else plan
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        plans = dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank)
        self.global_plan, self.metadata = create_default_global_save_plan(plans)
        if self.flatten_state_dict:
            merged = {key: path for plan in reversed(plans) for key, path in plan.planner_data.items()}
            self.metadata = replace(self.metadata, planner_data=merged)
        errors = "; ".join(validate_global_plan(self.global_plan, self.metadata))
        if errors:
            shown = errors if len(errors) <= _MOST_SAID else errors[:_MOST_SAID] + "... (truncated)"
            raise ValueError(f"Failed to validate global plan: {shown}")
        return self.global_plan, self.metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """Return the value of the state dict. Subclasses may replace this method.

        Args:
          index (MetadataIndex): the key, with the offset of a chunk.
        """
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """Return the data to save for a value. Subclasses may replace this method.

        Args:
          write_item (WriteItem): the item.
          object: the value.
        """
        if write_item.type != WriteItemType.BYTE_IO:
            return object
        stream = io.BytesIO()
        torchlike.save(object, stream)
        return stream


class DefaultLoadPlanner(LoadPlanner):
    """The default planner of loads.

    Args:
      flatten_state_dict: the items of nested dictionaries and lists were saved separately.
      flatten_sharded_tensors: as for `DefaultSavePlanner`.
      allow_partial_load: ignore keys of the state dict that the checkpoint does not have. By default they raise.
      weights_only: load objects that are not tensors as `torch.load(weights_only=True)` does. With False, a
        checkpoint can execute arbitrary code: use it only for checkpoints that you trust. PyTorch does not have
        this argument and behaves as with False.
    """

    original_state_dict: STATE_DICT_TYPE
    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
        *,
        weights_only: bool = True,
    ) -> None:
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load, self.weights_only = allow_partial_load, weights_only
        self.original_state_dict, self.mappings = {}, {}

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        materialized(state_dict)
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        elif self.flatten_sharded_tensors:
            state_dict = with_string_keys(state_dict)
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        if self.metadata is None:
            raise AssertionError("self.metadata is not None")
        if self.flatten_state_dict:
            self._flatten_as_saved(self.metadata)
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def _flatten_as_saved(self, metadata: Metadata) -> None:
        """If the checkpoint was saved before PyTorch 2.4, flatten the state dict as it did then."""
        missing = set(metadata.state_dict_metadata) - set(self.state_dict)
        if missing:
            flat, paths = flatten_state_dict(self.original_state_dict, is_old=True)
            if missing & set(flat):
                self.state_dict, self.mappings = flat, paths

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        return central_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        key = read_item.dest_index.fqn
        found = self._object(key, value)
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[key], found)
        else:
            self.state_dict[key] = self.original_state_dict[key] = found

    def _object(self, key: str, value: io.BytesIO) -> Any:
        try:
            return torchlike.load(value, weights_only=self.weights_only)
        except pickle.UnpicklingError as error:
            if not self.weights_only:
                raise
            raise pickle.UnpicklingError(
                f"The object {key!r} of the checkpoint was not loaded, because it is not a plain value. If you trust "
                "the checkpoint, mark its classes with torch.serialization.add_safe_globals, or pass "
                f"planner=DefaultLoadPlanner(weights_only=False) to load. The cause: {error}"
            ) from None

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        pass

    def lookup_tensor(self, index: MetadataIndex) -> Tensor:
        """Return the tensor of the state dict. Subclasses may replace this method.

        Args:
          index (MetadataIndex): the key, with the offset of a chunk.
        """
        return find_state_dict_object(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: Tensor) -> Tensor:
        """Return the region of a tensor that is read. Subclasses may replace this method.

        Args:
          read_item (ReadItem): the region.
          tensor (Tensor): the tensor.
        """
        return narrow_tensor_by_index(tensor, read_item.dest_offsets, read_item.lengths)


def narrow_tensor_by_index(tensor: Tensor, offsets: Size, sizes: Size) -> Tensor:
    """Return the region of a tensor, as a view."""
    found = tensor.detach()
    for dim, (begin, length) in enumerate(zip(offsets, sizes)):
        if length != found.size(dim):
            found = found.narrow(dim, begin, length)
    return found


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """A planner that creates the state dict of a checkpoint in an empty dictionary.

    Each process loads all tensors completely.

    Args:
        keys: the keys to load, or None for all. A key of the nested state dict includes all below it.
        args, kwargs: the arguments of `DefaultLoadPlanner`.
    """

    def __init__(self, keys: set[str] | None = None, *args: Any, **kwargs: Any) -> None:
        self.keys = keys
        super().__init__(*args, **kwargs)

    def _should_include_key(self, key: str, metadata: Metadata) -> bool:
        if self.keys is None or key in self.keys:
            return True
        path = (metadata.planner_data or {}).get(key, (key,))
        return any(".".join(map(str, path[:depth])) in self.keys for depth in range(1, len(path) + 1))

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        if state_dict:
            raise AssertionError("not state_dict")
        if metadata is None:
            raise AssertionError("metadata is not None")
        paths = metadata.planner_data or {}
        for key, md in metadata.state_dict_metadata.items():
            if self._should_include_key(key, metadata):
                is_tensor = isinstance(md, TensorStorageMetadata)
                value = torchlike.empty(md.size, dtype=md.properties.dtype) if is_tensor else md
                set_element(state_dict, paths.get(key, (key,)), value)
        super().set_up_planner(state_dict, metadata, is_coordinator)


def create_default_local_load_plan(state_dict: dict[str, Any], metadata: Metadata, strict: bool = True) -> LoadPlan:
    """Return the regions of the checkpoint that this process needs for its state dict.

    Args:
        state_dict: a flat state dict.
        metadata: the metadata of the checkpoint.
        strict: raise if the checkpoint does not have a key. Otherwise the key is ignored.

    Raises:
        RuntimeError: The checkpoint does not have a key.
        ValueError: A tensor has another size than the saved one, or is not a tensor.
    """
    items: list[ReadItem] = []
    for fqn, value in state_dict.items():
        md = metadata.state_dict_metadata.get(fqn)
        if md is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {fqn}.")
            continue
        if isinstance(md, TensorStorageMetadata) and isinstance(value, Tensor) and md.size != value.size():
            raise ValueError(f"Size mismatch between saved {md.size} and current: {value.size()} for {fqn}")
        if not is_elsewhere(value):
            items += _create_read_items(fqn, md, value)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """Return the plans unchanged: processes load independently of each other."""
    return all_plans


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """Return the items that this process has of a flat state dict."""
    return SavePlan(
        [
            item
            for fqn, value in state_dict.items()
            if not is_elsewhere(value)
            for item in _create_write_items(fqn, value)
        ]
    )
