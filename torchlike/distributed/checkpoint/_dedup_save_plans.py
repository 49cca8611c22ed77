"""Removal of items that several processes have, so that each is saved once."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from torchlike.distributed.checkpoint.metadata import MetadataIndex
from torchlike.distributed.checkpoint.planner import SavePlan, WriteItem


def dedup_save_plans(all_plans: list[SavePlan], save_to_lowest_rank: bool = False) -> list[SavePlan]:
    """Return the plans with each item in one plan only.

    The process that has the least to write so far keeps an item, or the lowest rank with `save_to_lowest_rank`.
    """
    owners: dict[MetadataIndex, list[int]] = defaultdict(list)
    items: dict[MetadataIndex, WriteItem] = {}
    for rank, plan in enumerate(all_plans):
        for item in plan.items:
            if rank not in owners[item.index]:
                owners[item.index].append(rank)
            items[item.index] = item
    written = [0] * len(all_plans)
    kept: list[set[MetadataIndex]] = [set() for _ in all_plans]
    for index, ranks in owners.items():
        chosen = min(ranks) if save_to_lowest_rank else min(ranks, key=written.__getitem__)
        written[chosen] += items[index].tensor_storage_size() or 1
        kept[chosen].add(index)
    return [replace(plan, items=[x for x in plan.items if x.index in mine]) for plan, mine in zip(all_plans, kept)]
