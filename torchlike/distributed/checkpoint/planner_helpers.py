"""The items of plans: which chunks of a state dict are saved, and which regions of a checkpoint are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike import Size, Tensor
from torchlike import device as Device
from torchlike.distributed.checkpoint.metadata import (
    STORAGE_TYPES,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.planner import (
    LoadItemType,
    ReadItem,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)
from torchlike.distributed.tensor import DTensor
from torchlike.distributed.tensor._utils import compute_local_shape_and_global_offset


def is_elsewhere(value: object) -> bool:
    """Return whether the value is a DTensor whose mesh does not contain this process."""
    return isinstance(value, DTensor) and value.device_mesh.get_coordinate() is None


def local_part(tensor: Tensor) -> Tensor:
    """Return the local tensor of a DTensor, or any other tensor itself, detached.

    The result shares the memory of `tensor`.
    """
    return (tensor._local_tensor if isinstance(tensor, DTensor) else tensor).detach()


def chunk_of(fqn: str, tensor: Tensor) -> ChunkStorageMetadata:
    """Return the chunk of a tensor that this process has.

    Raises:
        ValueError: The tensor is a DTensor with a `Partial` placement, so no process has its elements.
    """
    if not isinstance(tensor, DTensor):
        return ChunkStorageMetadata(offsets=Size([0] * tensor.dim()), sizes=tensor.size())
    if any(placement.is_partial() for placement in tensor.placements):
        raise ValueError(
            f"{fqn} has the placements {tensor.placements}: its elements are partial results. Redistribute it to "
            "Replicate or Shard before saving or loading it."
        )
    sizes, offsets = compute_local_shape_and_global_offset(tensor.shape, tensor.device_mesh, tensor.placements)
    return ChunkStorageMetadata(offsets=Size(offsets), sizes=Size(sizes))


def _create_write_items(fqn: str, value: Any) -> list[WriteItem]:
    """Return the items that this process writes to save a value of a flat state dict."""
    if not isinstance(value, Tensor):
        return [WriteItem(MetadataIndex(fqn), WriteItemType.BYTE_IO)]
    chunk = chunk_of(fqn, value)
    local = value._local_tensor if isinstance(value, DTensor) else value
    data = TensorWriteData(chunk, TensorProperties.create_from_tensor(local), value.size())
    kind = WriteItemType.SHARD if isinstance(value, DTensor) else WriteItemType.TENSOR
    return [WriteItem(MetadataIndex(fqn, chunk.offsets), kind, tensor_data=data)]


def _create_read_items(fqn: str, md: STORAGE_TYPES, value: Any) -> list[ReadItem]:
    """Return the regions that this process reads to load a value of a flat state dict."""
    if isinstance(md, BytesStorageMetadata):
        index, zero = MetadataIndex(fqn), Size((0,))
        return [ReadItem(LoadItemType.BYTE_IO, index, zero, index, zero, zero)]
    if not isinstance(value, Tensor):
        raise ValueError(f"Invalid checkpoint metadata for {fqn}, expected BytesStorageMetadata but found {type(md)}")
    return create_read_items_for_chunk_list(fqn, md, [chunk_of(fqn, value)])


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: list[ChunkStorageMetadata]
) -> list[ReadItem]:
    """Return the regions to read for chunks of a tensor: the overlaps of these chunks with the saved ones.

    Args:
        fqn: the key of the tensor.
        checkpoint_md: the saved tensor.
        local_chunks: the chunks that this process needs.
    """
    found = []
    for i, chunk in enumerate(local_chunks):
        for j, saved in enumerate(checkpoint_md.chunks):
            region = _overlap(saved, chunk)
            if region is not None:
                found.append(
                    ReadItem(
                        LoadItemType.TENSOR,
                        dest_index=MetadataIndex(fqn, chunk.offsets, i),
                        dest_offsets=_minus(region.offsets, chunk.offsets),
                        storage_index=MetadataIndex(fqn, saved.offsets, j),
                        storage_offsets=_minus(region.offsets, saved.offsets),
                        lengths=region.sizes,
                    )
                )
    return found


def _minus(one: Sequence[int], other: Sequence[int]) -> Size:
    return Size([a - b for a, b in zip(one, other)])


def overlaps(one: ChunkStorageMetadata, other: ChunkStorageMetadata) -> bool:
    """Return whether two chunks have a common element."""
    return _overlap(one, other) is not None


def _overlap(one: ChunkStorageMetadata, other: ChunkStorageMetadata) -> ChunkStorageMetadata | None:
    """Return the common region of two chunks, or None if it is empty."""
    begins = [max(a, b) for a, b in zip(one.offsets, other.offsets)]
    ends = [min(a + n, b + m) for a, n, b, m in zip(one.offsets, one.sizes, other.offsets, other.sizes)]
    if any(begin >= end for begin, end in zip(begins, ends)):
        return None
    return ChunkStorageMetadata(Size(begins), _minus(ends, begins))


def materialized(value: Any) -> Any:
    """Return a nested state dict with new CPU tensors in place of those on the meta device.

    Dictionaries are changed in place, and lists are replaced.

    Raises:
        RuntimeError: The value is a DTensor on the meta device.
    """
    if isinstance(value, Tensor):
        return _with_memory(value)
    if isinstance(value, dict):
        for key, item in value.items():
            value[key] = materialized(item)
        return value
    if isinstance(value, list | tuple) and any(isinstance(item, Tensor | dict | list | tuple) for item in value):
        made = [materialized(item) for item in value]
        return made if isinstance(value, list) else tuple(made)
    return value


def _with_memory(tensor: Tensor) -> Tensor:
    if tensor.device != Device("meta"):
        return tensor
    if not isinstance(tensor, DTensor):
        return tensor.new_empty(tensor.size(), device="cpu")
    return DTensor.from_local(
        tensor._local_tensor.new_empty(tensor._local_tensor.size(), device="cpu"),
        tensor.device_mesh,
        tensor.placements,
        shape=tensor.size(),
        stride=tensor.stride(),
    )
