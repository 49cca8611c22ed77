"""Writing checkpoints."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

import torchlike
from torchlike._storage_io import storage_of
from torchlike.serialization import _errors as errors
from torchlike.serialization import _rebuild, _tensors
from torchlike.serialization._archive import ALIGNMENT, Writer
from torchlike.serialization._atomic import replacing
from torchlike.serialization._names import torch_name
from torchlike.serialization._storages import UNTYPED, SavedStorage
from torchlike.serialization._streams import flush

FileLike = str | os.PathLike | IO[bytes]


def save(
    obj: object,
    f: FileLike,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write `obj` (tensors, modules, state dicts and anything that pickles) in PyTorch's checkpoint format.

    Tensors that share storage share it in the file; each storage is written whole. `torch.load` reads the file, with
    `weights_only=True` where the contents allow it. A file given by name is replaced in one step: until the new one
    is complete and on disk the old one stays. It is written in place where replacing it would change more than its
    contents: through a hard link, in a directory that is read-only, or where its owner cannot be kept.

    Args:
        obj: what to save.
        f: a path, or an object with `write`.
        pickle_module: only `pickle`.
        pickle_protocol: of the object's pickle; `weights_only` loading reads protocol 2.

    Raises:
        AttributeError: `f` is neither a path nor has `write`.
        RuntimeError: the file cannot be opened, or tensors see one storage as different dtypes.
        OSError: the file cannot be written to its end.
        NotImplementedError: another `pickle_module`, or the format from before PyTorch 1.6.

    >>> import io, torchlike
    >>> file = io.BytesIO()
    >>> torchlike.save({"step": 3}, file)
    >>> _ = file.seek(0)
    >>> torchlike.load(file)
    {'step': 3}
    """
    if pickle_module is not pickle:
        raise NotImplementedError("save: pickle_module other than pickle is not supported")
    if not _use_new_zipfile_serialization:
        raise NotImplementedError("save: _use_new_zipfile_serialization=False is not supported")
    path = os.fsdecode(f) if isinstance(f, str | os.PathLike) else None
    if path is None and not hasattr(f, "write"):
        raise errors.not_writable()
    name = _archive_name(path)
    # Pickling may fail or call user code: it comes before the file is touched.
    pickled, storages = _pickle(obj, pickle_protocol)
    with _opened(f, path) as file:
        _write(file, name, pickled, storages, not _disable_byteorder_record)
        flush(file)


def _archive_name(path: str | None) -> str:
    """Return the name of the archive's folder. PyTorch names it after the file, unless the path is not ASCII."""
    if path is None or not path.isascii():
        return "archive"
    base = os.path.basename(path)
    name = base.rpartition(".")[0] if "." in base else base
    if not name:
        raise errors.invalid_file_name(path)
    return name


@contextmanager
def _opened(f: Any, path: str | None) -> Iterator[Any]:
    """Yield the stream to write to. PyTorch opens paths that are not ASCII by `open`, hence their other errors."""
    if path is None:
        yield f
        return
    with ExitStack() as stack:
        if not path.isascii():
            yield stack.enter_context(replacing(path))
            return
        parent = os.path.dirname(path)
        if parent and not os.path.isdir(parent):
            raise errors.no_parent(parent)
        try:
            file = stack.enter_context(replacing(path))
        except OSError as e:
            raise errors.not_opened(path, e.strerror) from None
        yield file


def _pickle(obj: object, protocol: int) -> tuple[bytes, list[SavedStorage]]:
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, protocol)
    pickler.dump(obj)
    return buffer.getvalue(), list(pickler.storages.values())


def _write(file: Any, name: str, pickled: bytes, storages: list[SavedStorage], byteorder: bool) -> None:
    archive = Writer(file, name)
    archive.write("data.pkl", pickled)
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(ALIGNMENT).encode())
    if byteorder:
        archive.write("byteorder", sys.byteorder.encode())
    for storage in storages:
        archive.write(f"data/{storage.key}", storage.bytes())
    archive.write("version", b"3\n")
    archive.write(".data/serialization_id", archive.identity())
    archive.close()


class _Pickler(pickle._Pickler):  # type: ignore[misc,name-defined]
    """Writes torchlike's objects under PyTorch's names.

    The Python pickler rather than the C one, which insists on importing every name it writes.
    """

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: dict[int, SavedStorage] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, SavedStorage):
            return None
        return ("storage", obj.kind, obj.key, obj.location, obj.numel)

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, torchlike.Tensor):
            return self._reduce(obj)
        if isinstance(obj, torchlike.layout):
            return _rebuild.get_layout, (repr(obj),)
        if isinstance(obj, torchlike.device):
            return torchlike.device, (obj.type,) if obj.index is None else (obj.type, obj.index)
        known = torch_name(obj)
        return NotImplemented if known is None else known[1]

    def save_global(self, obj: Any, name: str | None = None) -> None:
        known = torch_name(obj)
        if known is None:
            super().save_global(obj, name)
            return
        self.write(pickle.GLOBAL + "{}\n{}\n".format(*known).encode())
        self.memoize(obj)

    def _reduce(self, tensor: Any) -> tuple:
        state = _tensors.attributes(tensor) or None
        if isinstance(tensor, torchlike.nn.Parameter):
            args = (tensor.data, tensor.requires_grad, OrderedDict())
            if state is None:
                return _rebuild.rebuild_parameter, args
            return _rebuild.rebuild_parameter_with_state, (*args, state)
        function, args = self._reduce_data(tensor)
        if state is None and (type(tensor) is torchlike.Tensor or tensor.layout is not torchlike.strided):
            return function, args
        return _rebuild.rebuild_from_type_v2, (function, type(tensor), args, state)

    def _reduce_data(self, tensor: Any) -> tuple:
        if tensor.layout is not torchlike.strided:
            return _rebuild.rebuild_sparse_tensor, (tensor.layout, _tensors.members(tensor))
        # Tuples of this tensor's own: one that two tensors share would be written once, as PyTorch never does.
        size, stride = (tuple(iter(numbers)) for numbers in (tensor.shape, tensor.stride()))
        if tensor.device.type == "meta":
            return _rebuild.rebuild_meta_tensor_no_storage, (tensor.dtype, size, stride, tensor.requires_grad)
        storage = self._storage(tensor)
        args = (storage, tensor.storage_offset(), size, stride, tensor.requires_grad, OrderedDict())
        if storage.kind is UNTYPED:
            return _rebuild.rebuild_tensor_v3, (*args, tensor.dtype)
        return _rebuild.rebuild_tensor_v2, args

    def _storage(self, tensor: Any) -> SavedStorage:
        owner, flat = storage_of(tensor)
        found = self.storages.get(id(owner))
        if found is None:
            key = str(len(self.storages))
            found = SavedStorage(key, flat, tensor.dtype, str(tensor.device), owner)
            self.storages[id(owner)] = found
        if found.dtype is not tensor.dtype:
            raise errors.two_dtypes()
        return found
