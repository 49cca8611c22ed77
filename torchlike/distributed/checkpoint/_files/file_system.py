"""Names of files, and operations on folders."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from torchlike.serialization._atomic import remove_strays, replacing

METADATA = ".metadata"
SUFFIX = ".distcp"
_DATA = re.compile(r"__(\d+)_(\d+)\.distcp")
_UNFINISHED = re.compile(r"\.(__\d+_\d+\.distcp)\.[0-9a-f]+\.torchlike\.tmp")


class FileSystemBase(ABC):
    """The base class of operations on files and folders, of a disk or another storage."""

    @abstractmethod
    def create_stream(self, path: str | os.PathLike, mode: str) -> AbstractContextManager[IO[Any]]:
        """Open a file."""

    @abstractmethod
    def concat_path(self, path: str | os.PathLike, suffix: str) -> str | os.PathLike:
        """Return the path of a file in a folder."""

    @abstractmethod
    def rename(self, path: str | os.PathLike, new_path: str | os.PathLike) -> None:
        """Rename a file."""

    @abstractmethod
    def init_path(self, path: str | os.PathLike) -> str | os.PathLike:
        """Return the path in the form that the other methods take."""

    @abstractmethod
    def mkdir(self, path: str | os.PathLike) -> None:
        """Create a folder."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Return whether this class can store the checkpoint."""

    @abstractmethod
    def exists(self, path: str | os.PathLike) -> bool:
        """Return whether a file or folder exists."""

    @abstractmethod
    def rm_file(self, path: str | os.PathLike) -> None:
        """Remove a file."""


class FileSystem(FileSystemBase):
    """Operations on files and folders. Writes are atomic: a file appears when it is complete."""

    @contextmanager
    def create_stream(self, path: str | os.PathLike, mode: str) -> Iterator[IO[Any]]:
        """Open a file. In mode "wb" the file replaces the old one when the block ends without an exception."""
        if mode == "wb":
            with replacing(os.fspath(path)) as stream:
                yield stream
            return
        with open(path, mode) as stream:
            yield stream

    def concat_path(self, path: str | os.PathLike, suffix: str) -> Path:
        """Return the path of a file in a folder."""
        return Path(path) / suffix

    def init_path(self, path: str | os.PathLike) -> Path:
        """Return the path as a `Path`."""
        return Path(path)

    def rename(self, path: str | os.PathLike, new_path: str | os.PathLike) -> None:
        """Rename a file."""
        Path(path).rename(new_path)

    def mkdir(self, path: str | os.PathLike) -> None:
        """Create a folder and its parents if they do not exist."""
        Path(path).mkdir(parents=True, exist_ok=True)

    def exists(self, path: str | os.PathLike) -> bool:
        """Return whether a file or folder exists."""
        return Path(path).exists()

    def rm_file(self, path: str | os.PathLike) -> None:
        """Remove a file."""
        Path(path).unlink()

    def ls(self, path: str | os.PathLike) -> list[str]:
        """Return the paths of the files in a folder."""
        return [str(found) for found in Path(path).iterdir()]

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Return whether a checkpoint is a path in a folder that exists and is writable."""
        if isinstance(checkpoint_id, Path):
            return True
        if "://" in str(checkpoint_id):
            return False
        return any(folder.exists() and os.access(folder, os.W_OK) for folder in Path(checkpoint_id).parents)


def data_files(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the data files of all checkpoints in a folder: their names, ranks and numbers."""
    matches = map(_DATA.fullmatch, os.listdir(folder))
    return {found[0]: (int(found[1]), int(found[2])) for found in matches if found}


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files that exist, and the unfinished files of processes that were killed."""
    for found in map(_UNFINISHED.fullmatch, os.listdir(folder)):
        if found:
            remove_strays(str(folder), found[1])
    for name in names:
        with suppress(FileNotFoundError):
            os.unlink(folder / name)


def sync(folder: Path) -> None:
    """Write the entries of a folder to disk, where the platform can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
