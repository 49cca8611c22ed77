"""Fetchers: from an index, or a list of indices, to a finished batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike.utils.data._utils import host
from torchlike.utils.data._utils.collate import default_collate
from torchlike.utils.data.dataset import Subset, TensorDataset, _samples


class MapFetcher:
    """Fetches from a dataset with indices."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn

    def fetch(self, index: Any) -> Any:
        if not self.auto_collation:
            return self.collate_fn(self.dataset[index])
        if self.collate_fn is default_collate:
            rows = _gather_rows(self.dataset, index)
            if rows is not None:
                return rows
        return self.collate_fn(_samples(self.dataset, index))


class IterableFetcher:
    """Fetches from a stream; the index says only how many samples make a batch."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.stream = iter(dataset)
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        if not self.auto_collation:
            return self.collate_fn(next(self.stream))
        if self.ended:
            raise StopIteration
        samples = self._take(len(index))
        if not samples or (self.drop_last and len(samples) < len(index)):
            raise StopIteration
        return self.collate_fn(samples)

    def _take(self, count: int) -> list[Any]:
        samples = []
        for _ in range(count):
            try:
                samples.append(next(self.stream))
            except StopIteration:
                self.ended = True
                break
        return samples


def _gather_rows(dataset: Any, index: Any) -> list[Any] | None:
    """The collated batch of a (subset of a) `TensorDataset` by one gather per tensor.

    None where that could differ from collating sample by sample: overridden datasets, tensors that need gradients or
    lie in another memory order, and indices that are no plain ints in range (the ordinary way raises their errors).
    """
    indices = list(index)
    while type(dataset) is Subset:
        indices = [dataset.indices[i] for i in indices]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or not indices or not dataset.tensors:
        return None
    rows = len(dataset)
    if not all(type(i) is int and 0 <= i < rows for i in indices):
        return None
    if not all(type(t) is torchlike.Tensor and t.is_contiguous() and not t.requires_grad for t in dataset.tensors):
        return None
    where = np.array(indices)
    return [host.rows(t, where) for t in dataset.tensors]
