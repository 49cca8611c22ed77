"""Pipes that call a function of each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data._utils.collate import default_collate
from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, no_frames
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn, length_of, validate_input_col

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """A pipe of the results of a function. Its method is `map`.

    Args:
      datapipe: the source.
      fn: the function.
      input_col: the index or key, or a list of them, of the parts of an element that the function takes. By default,
        it takes the whole element.
      output_col: the index or key of the part that becomes the result; -1 appends it to a list or tuple. By default,
        it is the first of `input_col`, and the others are deleted.

    Raises:
      ValueError: The function does not fit `input_col`, or `output_col` is given without `input_col` or has more than
        one place.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([(1, 2), (3, 4)]).map(lambda a: -a, input_col=0))
    [(-1, 2), (-3, 4)]
    """

    datapipe: IterDataPipe
    fn: Callable

    def __init__(self, datapipe: Any, fn: Callable, input_col: Any = None, output_col: Any = None) -> None:
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn
        self.input_col = input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, list | tuple):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = next(iter(output_col))
        self.output_col = output_col
        validate_input_col(fn, input_col)

    def _apply_fn(self, data: Any) -> Any:
        taken = self.input_col
        if taken is None:
            return self.fn(data)
        several = isinstance(taken, list | tuple)
        result = self.fn(*(data[each] for each in taken)) if several else self.fn(data[taken])
        changed = list(data) if isinstance(data, tuple) else data
        if self.output_col is None:
            changed[taken[0] if several else taken] = result
            for each in sorted(taken[1:], reverse=True) if several else ():
                del changed[each]
        elif self.output_col == -1:
            changed.append(result)
        else:
            changed[self.output_col] = result
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            yield self._apply_fn(data)

    def __len__(self) -> int:
        return length_of(self, self.datapipe)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """A pipe of batches that were collated to tensors. Its method is `collate`.

    Args:
      datapipe: the source.
      conversion: the function of a batch. Default: `default_collate`. Dicts, for data frames, are refused.
      collate_fn: the function of a batch, in place of `conversion`.

    >>> from torchlike.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(4)).batch(2).collate())
    [tensor([0, 1]), tensor([2, 3])]
    """

    def __init__(self, datapipe: Any, conversion: Any = default_collate, collate_fn: Callable | None = None) -> None:
        if collate_fn is None and not callable(conversion):
            raise no_frames()
        super().__init__(datapipe, fn=conversion if collate_fn is None else collate_fn)
