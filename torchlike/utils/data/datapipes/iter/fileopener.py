"""The pipe of open files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import get_file_binaries_from_pathnames, no_length

__all__ = ["FileOpenerIterDataPipe"]


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(IterDataPipe):
    """A pipe of pairs of a path and its stream. Its method is `open_files`.

    Args:
      datapipe: a pipe of paths.
      mode: "r", "b" or "rb" for bytes, "t" or "rt" for text.
      encoding: the encoding of text.
      length: the length of the pipe. By default, it has none.

    Raises:
      ValueError: The mode is unknown, or binary with an encoding.

    >>> [stream.read(3) for _, stream in FileOpenerIterDataPipe([__file__], "b")]
    [b'\"\"\"']
    """

    def __init__(self, datapipe: Iterable[str], mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.mode = mode
        self.encoding = encoding
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.length = length

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from get_file_binaries_from_pathnames(self.datapipe, self.mode, self.encoding)

    def __len__(self) -> int:
        if self.length == -1:
            raise no_length(self)
        return self.length
