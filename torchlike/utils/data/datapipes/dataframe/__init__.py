"""Data frames are not supported: the names exist and raise when they are called."""

from __future__ import annotations

from typing import Any

from torchlike.utils.data.datapipes.datapipe import DFIterDataPipe as DFIterDataPipe
from torchlike.utils.data.datapipes.datapipe import no_frames

__all__ = ["CaptureDataFrame", "DFIterDataPipe", "DataFramesAsTuplesPipe"]


class CaptureDataFrame:
    """A recorded data frame. Not supported: the constructor raises an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise no_frames()


class DataFramesAsTuplesPipe(DFIterDataPipe):
    """A pipe over the rows of data frames. Not supported: the constructor raises an error."""
