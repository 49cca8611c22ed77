"""The pipe that calls a function of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn

__all__ = ["MapperMapDataPipe", "default_fn"]


def default_fn(data: Any) -> Any:
    """Return the element.

    Args:
      data: the element.

    >>> default_fn(1)
    1
    """
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """A pipe of the results of a function. Its method is `map`.

    Args:
      datapipe: the source.
      fn: the function. By default, elements are returned as they are.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper([1, 2]).map(lambda x: -x)[1]
    -2
    """

    datapipe: MapDataPipe
    fn: Callable

    def __init__(self, datapipe: Any, fn: Callable = default_fn) -> None:
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn

    def __len__(self) -> int:
        return len(self.datapipe)  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])
