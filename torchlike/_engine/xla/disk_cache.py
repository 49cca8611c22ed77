"""Compiled programs on disk, so that a second process starts warm: shared by processes, bounded in size.

JAX says what a program's key is and calls `get` and `put`; its own store of files is replaced, see
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
BLOCK = 4096  # what files are counted in
ENTRY, HALF = ".program", ".half"  # endings: whole entries, and those still being written
COUNTER = "written"
MAGIC = b"torchlike program 1\n"
ABANDONED = 3600.0  # seconds after which a half-written file has no writer any more


class Contents(NamedTuple):
    """What a folder of programs holds, or held."""

    folder: str
    programs: int
    bytes: int


class DiskCache:
    """A folder of compiled programs, used by any number of processes at once, without locks.

    An entry appears whole or not at all: it is written under another name and renamed. It begins with a checksum, so
    what a failing disk or a power cut left of it is never taken for a program. The time of an entry's last use is its
    file's modification time.

    What was written since the last look at the whole folder is counted in the length of one file, to which each writer
    appends a byte for each block: nobody has to read the folder to know that it is time to look. When an eighth of the
    limit has been written, the writer who notices removes what was used least recently, down to seven eighths. A file
    that is new says that nobody has looked yet; the first byte of a file that was counted down stands for itself.
    """

    def __init__(self, folder: str, limit: int) -> None:
        self._path = self.folder = folder  # JAX logs `_path`
        self.limit = limit
        self._failed = False

    def get(self, key: str) -> bytes | None:
        """The entry, or None where there is none that is whole; a broken one is removed."""
        name = self._name(key)
        try:
            with open(name, "rb") as file:
                value = _opened(key, file.read())
        except OSError:
            return None
        with suppress(OSError):  # a folder that is only to be read serves as well
            os.utime(name) if value is not None else os.unlink(name)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep an entry. Nothing is raised where that cannot be: it is said once in the log."""
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
                logger.debug("compiled programs are not kept on disk: %s", error)
            return
        with suppress(OSError):  # the folder is being cleared
            self._count(_blocks(len(content)))

    def make_folder(self) -> None:
        """XLA keeps notes on its kernels below it, and makes no folder above its own."""
        with suppress(OSError):
            os.makedirs(self.folder, mode=0o700, exist_ok=True)

    def contents(self) -> Contents:
        """How much there is."""
        found = self._entries()
        return Contents(self.folder, len(found), sum(size for _, size, _ in found))

    def clear(self) -> Contents:
        """Remove every entry, also those half written; returns what there was."""
        before = self.contents()
        with suppress(OSError):
            for file in list(os.scandir(self.folder)):
                if file.name.endswith((ENTRY, HALF)) or file.name == COUNTER:
                    _remove(file.path)
                elif file.name.startswith("xla_gpu_"):  # XLA's own notes on its kernels
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
            os.truncate(counter, 1)  # last: who dies before leaves the work to the next writer

    def _make_room(self) -> None:
        """Remove what was used least recently, and what writers that died have left."""
        entries = sorted(self._entries())
        excess = sum(size for _, size, _ in entries) - self.limit // 8 * 7
        for _, size, name in entries:
            if excess <= 0:
                break
            _remove(name)
            excess -= size

    def _entries(self) -> list[tuple[int, int, str]]:
        """Time of last use, size in whole blocks and name of each entry. Halves nobody writes any more are removed."""
        found = []
        try:
            files = list(os.scandir(self.folder))
        except OSError:
            return []
        for file in files:
            with suppress(OSError):  # removed meanwhile
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
    """`TORCHLIKE_CACHE_SIZE` in bytes: a number, with or without a unit."""
    if not given:
        return DEFAULT_LIMIT
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(?:I?B)?", given.strip().upper())
    if found is None:
        raise _errors.engine.bad_cache_size(given)
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2] or " "))


cache: DiskCache | None = None  # None: the user's own choice, or nothing is kept


def enable() -> None:
    """Have JAX keep its programs in torchlike's folder, unless the user gave it one."""
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
    """The folder for everything that torchlike keeps; None for a user without a home."""
    given = os.environ.get("TORCHLIKE_CACHE_DIR")
    if given:
        return given
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "torchlike") if os.path.isabs(home) else None


def _replace_store(ours: DiskCache) -> None:
    """JAX has no public way to exchange its store. Where it has changed inside, its own is used, without a bound."""
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
