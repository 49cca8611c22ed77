"""Replacing a file in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from torchlike.serialization import _errors as errors


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file to write in place of `path`; the old file stays until the new one is complete and on disk.

    When the block raises (an interrupt included) the old file is as it was and nothing else is left behind. Devices
    and pipes are written directly.
    """
    path = os.path.realpath(path)
    directory = os.path.dirname(path)
    if not os.path.isdir(directory):
        raise errors.no_parent(directory)
    if os.path.isdir(path):
        raise errors.is_directory(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    temporary = os.path.join(directory, f".{os.path.basename(path)}.{os.urandom(6).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            _keep_mode(path, temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _keep_mode(old: str, new: str) -> None:
    with suppress(FileNotFoundError):
        os.chmod(new, stat.S_IMODE(os.stat(old).st_mode))
