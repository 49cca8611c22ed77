"""Atomic replacement of a file.

The new contents are written to a temporary file in the same directory, which is then renamed to the target name. The
temporary file stays locked while its process writes it. A temporary file without a lock was left behind by a killed
process; the next save to the same name removes it.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from torchlike._engine import uninterrupted

try:
    import fcntl
except ImportError:  # Windows: it needs no locks here, because it does not delete open files
    fcntl = None

_SUFFIX = ".torchlike.tmp"
_LONGEST_NAME = (
    100  # bytes; a longer name is hashed in temporary names, because some file systems allow only 143 bytes in all
)
_NO_TEMPORARY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR)
_NO_REPLACE = (errno.EBUSY, errno.EACCES, errno.EPERM, errno.EXDEV)


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the block ends.

    The old file stays until the new file is complete and on disk. If the block raises, including on an interrupt, the
    old file is unchanged. The new file has the owner, the mode and the extended attributes of the old file.

    The file is overwritten in place if a replacement would change more than its contents: a device or pipe, a file with
    several hard links, a file in a read-only directory, or a file whose owner cannot be preserved.

    Raises:
        OSError: The file cannot be opened or written, as for `open(path, "wb")`.
    """
    old = _existing(path)
    directory, name = os.path.split(os.path.realpath(path))
    if old is None or stat.S_ISREG(old.st_mode):
        remove_strays(directory, name)
    made: list[_Temporary] = []
    try:
        temporary = None if _has_to_stay(path, old) else _temporary(directory, name, old, made)
        if temporary is None:
            with open(path, "wb") as file:
                yield file
                _sync(file)
            return
        with temporary.file as file:
            yield file
            _sync(file)
            if fcntl is None:
                file.close()
            temporary.rename(os.path.join(directory, name), old is not None)
    except BaseException:
        for left in made:
            left.remove()
        raise


def _existing(path: str) -> os.stat_result | None:
    """Return the status of the file at `path` (following links), or None if it does not exist.

    Raise `OSError` if the file is not writable.
    """
    try:
        found = os.stat(path)
    except FileNotFoundError:
        if not os.path.basename(path):
            open(path, "wb").close()  # raises, because the path has no file name
        return None
    if stat.S_ISREG(found.st_mode):
        os.close(os.open(path, os.O_WRONLY))  # raises if the file is not writable
    return found


def _has_to_stay(path: str, old: os.stat_result | None) -> bool:
    """Return whether the file must be overwritten in place.

    The result is True if the file is not regular, or if it has another name that a rename would not update.
    """
    if old is None:
        return False
    if not stat.S_ISREG(old.st_mode) or old.st_nlink > 1:
        return True
    try:
        return not os.path.samestat(old, os.stat(os.path.realpath(path)))
    except OSError:  # a path in /proc
        return True


def _sync(file: IO[bytes]) -> None:
    file.flush()
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


@dataclass(frozen=True)
class _Temporary:
    """A new, locked temporary file."""

    path: str
    file: IO[bytes]

    def rename(self, path: str, exists: bool) -> None:
        try:
            os.replace(self.path, path)
        except OSError as e:
            if not exists or e.errno not in _NO_REPLACE:
                raise
            self._copy(path)  # a mount point, or a directory where only owners may rename

    def remove(self) -> None:
        self.file.close()
        with suppress(FileNotFoundError):
            os.unlink(self.path)

    def _copy(self, path: str) -> None:
        with open(self.path, "rb") as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
            _sync(target)
        os.unlink(self.path)


def _temporary(directory: str, name: str, old: os.stat_result | None, made: list[_Temporary]) -> _Temporary | None:
    """Create the temporary file and append it to `made`.

    Return None if the file cannot be created or cannot take the owner and mode of the old file.
    """
    while True:
        path = os.path.join(directory, f"{_prefix(name)}{os.urandom(6).hex()}{_SUFFIX}")
        with uninterrupted():  # an interrupt must not separate creating the file from adding it to `made`
            try:
                fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            except OSError as e:
                if e.errno in _NO_TEMPORARY:
                    return None
                raise
            made.append(_Temporary(path, os.fdopen(fd, "wb")))
        if _lock(fd) is False or not os.path.lexists(path):
            made.pop().file.close()
            continue  # another save locked or removed the file before this process could lock it
        if old is None or _take_over(fd, os.path.join(directory, name), old):
            return made[-1]
        made.pop().remove()
        return None


def _take_over(fd: int, path: str, old: os.stat_result) -> bool:
    """Copy the owner, the mode and the extended attributes of the old file to a new file.

    Return whether the owner and the mode could be set. Extended attributes are copied as far as possible. On Windows
    nothing is copied and the result is True.
    """
    if fcntl is None:
        return True
    made = os.fstat(fd)
    try:
        if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
            os.fchown(fd, old.st_uid, old.st_gid)
        os.fchmod(fd, stat.S_IMODE(old.st_mode))
    except OSError:
        return False
    with suppress(OSError, AttributeError):  # macOS does not have these functions
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(fd, name, os.getxattr(path, name))
    return True


def _prefix(name: str) -> str:
    """Return the common prefix of the temporary file names for `name`."""
    encoded = os.fsencode(name)
    return f".{name if len(encoded) <= _LONGEST_NAME else hashlib.sha256(encoded).hexdigest()[:32]}."


def remove_strays(directory: str, name: str) -> None:
    """Remove the temporary files for `name` whose processes have ended."""
    pattern = re.compile(re.escape(_prefix(name)) + "[0-9a-f]{12}" + re.escape(_SUFFIX))
    with suppress(OSError):
        for found in os.listdir(directory):
            if pattern.fullmatch(found):
                _remove_stray(os.path.join(directory, found))


def _remove_stray(path: str) -> None:
    with suppress(OSError):
        fd = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            if _lock(fd):
                os.unlink(path)
        finally:
            os.close(fd)


def _lock(fd: int) -> bool | None:
    """Lock a file until it is closed.

    Return True if the lock was taken, False if another process holds it, and None if the file system has no locks.
    On Windows return True without a lock.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
