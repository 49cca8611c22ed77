"""Pipes that combine several pipes."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["ConcaterMapDataPipe", "ZipperMapDataPipe"]


def _checked(datapipes: tuple) -> tuple:
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(each, MapDataPipe) for each in datapipes):
        raise TypeError("Expected all inputs to be `MapDataPipe`")
    if not all(isinstance(each, Sized) for each in datapipes):
        raise TypeError("Expected all inputs to be `Sized`")
    return datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """A pipe of the elements of several pipes with the keys 0, 1, ... Its method is `concat`.

    Args:
      *datapipes: the sources.

    Raises:
      ValueError: There are no sources.
      TypeError: A source is not a `MapDataPipe`, or has no length.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper([1, 2]).concat(SequenceWrapper([3]))[2]
    3
    """

    datapipes: tuple[Any, ...]

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index: int) -> Any:
        place = index
        for each in self.datapipes:
            if place < len(each):
                return each[place]
            place -= len(each)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(map(len, self.datapipes))


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe):
    """A pipe of tuples with an element of each source. Its method is `zip`.

    Args:
      *datapipes: the sources.

    Raises:
      ValueError: There are no sources.
      TypeError: A source is not a `MapDataPipe`, or has no length.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper([1, 2]).zip(SequenceWrapper("ab"))[1]
    (2, 'b')
    """

    datapipes: tuple[Any, ...]

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index: Any) -> tuple:
        found = []
        for each in self.datapipes:
            try:
                found.append(each[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {each}.") from error
        return tuple(found)

    def __len__(self) -> int:
        return min(map(len, self.datapipes))
