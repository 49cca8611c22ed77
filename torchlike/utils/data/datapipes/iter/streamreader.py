"""The pipe of what streams contain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe

__all__ = ["StreamReaderIterDataPipe"]


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe):
    """A pipe of pairs of a path and what its stream contains. Its method is `read_from_stream`.

    Args:
      datapipe: a pipe of pairs of a path and a stream.
      chunk: the number of bytes that are read at a time. Default: the whole stream.

    >>> import io
    >>> list(StreamReaderIterDataPipe([("a", io.StringIO("text"))], chunk=3))
    [('a', 'tex'), ('a', 't')]
    """

    def __init__(self, datapipe: Any, chunk: int | None = None) -> None:
        self.datapipe = datapipe
        self.chunk = chunk

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield path, data
            stream.close()
