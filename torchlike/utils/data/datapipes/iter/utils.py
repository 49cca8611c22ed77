"""The pipe of an iterable."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from torchlike._internal import warn
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import length_of

__all__ = ["IterableWrapperIterDataPipe"]


class IterableWrapperIterDataPipe(IterDataPipe):
    """A pipe over the elements of an iterable.

    Args:
      iterable: the iterable.
      deepcopy: whether each iterator copies the iterable first. If it cannot be copied, a warning is given.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)))
    [0, 1, 2]
    """

    def __init__(self, iterable: Iterable, deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[Any]:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(source)
            except TypeError:
                warn(
                    "The input iterable can not be deepcopied, "
                    "please be aware of in-place modification would affect source data."
                )
        yield from source

    def __len__(self) -> int:
        return length_of(self, self.iterable)
