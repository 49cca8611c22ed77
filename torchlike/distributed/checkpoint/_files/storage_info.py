"""The place of an item in the files of a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class _StorageInfo:
    """The place of an item. The name of the class is part of the file format.

    Attributes:
        relative_path: the name of the file in the folder of the checkpoint.
        offset: the offset of the item in the file, in bytes.
        length: the length of the item, in bytes.
        transform_descriptors: the names of the transformations of the bytes, such as compression.
    """

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if value is not None}


@dataclass
class _StoragePrefix:
    """The beginning of the names of the files of one process, and the number of its first file."""

    prefix: str
    first: int = 0
