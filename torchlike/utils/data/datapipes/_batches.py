"""What both kinds of pipes of batches share."""

from __future__ import annotations

from typing import Any

from torchlike.utils.data.datapipes.datapipe import DataChunk
from torchlike.utils.data.datapipes.utils.common import length_of


class Batches:
    """The options of a pipe of batches, and its length."""

    def __init__(self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __len__(self) -> int:
        return (length_of(self, self.datapipe) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
