"""Pipes that combine several pipes, and pipes that divide one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.iter._children import _ChildDataPipe as _ChildDataPipe
from torchlike.utils.data.datapipes.iter._children import _DemultiplexerIterDataPipe, _ForkerIterDataPipe
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn, length_of

__all__ = [
    "ConcaterIterDataPipe",
    "DemultiplexerIterDataPipe",
    "ForkerIterDataPipe",
    "MultiplexerIterDataPipe",
    "ZipperIterDataPipe",
]


def _lengths(pipe: Any) -> list[int]:
    return [length_of(pipe, source) for source in pipe.datapipes]


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """A pipe of the elements of several pipes, one after the other. Its method is `concat`.

    Args:
      *datapipes: the sources.

    Raises:
      ValueError: There are no sources.
      TypeError: A source is not an `IterDataPipe`.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([1, 2]).concat(IterableWrapper([3])))
    [1, 2, 3]
    """

    datapipes: tuple[IterDataPipe, ...]

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for each in self.datapipes:
            yield from each

    def __len__(self) -> int:
        return sum(_lengths(self))


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """A constructor that returns several pipes with the elements of one. Its method is `fork`.

    Args:
      datapipe: the source.
      num_instances: the number of pipes. If it is 1, the source is returned.
      buffer_size: the number of elements that the first of the pipes may be ahead of the last one; -1 means any number.
        Iteration raises BufferError otherwise.
      copy: "shallow" or "deep": how elements are copied. By default, all pipes yield the same objects.

    Raises:
      ValueError: There are no pipes, or `copy` is unknown.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> first, second = IterableWrapper([1, 2]).fork(2)
    >>> list(first), list(second)
    ([1, 2], [1, 2])
    """

    def __new__(cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> Any:
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
        if num_instances == 1:
            return datapipe
        container = _ForkerIterDataPipe(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """A constructor that returns several pipes, which share the elements of one. Its method is `demux`.

    Args:
      datapipe: the source.
      num_instances: the number of pipes.
      classifier_fn: a function that returns the number of the pipe of an element, or None.
      drop_none: whether to drop elements of None. Iteration raises ValueError otherwise.
      buffer_size: the number of elements that are kept for other pipes; -1 means any number. Iteration raises
        BufferError otherwise.

    Raises:
      ValueError: There are no pipes.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> even, odd = IterableWrapper(range(5)).demux(2, lambda x: x % 2)
    >>> list(even), list(odd)
    ([0, 2, 4], [1, 3])
    """

    def __new__(
        cls,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Callable,
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
        _check_unpickable_fn(classifier_fn)
        container = _DemultiplexerIterDataPipe(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """A pipe that takes an element of each source in turn, until one of them ends. Its method is `mux`.

    Args:
      *datapipes: the sources.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([1, 2, 3]).mux(IterableWrapper([10, 20])))
    [1, 10, 2, 20]
    """

    _kept = ("datapipes", "_valid_iterator_id", "_number_of_samples_yielded")

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes
        self._begin()

    def _begin(self) -> None:
        self.buffer: list = []

    def __iter__(self) -> Iterator[Any]:
        iterators = [iter(each) for each in self.datapipes]
        while iterators:
            for each in iterators:
                try:
                    self.buffer.append(next(each))
                except StopIteration:
                    self.buffer.clear()
                    return
            yield from self.buffer
            self.buffer.clear()

    def __len__(self) -> int:
        return min(_lengths(self)) * len(self.datapipes)

    def reset(self) -> None:
        """Empty the buffer."""
        self._begin()


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe):
    """A pipe of tuples with an element of each source. Its method is `zip`.

    Args:
      *datapipes: the sources.

    Raises:
      TypeError: A source is not an `IterDataPipe`.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([1, 2, 3]).zip(IterableWrapper("ab")))
    [(1, 'a'), (2, 'b')]
    """

    datapipes: tuple[IterDataPipe, ...]

    def __init__(self, *datapipes: Any) -> None:
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        super().__init__()
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[tuple]:
        yield from zip(*[iter(each) for each in self.datapipes])

    def __len__(self) -> int:
        return min(_lengths(self))
