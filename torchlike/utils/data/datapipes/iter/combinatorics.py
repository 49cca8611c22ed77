"""Data pipes that sample or shuffle. Their classes have no instances."""

from __future__ import annotations

from typing import Any

from torchlike._internal import cannot


class _Pipe:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = f"utils.data.datapipes.iter.combinatorics.{type(self).__name__}"
        raise cannot(name, "use an IterableDataset, or the sampler of a DataLoader")


class SamplerIterDataPipe(_Pipe):
    """A data pipe that samples elements. Not supported: the constructor raises an error."""


class ShufflerIterDataPipe(_Pipe):
    """A data pipe that shuffles elements. Not supported: the constructor raises an error."""
