"""The pipe that selects elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import StreamWrapper, _check_unpickable_fn, validate_input_col

__all__ = ["FilterIterDataPipe"]


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """A pipe of the elements for which a function returns True. Its method is `filter`.

    Args:
      datapipe: the source.
      filter_fn: the function. Iteration raises ValueError if it does not return a bool.
      input_col: the index or key, or a list of them, of the parts of an element that the function takes. By default,
        it takes the whole element.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).filter(lambda x: x % 2 == 0))
    [0, 2, 4]
    """

    datapipe: IterDataPipe
    filter_fn: Callable

    def __init__(self, datapipe: Any, filter_fn: Callable, input_col: Any = None) -> None:
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(filter_fn)
        self.filter_fn = filter_fn
        self.input_col = input_col
        validate_input_col(filter_fn, input_col)

    def _apply_filter_fn(self, data: Any) -> bool:
        taken = self.input_col
        if taken is None:
            return self.filter_fn(data)
        if isinstance(taken, list | tuple):
            return self.filter_fn(*(data[each] for each in taken))
        return self.filter_fn(data[taken])

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            selected = self._apply_filter_fn(data)
            if not isinstance(selected, bool):
                # As in PyTorch, the error has two arguments.
                raise ValueError(
                    "Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(selected)
                )
            if selected:
                yield data
            else:
                StreamWrapper.close_streams(data)
