"""The pipe of a sequence."""

from __future__ import annotations

import copy
from typing import Any

from torchlike._internal import warn
from torchlike.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["SequenceWrapperMapDataPipe"]


class SequenceWrapperMapDataPipe(MapDataPipe):
    """A pipe of the elements of a sequence or mapping.

    Args:
      sequence: the sequence or mapping.
      deepcopy: whether to copy it. If it cannot be copied, a warning is given.

    >>> from torchlike.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper({"a": 1})["a"]
    1
    """

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = sequence
        if deepcopy:
            try:
                self.sequence = copy.deepcopy(sequence)
            except TypeError:
                warn(
                    "The input sequence can not be deepcopied, "
                    "please be aware of in-place modification would affect source data"
                )

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)
