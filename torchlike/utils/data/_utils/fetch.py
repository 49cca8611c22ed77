"""Fetchers, which return the collated batch for an index or a list of indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import torchlike
from torchlike.utils.data._utils import host
from torchlike.utils.data._utils.collate import default_collate
from torchlike.utils.data.dataset import Subset, TensorDataset, _samples


class MapFetcher:
    """A fetcher for map-style datasets."""

    is_stream = False

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
    """A fetcher for iterable-style datasets. The length of the index list is the number of samples per batch."""

    is_stream = True

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
    """Return the collated batch of a `TensorDataset`, or of a `Subset` of it, with one gather per tensor.

    Return None if the result could differ from collating single samples: for subclasses of these datasets or of
    `Tensor`, for tensors that require grad or are not contiguous, and for indices that are not ints in range. The
    general path then raises the errors for invalid indices.
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
