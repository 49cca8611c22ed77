"""The pipe that makes batches."""

from __future__ import annotations

from typing import Any

from torchlike.utils.data.datapipes._batches import Batches
from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["BatcherMapDataPipe"]


@functional_datapipe("batch")
class BatcherMapDataPipe(Batches, MapDataPipe):
    """A pipe of batches. Its method is `batch`.

    Args:
      datapipe: the source, with the keys 0, 1, ...
      batch_size: the number of elements in a batch.
      drop_last: whether to drop the last batch if it is incomplete.
      wrapper_class: the class of the batches.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper(range(5)).batch(2)[2]
    [4]
    """

    def __getitem__(self, index: int) -> Any:
        batch: list = []
        try:
            for i in range(index * self.batch_size, (index + 1) * self.batch_size):
                batch.append(self.datapipe[i])
        except IndexError as error:
            if self.drop_last or not batch:
                raise IndexError(f"Index {index} is out of bound.") from error
        return self.wrapper_class(batch)
