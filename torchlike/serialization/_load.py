"""Reading checkpoints."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torchlike._errors.warned import warn
from torchlike.serialization import _errors as errors
from torchlike.serialization import _legacy, _locations
from torchlike.serialization._names import is_torch, locate, python3_name
from torchlike.serialization._reader import Reader
from torchlike.serialization._storages import LoadedStorage, StorageType, checked_id, in_our_byte_order
from torchlike.serialization._weights_only import unpickle

Unpickle = Callable[[Any, Callable[[Any], Any]], Any]  # (stream, function that resolves a persistent id) -> the object

_ZIP = b"PK\3\4"


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Load a checkpoint that was written by `save` or by PyTorch's `torch.save`.

    The zip format and the format from before PyTorch 1.6 are both supported. The checksums of a zip file are verified,
    except those of memory-mapped storages. PyTorch does not verify checksums.

    Args:
      f: a path, or a seekable binary file.
      map_location: the target device of the tensors. It is a device or its name, a dict from a location in the file
          to a location, or a function `(storage, location) -> storage or None`. By default each tensor is loaded to
          the device from which it was saved.
      pickle_module: the module that replaces `pickle`. Only valid without `weights_only`.
      weights_only: if True, load only tensors, plain containers and the globals that `add_safe_globals` allows. The
          default is True, unless `pickle_module` is given. With False, the file can execute arbitrary code: use it
          only for files that you trust. The environment variable `TORCH_FORCE_WEIGHTS_ONLY_LOAD=1` makes it True for
          every call. `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1` makes False the default.
      mmap: if True, memory-map the storages instead of reading them. Requires a path.
      pickle_load_args: keyword arguments of the unpickler.

    Returns:
      The object that was saved.

    Raises:
      pickle.UnpicklingError: The file is not a checkpoint, or `weights_only` forbids an object in it.
      RuntimeError: The file is damaged, or a device is not available.

    >>> import tempfile, torchlike as torch
    >>> with tempfile.TemporaryFile() as file:
    ...     torch.save({"weight": torch.ones(2)}, file)
    ...     _ = file.seek(0)
    ...     torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    weights_only = _weights_only(weights_only, pickle_module)
    if weights_only and pickle_load_args:
        warn(errors.pickle_args_with_weights_only())
        errors.check_names(pickle_load_args)
    is_path = isinstance(f, str | os.PathLike)
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    options = {"encoding": "utf-8", **pickle_load_args}
    read = _safely(options["encoding"]) if weights_only else _fully(pickle_module or pickle, options)
    with _opened(f) as file:
        with naming(f, weights_only):
            return _load(file, read, weights_only, map_location, f if mmap else None)


def _weights_only(given: bool | None, pickle_module: Any) -> bool:
    """Return whether to load with `weights_only`, which environment variables may force."""
    forced, unforced = (
        os.environ.get(name, "0").lower() in ("1", "y", "yes", "true")
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    )
    if forced and unforced:
        raise errors.both_forced()
    if given is None and unforced:
        warn(errors.forced_without_weights_only())
        return False
    if (forced or given) and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return forced or (pickle_module is None if given is None else bool(given))


@contextmanager
def naming(f: Any, weights_only: bool) -> Iterator[None]:
    """Add the name of the file to every exception that the block raises."""
    name = os.fspath(f) if isinstance(f, str | os.PathLike) else None
    try:
        yield
    except errors.OfFile as e:
        raise e.of_file(name or "the file", weights_only) from None
    except Exception as e:
        said = e
        if weights_only and isinstance(e, pickle.UnpicklingError) and not isinstance(e, errors.NotACheckpoint):
            said = errors.wrapped(e)
        if name is not None:
            errors.note_file(said, name)
        if said is e:
            raise
        raise said from None


def _load(file: Any, read: Unpickle, weights_only: bool, map_location: Any, map_path: Any) -> Any:
    start = _peek(file)
    if start == _ZIP:
        return _load_archive(Reader(file, os.fspath(map_path) if map_path else None), read, weights_only, map_location)
    if map_path:
        raise errors.mmap_needs_zip(map_path)
    if start and start[:1] != pickle.PROTO:
        raise errors.not_a_checkpoint(start)
    return _legacy.load(file, read, weights_only, _locations.restorer(map_location))


@contextmanager
def _opened(f: Any) -> Iterator[Any]:
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            yield file
        return
    for name in ("seek", "tell", "read"):
        if not hasattr(f, name):
            raise errors.not_seekable(f, name)
    if isinstance(f, io.TextIOBase):
        raise AssertionError("Expected bytes, got str")
    yield f


def _peek(file: Any) -> bytes:
    start = file.read(4)
    file.seek(-len(start), os.SEEK_CUR)
    return start


@contextmanager
def open_archive(f: Any) -> Iterator[Reader | None]:
    """Yield the reader of a zip checkpoint, or None if the file has the legacy format."""
    with _opened(f) as file:
        yield Reader(file) if _peek(file) == _ZIP else None


def _load_archive(archive: Reader, read: Unpickle, weights_only: bool, map_location: Any) -> Any:
    if archive.has("constants.pkl"):
        raise errors.torchscript(weights_only)
    archive.check_version()
    storages = Storages(archive, map_location)
    return read(io.BytesIO(archive.read("data.pkl")), storages.get)


class Storages:
    """The storages of one archive. Each storage is read when the pickle first refers to it."""

    def __init__(self, archive: Reader, map_location: Any) -> None:
        self._archive = archive
        self._restore = _locations.restorer(map_location)
        self._is_meta = _locations.is_meta(map_location)
        self._swapped = archive.swapped()
        self._loaded: dict[str, LoadedStorage] = {}

    def get(self, saved: Any) -> Any:
        if not isinstance(saved, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(saved).__name__}")
        kind, key, location, numel = checked_id(saved, 5)
        found = self._loaded.get(key)
        if found is None:
            found = self._loaded[key] = self._restore(self._read(kind, key, numel), location)
        elif found.nbytes() != numel * kind.dtype_or_bytes().itemsize:
            raise errors.two_dtypes_in_file()
        return found.typed

    def release(self) -> None:
        """Break the reference cycles of the storages, so that their memory is freed without a garbage collection."""
        for found in self._loaded.values():
            found.__dict__.pop("typed", None)

    def _read(self, kind: StorageType, key: str, numel: int) -> LoadedStorage:
        dtype = kind.dtype_or_bytes()
        nbytes = numel * dtype.itemsize
        if self._is_meta:
            return LoadedStorage(None, nbytes, dtype)
        data = self._archive.storage(key, nbytes)
        return LoadedStorage(in_our_byte_order(data, dtype) if self._swapped else data, nbytes, dtype)


def _safely(encoding: str) -> Unpickle:
    return lambda file, persistent: unpickle(file, persistent, encoding)


def _fully(pickle_module: Any, options: dict) -> Unpickle:
    """Return a function that unpickles arbitrary objects and resolves PyTorch's names to torchlike's objects."""
    base = full_unpickler(pickle_module)

    def read(file: Any, persistent: Callable[[Any], Any]) -> Any:
        class Unpickler(base):
            def persistent_load(self, saved: Any) -> Any:
                return persistent(saved)

        return Unpickler(file, **options).load()

    return read


def full_unpickler(pickle_module: Any) -> type:
    """Return an unpickler class that loads arbitrary objects and resolves PyTorch's names to torchlike's objects."""

    class FullUnpickler(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            module, name = python3_name(module, name)
            return locate(module, name) if is_torch(module) else super().find_class(module, name)

    return FullUnpickler
