"""The disk cache of compiled programs. It is shared by all processes and bounded in size.

JAX computes a program's key and calls `get` and `put`. JAX's own file store is replaced; see
docs/decisions/0032-disk-cache.md.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from contextlib import suppress
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._engine.report.log import logger
from torchlike._engine.xla import jax_private

DEFAULT_LIMIT = 4 << 30
BLOCK = 4096  # bytes; file sizes are counted in blocks
ENTRY, HALF = ".program", ".half"  # suffixes of complete entries, and of entries that are being written
COUNTER = "written"
MAGIC = b"torchlike program 1\n"
ABANDONED = 3600.0  # seconds after which an incomplete file is assumed to be abandoned


class Contents(NamedTuple):
    """The contents of a cache folder: the number of programs and their size."""

    folder: str
    programs: int
    bytes: int


class DiskCache:
    """A folder of compiled programs. Any number of processes use it concurrently, without locks.

    Entries appear atomically: an entry is written under a temporary name and then renamed. It begins with a checksum,
    so an entry damaged by a failing disk or a power cut is never loaded. The modification time of an entry's file is
    the time of its last use.

    The counter file measures how much was written since the last scan of the folder: each writer appends one byte per
    block, so the length of the file is the number of blocks. A writer can thus decide when to scan without listing the
    folder. When an eighth of the limit has been written, the writer that notices this removes the least recently used
    entries, down to seven eighths of the limit. It also scans if the counter file is new, because the folder was then
    never scanned. After a scan the counter is truncated to one byte, which marks it as not new.
    """

    def __init__(self, folder: str, limit: int) -> None:
        self._path = self.folder = folder  # JAX logs `_path`
        self.limit = limit
        self._failed = False

    def get(self, key: str) -> bytes | None:
        """Return an entry, or None if there is no valid entry. Remove an invalid entry."""
        name = self._name(key)
        try:
            with open(name, "rb") as file:
                value = _opened(key, file.read())
        except OSError:
            return None
        with suppress(OSError):  # the folder may be read-only
            os.utime(name) if value is not None else os.unlink(name)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Store an entry, unless it is larger than an eighth of the limit.

        A failure raises no error. The first failure is logged.
        """
        content = _sealed(key, value)
        if _blocks(len(content)) * BLOCK > self.limit // 8:
            return
        half = os.path.join(self.folder, os.urandom(12).hex() + HALF)
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(half, "xb") as file:
                file.write(content)
            os.replace(half, self._name(key))
        except OSError as error:
            with suppress(OSError):
                os.unlink(half)
            if not self._failed:
                self._failed = True
                logger.debug("compiled programs are not cached on disk: %s", error)
            return
        with suppress(OSError):  # another process may be clearing the folder
            self._count(_blocks(len(content)))

    def make_folder(self) -> None:
        """Create the cache folder. XLA stores its own kernel caches below it and does not create parent folders."""
        with suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)

    def contents(self) -> Contents:
        """Return the number and size of the entries."""
        found = self._entries()
        return Contents(self.folder, len(found), sum(size for _, size, _ in found))

    def clear(self) -> Contents:
        """Remove every entry, incomplete files, the counter and XLA's kernel caches. Return the previous contents."""
        before = self.contents()
        with suppress(OSError):
            for file in list(os.scandir(self.folder)):
                if file.name.endswith((ENTRY, HALF)) or file.name == COUNTER:
                    _remove(file.path)
                elif file.name.startswith("xla_gpu_"):  # XLA's own kernel caches
                    shutil.rmtree(file.path, ignore_errors=True)
        return before

    def _name(self, key: str) -> str:
        return os.path.join(self.folder, key + ENTRY)

    def _count(self, blocks: int) -> None:
        counter = os.path.join(self.folder, COUNTER)
        file = os.open(counter, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, bytes(blocks))
            counted = os.fstat(file).st_size
        finally:
            os.close(file)
        if counted == blocks or counted * BLOCK > self.limit // 8:
            self._make_room()
            os.truncate(counter, 1)  # last: if this process dies earlier, the next writer scans

    def _make_room(self) -> None:
        """Remove the least recently used entries, and incomplete files of processes that died."""
        entries = sorted(self._entries())
        excess = sum(size for _, size, _ in entries) - self.limit // 8 * 7
        for _, size, name in entries:
            if excess <= 0:
                break
            _remove(name)
            excess -= size

    def _entries(self) -> list[tuple[int, int, str]]:
        """Return the time of last use, the size in bytes (whole blocks) and the path of each entry.

        Remove abandoned incomplete files.
        """
        found = []
        try:
            files = list(os.scandir(self.folder))
        except OSError:
            return []
        for file in files:
            with suppress(OSError):  # another process may have removed the file
                if file.name.endswith(ENTRY):
                    status = file.stat()
                    found.append((status.st_mtime_ns, _blocks(status.st_size) * BLOCK, file.path))
                elif file.name.endswith(HALF) and file.stat().st_mtime < time.time() - ABANDONED:
                    os.unlink(file.path)
        return found


def _blocks(size: int) -> int:
    return -(-size // BLOCK)


def _sealed(key: str, value: bytes) -> bytes:
    return MAGIC + _checksum(key, value) + value


def _opened(key: str, content: bytes) -> bytes | None:
    end = len(MAGIC) + 16
    value = content[end:]
    return value if content[:end] == MAGIC + _checksum(key, value) else None


def _checksum(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=16, key=hashlib.blake2b(key.encode()).digest()).digest()


def _remove(name: str) -> None:
    with suppress(OSError):
        os.unlink(name)


def size_limit(given: str | None) -> int:
    """Return the value of `TORCHLIKE_CACHE_SIZE` in bytes. It is a number with an optional unit."""
    if not given:
        return DEFAULT_LIMIT
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(?:I?B)?", given.strip().upper())
    if found is None:
        raise _errors.engine.bad_cache_size(given)
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2] or " "))


cache: DiskCache | None = None  # None if JAX's own cache is configured or the disk cache is disabled


def enable() -> None:
    """Make JAX store compiled programs in torchlike's folder.

    Do nothing if the user configured a folder for JAX, set `TORCHLIKE_CACHE_SIZE` to 0, or has no home folder.
    """
    import jax

    global cache
    limit, base = size_limit(os.environ.get("TORCHLIKE_CACHE_SIZE")), _base()
    config: Any = jax.config
    if config.jax_compilation_cache_dir or not limit or base is None:
        return
    cache = DiskCache(os.path.join(base, "programs"), limit)
    jax.config.update("jax_compilation_cache_dir", cache.folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    _replace_store(cache)


def _base() -> str | None:
    """Return torchlike's cache folder, or None if the user has no home folder."""
    given = os.environ.get("TORCHLIKE_CACHE_DIR")
    if given:
        return given
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "torchlike") if os.path.isabs(home) else None


def _replace_store(ours: DiskCache) -> None:
    """Replace JAX's file store.

    JAX has no public way to do this. If this version of JAX has no such store, JAX's own cache is used, whose size is
    unbounded.
    """
    theirs = jax_private.file_store()
    if theirs is None:
        return
    plain = theirs.get_file_cache

    def get_file_cache(path: str) -> Any:
        if path != ours.folder:
            return plain(path)
        ours.make_folder()
        return ours, path

    theirs.get_file_cache = get_file_cache
