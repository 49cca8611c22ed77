"""The plan of all processes of a save: its metadata, and the checks of its chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from torchlike.distributed.checkpoint.metadata import (
    STORAGE_TYPES,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.planner import SavePlan, TensorWriteData, WriteItem, WriteItemType
from torchlike.distributed.checkpoint.planner_helpers import overlaps


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """Return the plans with index hints, and the metadata that describes their items.

    Args:
        all_plans: the plans of all processes. An item that is not a part of a tensor is in one plan only.
        rewrite_index_hints: set `index` of each item to the position of its chunk.
    """
    md: dict[str, STORAGE_TYPES] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            if item.type != WriteItemType.SHARD and item.index.fqn in md:
                raise AssertionError("item.index.fqn not in md")
            if item.tensor_data is None:
                md[item.index.fqn] = BytesStorageMetadata()
            else:
                item = _with_chunk(md, item, item.tensor_data, rewrite_index_hints)
            items.append(item)
        plans.append(replace(plan, items=items))
    return plans, Metadata(md)


def _with_chunk(md: dict[str, STORAGE_TYPES], item: WriteItem, data: TensorWriteData, hints: bool) -> WriteItem:
    """Add the chunk of an item to the metadata of its tensor. Return the item with its index hint."""
    tensor = md.setdefault(item.index.fqn, TensorStorageMetadata(data.properties, data.size, []))
    if not isinstance(tensor, TensorStorageMetadata):
        raise AssertionError(f"{item.index.fqn} is a tensor in one process and another object in another")
    index = replace(item.index, index=len(tensor.chunks)) if hints else item.index
    tensor.chunks.append(data.chunk)
    return replace(item, index=index)


def validate_global_plan(global_plan: list[SavePlan], metadata: Metadata) -> list[str]:
    """Return the errors of the chunks: those outside of their tensor, overlaps, and tensors that are incomplete."""
    errors: list[str] = []
    for key, md in metadata.state_dict_metadata.items():
        if isinstance(md, BytesStorageMetadata) or not len(md.size):
            continue
        errors += [
            f"key:{key} has out of bounds chunk: tensor-size:{md.size} chunk: {chunk}"
            for chunk in md.chunks
            if not _is_inside(md, chunk)
        ]
        errors += [f"key:{key} has overlapping chunks: {one} {other}" for one, other in _overlapping(md)]
        whole, found = math.prod(md.size), sum(math.prod(chunk.sizes) for chunk in md.chunks)
        if len(global_plan) > 1 and whole != found:
            errors.append(f"key:{key} invalid fill tensor-volume: {whole} chunks-volume: {found}")
    return errors


def _is_inside(md: TensorStorageMetadata, chunk: ChunkStorageMetadata) -> bool:
    return all(b >= 0 and n >= 0 and b + n <= size for b, n, size in zip(chunk.offsets, chunk.sizes, md.size))


def _overlapping(md: TensorStorageMetadata) -> Iterator[tuple[ChunkStorageMetadata, ChunkStorageMetadata]]:
    """Yield pairs of chunks that overlap, by a sweep along the longest dim."""
    dim = max(range(len(md.size)), key=md.size.__getitem__)
    active: list[ChunkStorageMetadata] = []
    for chunk in sorted(md.chunks, key=lambda chunk: (chunk.offsets[dim], *chunk.offsets)):
        active = [other for other in active if other.offsets[dim] + other.sizes[dim] > chunk.offsets[dim]]
        yield from ((chunk, other) for other in active if overlaps(chunk, other))
        active.append(chunk)
