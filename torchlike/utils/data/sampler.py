"""Samplers: iterables over the indices, or the lists of indices, of the samples to load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import torchlike
from torchlike.utils.data import _errors as errors

T_co = TypeVar("T_co", covariant=True)
_CHUNK = 32  # PyTorch samples indices with replacement in blocks of this size, which affects the random stream


def _draw_seed(generator: Any = None) -> int:
    """Sample a seed for a separate random stream from `generator`, by default from the global generator."""
    return int(torchlike.empty((), dtype=torchlike.int64).random_(generator=generator).item())


def _is_positive_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Sampler(Generic[T_co]):
    """The base class of all samplers.

    Subclasses implement `__iter__`, which yields indices, and `__len__` if the length is known.

    >>> from torchlike.utils.data import Sampler
    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(Backwards())
    [2, 1, 0]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """A sampler that yields 0, 1, ..., len(data_source) - 1 in order.

    Args:
      data_source: the dataset to sample from.

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """A sampler that yields random indices, with or without replacement.

    As in PyTorch, if no `generator` is given, each iteration samples one seed from the global generator and uses a
    separate random stream with this seed.

    Args:
      data_source: the dataset to sample from.
      replacement: whether to sample with replacement.
      num_samples: the number of samples. Default: the length of `data_source`. Without replacement, a larger number
        takes indices from several permutations.
      generator: the random generator.

    Raises:
      TypeError: `replacement` is not a bool.
      ValueError: `num_samples` is not a positive int.

    >>> import torchlike as torch
    >>> sorted(torch.utils.data.RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise errors.boolean("replacement", replacement, TypeError)
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise errors.positive_int("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = torchlike.Generator()
            generator.manual_seed(_draw_seed())
        draw = self._with_replacement if self.replacement else self._permutations
        yield from draw(len(self.data_source), generator)

    def _with_replacement(self, n: int, generator: Any) -> Iterator[int]:
        full, rest = divmod(self.num_samples, _CHUNK)
        for size in [_CHUNK] * full + [rest]:
            yield from torchlike.randint(high=n, size=(size,), dtype=torchlike.int64, generator=generator).tolist()

    def _permutations(self, n: int, generator: Any) -> Iterator[int]:
        full, rest = divmod(self.num_samples, n)
        for _ in range(full):
            yield from torchlike.randperm(n, generator=generator).tolist()
        # PyTorch samples a last permutation even if no samples remain. This matters only for a generator of the caller.
        if rest or generator is self.generator:
            yield from torchlike.randperm(n, generator=generator).tolist()[:rest]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """A sampler that yields the given indices in random order, without replacement.

    Args:
      indices: a sequence of indices.
      generator: the random generator.

    >>> import torchlike as torch
    >>> sorted(torch.utils.data.SubsetRandomSampler([4, 7]))
    [4, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in torchlike.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """A sampler that yields indices of `weights` with probabilities proportional to the weights.

    Args:
      weights: a 1-D sequence of weights, which need not sum to 1.
      num_samples: the number of samples.
      replacement: whether to sample with replacement.
      generator: the random generator.

    Raises:
      ValueError: `num_samples` is not a positive int, `replacement` is not a bool, or `weights` is not 1-D.
      RuntimeError: On iteration, if `replacement` is False and `num_samples` exceeds the number of weights.

    >>> import torchlike as torch
    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if not _is_positive_int(num_samples):
            raise errors.positive_int("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise errors.boolean("replacement", replacement)
        self.weights = torchlike.as_tensor(weights, dtype=torchlike.float64)
        if len(self.weights.shape) != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = torchlike.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """A sampler that groups the indices of another sampler into lists, one for each batch.

    Args:
      sampler: the sampler or iterable of indices.
      batch_size: the number of indices per batch.
      drop_last: whether to drop the last batch if it is incomplete.

    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not _is_positive_int(batch_size):
            raise errors.positive_int("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise errors.boolean("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        sampler: Any = self.sampler
        whole, rest = divmod(len(sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)
