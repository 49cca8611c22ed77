"""Datasets, which return a sample for an index or iterate over samples."""

from __future__ import annotations

import bisect
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

import torchlike
from torchlike._internal import warn
from torchlike.utils.data import _errors as errors

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """The base class of map-style datasets. Subclasses implement `__getitem__` and usually `__len__`.

    Subclasses can also implement `__getitems__(indices) -> list of samples`, which the loader calls once per batch.
    The sum of two datasets is a `ConcatDataset`.

    >>> from torchlike.utils.data import Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> Squares()[2], len(Squares() + Squares())
    (4, 6)
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """The base class of iterable-style datasets. Subclasses implement `__iter__`.

    The sum of two iterable datasets is a `ChainDataset`.

    >>> from torchlike.utils.data import IterableDataset
    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(Countdown() + Countdown())
    [2, 1, 0, 2, 1, 0]
    """

    @abstractmethod
    def __iter__(self) -> Iterator[T_co]: ...

    def __add__(self, other: Dataset[T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """A dataset that wraps tensors. Each sample is a tuple of the tensors indexed along the first dimension.

    Args:
      *tensors: tensors with the same size in the first dimension.

    Raises:
      AssertionError: The tensors have different sizes in the first dimension.

    >>> import torchlike as torch
    >>> dataset = torch.utils.data.TensorDataset(torch.ones(3, 2), torch.arange(3))
    >>> len(dataset), dataset[1]
    (3, (tensor([1., 1.]), tensor(1)))
    """

    def __init__(self, *tensors: Any) -> None:
        if any(tensors[0].size(0) != t.size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """A dataset that stacks several datasets. Its samples combine one sample of each dataset.

    Args:
      *args: datasets for samples that are tuples.
      **kwargs: datasets for samples that are dicts.

    Raises:
      ValueError: Both `args` and `kwargs` are given, or neither, or the datasets have different lengths.

    >>> StackDataset([1, 2], "ab")[1]
    (2, 'b')
    >>> StackDataset(number=[1, 2], letter="ab")[0]
    {'number': 1, 'letter': 'a'}
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
                "but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = kwargs or args
        members = self._members()
        self._length = len(members[0])
        if any(len(d) != self._length for d in members):
            raise ValueError("Size mismatch between datasets")

    def _members(self) -> list[Any]:
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _assemble(self, parts: Iterable[Any]) -> Any:
        return dict(zip(self.datasets, parts)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._assemble(d[index] for d in self._members())

    def __getitems__(self, indices: list) -> list[Any]:
        columns = [_samples(d, indices) for d in self._members()]
        for column in columns:
            if len(column) != len(indices):
                raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(column)}")
        return [self._assemble(row) for row in zip(*columns)]

    def __len__(self) -> int:
        return self._length


def _samples(dataset: Any, indices: list) -> list[Any]:
    """Return the samples at `indices`, with one call of `__getitems__` if the dataset has it."""
    if callable(getattr(dataset, "__getitems__", None)):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


class ConcatDataset(Dataset[T_co]):
    """The concatenation of several map-style datasets.

    Args:
      datasets: an iterable of datasets.

    Raises:
      AssertionError: `datasets` is empty or contains an `IterableDataset`.

    >>> both = ConcatDataset([[1, 2], [3]])
    >>> len(both), both[2], both[-1]
    (3, 3, 3)
    """

    datasets: list
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Return the sums of the lengths of the first 1, 2, ... datasets.

        Args:
          sequence: the datasets.
        """
        return list(accumulate(len(d) for d in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """The concatenation of several iterable-style datasets.

    Iteration raises `AssertionError` when it reaches a dataset that is not an `IterableDataset`.

    Args:
      datasets: an iterable of datasets.

    >>> from torchlike.utils.data import ChainDataset, IterableDataset
    >>> class Digits(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([0, 1])
    >>> list(ChainDataset([Digits(), Digits()]))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        super().__init__()
        self.datasets = datasets

    def _streams(self) -> Iterator[Any]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield d

    def __iter__(self) -> Iterator[Any]:
        for d in self._streams():
            yield from d

    def __len__(self) -> int:
        return sum(len(d) for d in self._streams())


class Subset(Dataset[T_co]):
    """The subset of a dataset at specified indices.

    Args:
      dataset: the whole dataset.
      indices: the indices of the subset in the whole dataset.

    >>> list(Subset("abcd", [3, 1]))
    ['d', 'b']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        return self.dataset[self._translate(idx)]

    def _translate(self, idx: Any) -> Any:
        return [self.indices[i] for i in idx] if isinstance(idx, list) else self.indices[idx]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        return _samples(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[int | float], generator: Any = None) -> list[Subset]:
    """Randomly split a dataset into non-overlapping subsets of given lengths.

    If `lengths` are fractions that sum to 1, each subset has `floor(fraction * len(dataset))` samples. The remaining
    samples are distributed in round-robin order, one for each subset, beginning with the first.

    Args:
      dataset: the dataset to split.
      lengths: the lengths or the fractions of the subsets.
      generator: the random generator for the permutation, in place of the global generator.

    Raises:
      ValueError: A fraction is outside [0, 1], or the lengths do not sum to the length of the dataset.

    >>> import torchlike as torch
    >>> parts = torch.utils.data.random_split(range(10), [0.8, 0.2])
    >>> [len(part) for part in parts]
    [8, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    total: Any = sum(lengths)
    order = torchlike.randperm(total, generator=generator).tolist()
    return [Subset(dataset, order[end - n : end]) for n, end in zip(lengths, accumulate(lengths))]


def _lengths_of_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warn(errors.split_empty(i))
    return lengths
