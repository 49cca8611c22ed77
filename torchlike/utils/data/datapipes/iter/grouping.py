"""Pipes that make batches of elements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._batches import Batches
from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import DataChunk, IterDataPipe
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn

__all__ = ["BatcherIterDataPipe", "GrouperIterDataPipe", "UnBatcherIterDataPipe"]


@functional_datapipe("batch")
class BatcherIterDataPipe(Batches, IterDataPipe):
    """A pipe of batches. Its method is `batch`.

    Args:
      datapipe: the source.
      batch_size: the number of elements in a batch.
      drop_last: whether to drop the last batch if it is incomplete.
      wrapper_class: the class of the batches.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).batch(2, drop_last=True))
    [[0, 1], [2, 3]]
    """

    def __iter__(self) -> Iterator[Any]:
        batch: list = []
        for element in self.datapipe:
            batch.append(element)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """A pipe of the elements of batches. Its method is `unbatch`.

    Args:
      datapipe: the source.
      unbatch_level: the number of levels of lists to take apart; -1 means all.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([[1, [2]], [3]]).unbatch())
    [1, [2], 3]
    """

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self) -> Iterator[Any]:
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element: Any, unbatch_level: int) -> Iterator[Any]:
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if unbatch_level == 0 or (unbatch_level == -1 and not isinstance(element, list)):
            yield element
        elif not isinstance(element, list):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            for each in element:
                yield from self._dive(each, max(unbatch_level - 1, -1))


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe):
    """A pipe of batches of elements with the same key. Its method is `groupby`.

    Args:
      datapipe: the source.
      group_key_fn: a function that returns the key of an element.
      keep_key: whether to yield pairs of the key and the batch.
      buffer_size: the number of elements that are kept at most. When it is reached, the largest group is yielded.
      group_size: the number of elements of a complete group, which is yielded at once. By default, groups are yielded
        at the end.
      guaranteed_group_size: the smallest number of elements of a group that is yielded because the buffer is full.
        Default: `group_size`.
      drop_remaining: whether smaller groups are dropped then. By default, iteration raises RuntimeError.

    Raises:
      AssertionError: The sizes do not fit.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).groupby(lambda x: x % 2, group_size=2))
    [[0, 2], [1, 3], [4]]
    """

    _kept = (
        *("datapipe", "group_key_fn", "keep_key", "max_buffer_size", "group_size", "guaranteed_group_size"),
        *("drop_remaining", "wrapper_class", "_valid_iterator_id", "_number_of_samples_yielded"),
    )

    def __init__(
        self,
        datapipe: Any,
        group_key_fn: Callable,
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: int | None = None,
        guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:
        _check_unpickable_fn(group_key_fn)
        self.datapipe = datapipe
        self.group_key_fn = group_key_fn
        self.keep_key = keep_key
        self.max_buffer_size = buffer_size
        self.group_size = group_size
        if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed_group_size is not None and (group_size is None or not 0 < guaranteed_group_size <= group_size):
            raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
        by_default = None if buffer_size is None else group_size
        self.guaranteed_group_size = by_default if guaranteed_group_size is None else guaranteed_group_size
        self.drop_remaining = drop_remaining
        self.wrapper_class = DataChunk
        self._begin()

    def _begin(self) -> None:
        self.curr_buffer_size = 0
        self.buffer_elements: defaultdict[Any, list] = defaultdict(list)

    def _remove_biggest_key(self) -> list | None:
        """Remove the largest group, and return it if it is large enough."""
        key = max(self.buffer_elements, key=lambda each: len(self.buffer_elements[each]))
        group, least = self.buffer_elements[key], self.guaranteed_group_size
        large = least is None or len(group) >= least
        if not large and not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(group))
        self._remove(key)
        return group if large else None

    def _remove(self, key: Any) -> list:
        group = self.buffer_elements.pop(key)
        self.curr_buffer_size -= len(group)
        return group

    def _wrapped(self, key: Any, group: list) -> Any:
        chunk = self.wrapper_class(group)
        return (key, chunk) if self.keep_key else chunk

    def __iter__(self) -> Iterator[Any]:
        for element in self.datapipe:
            key = self.group_key_fn(element)
            self.buffer_elements[key].append(element)
            self.curr_buffer_size += 1
            if self.group_size is not None and self.group_size == len(self.buffer_elements[key]):
                yield self._wrapped(key, self.buffer_elements[key])
                self._remove(key)
            if self.curr_buffer_size == self.max_buffer_size:
                group = self._remove_biggest_key()
                if group is not None:
                    yield self._wrapped(key, group)  # as in PyTorch, with the key of the last element
        for key in tuple(self.buffer_elements):
            yield self._wrapped(key, self._remove(key))

    def reset(self) -> None:
        """Empty the buffer."""
        self._begin()
