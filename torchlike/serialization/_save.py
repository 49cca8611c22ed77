"""Writing checkpoints."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import FunctionType
from typing import IO, Any

import torchlike
from torchlike._quantized import QuantizedTensor
from torchlike._quantized._tensor import PerTensor
from torchlike._tensor.hooks import warn_of_lost_hooks
from torchlike._tensor.storage import marks
from torchlike._tensor.storage_io import storage_of
from torchlike.nn.parameter import UninitializedTensorMixin
from torchlike.serialization import _errors as errors
from torchlike.serialization import _legacy_save, _rebuild, _storages, _tensors
from torchlike.serialization._archive import ALIGNMENT, Writer
from torchlike.serialization._atomic import replacing
from torchlike.serialization._classes import wrappers
from torchlike.serialization._names import torch_name
from torchlike.serialization._storages import SavedStorage
from torchlike.serialization._streams import flush
from torchlike.storage import TypedStorage, UntypedStorage

FileLike = str | os.PathLike | IO[bytes]


def save(
    obj: object,
    f: FileLike,
    pickle_module: Any = pickle,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Save an object to a file in PyTorch's checkpoint format.

    Tensors that share a storage also share it in the file, and each storage is saved completely. `torch.load` can read
    the file, with `weights_only=True` if the contents permit it.

    If `f` is a path, the file is replaced atomically: the old file stays until the new file is complete and on disk.
    The file is overwritten in place if a replacement would change more than its contents: a file with several hard
    links, a file in a read-only directory, or a file whose owner cannot be preserved.

    Args:
      obj: the object to save: tensors, modules, state dicts, or any object that can be pickled.
      f: a path, or an object with a `write` method.
      pickle_module: must be `pickle`.
      pickle_protocol: the pickle protocol. Loading with `weights_only=True` requires protocol 2.
      _use_new_zipfile_serialization: if False, use the format from before PyTorch 1.6.
      _disable_byteorder_record: if True, omit the record of the byte order.

    Raises:
      AttributeError: `f` is neither a path nor an object with a `write` method.
      RuntimeError: The file cannot be opened, or tensors view one storage with different dtypes.
      OSError: The file cannot be written completely.
      NotImplementedError: `pickle_module` is not `pickle`.

    >>> import io, torchlike
    >>> file = io.BytesIO()
    >>> torchlike.save({"step": 3}, file)
    >>> _ = file.seek(0)
    >>> torchlike.load(file)
    {'step': 3}
    """
    if pickle_module is not pickle:
        raise NotImplementedError("save: pickle_module other than pickle is not supported")
    path = os.fsdecode(f) if isinstance(f, str | os.PathLike) else None
    if path is None and not hasattr(f, "write"):
        raise errors.not_writable()
    is_archive = _use_new_zipfile_serialization
    name = _archive_name(path) if is_archive else ""
    # Pickling can fail or call user code, so it happens before the file is opened.
    pickled, storages = _pickle(obj, pickle_protocol, () if is_archive else _legacy_save.MORE_OF_AN_ID)
    with _opened(f, path, is_archive) as file:
        if is_archive:
            _write(file, name, pickled, storages, not _disable_byteorder_record)
        else:
            _legacy_save.write(file, pickled, storages, pickle_protocol)
        flush(file)


def _archive_name(path: str | None) -> str:
    """Return the name of the top-level folder in the archive.

    As in PyTorch, it is the name of the file without extension, or "archive" if the path is not ASCII.
    """
    if path is None or not path.isascii():
        return "archive"
    base = os.path.basename(path)
    name = base.rpartition(".")[0] if "." in base else base
    if not name:
        raise RuntimeError(f"invalid file name: {path}")
    return name


@contextmanager
def _opened(f: Any, path: str | None, is_archive: bool) -> Iterator[Any]:
    """Yield the output stream.

    PyTorch opens legacy files and archives with a non-ASCII path with `open`, which raises `OSError`. It opens other
    archives with its own writer, which raises `RuntimeError`.
    """
    if path is None:
        yield f
        return
    with ExitStack() as stack:
        if not is_archive or not path.isascii():
            yield stack.enter_context(replacing(path))
            return
        parent = os.path.dirname(path)
        if parent and not os.path.isdir(parent):
            raise RuntimeError(f"Parent directory {parent} does not exist.")
        try:
            file = stack.enter_context(replacing(path))
        except OSError as e:
            raise RuntimeError(f"open file failed with strerror: {e.strerror}: {path}") from None
        yield file


def _pickle(obj: object, protocol: int, more_of_an_id: tuple) -> tuple[bytes, list[SavedStorage]]:
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, protocol, more_of_an_id)
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


class _Pickler(pickle._Pickler):
    """A pickler that writes torchlike's objects under PyTorch's names.

    The base class is the Python pickler, because the C pickler imports every name that it writes.
    """

    write: Callable[[bytes], Any]
    memoize: Callable[[Any], None]

    def __init__(self, file: IO[bytes], protocol: int, more_of_an_id: tuple) -> None:
        super().__init__(file, protocol)
        self.storages: dict[int, SavedStorage] = {}
        self._more_of_an_id = more_of_an_id

    def persistent_id(self, obj: Any) -> Any:
        if isinstance(obj, TypedStorage):
            obj = self._storage(obj._tensor, _storages.storage_type(obj.dtype))
        elif isinstance(obj, UntypedStorage):
            obj = self._storage(obj._tensor, _storages.UNTYPED)
        elif not isinstance(obj, SavedStorage):
            return None
        return ("storage", obj.kind, obj.key, obj.location, obj.numel, *self._more_of_an_id)

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
            try:
                super().save_global(obj, name)  # type: ignore[misc]
            except pickle.PicklingError:
                pickle.dumps(obj)  # the C pickler, which PyTorch uses, has other messages
                raise
            return
        self.write(pickle.GLOBAL + "{}\n{}\n".format(*known).encode())
        self.memoize(obj)

    dispatch = {**pickle._Pickler.dispatch, FunctionType: save_global}  # type: ignore[attr-defined]

    def _reduce(self, tensor: Any) -> tuple:
        if isinstance(tensor, UninitializedTensorMixin):
            return type(tensor), (tensor.requires_grad, tensor.device, tensor.dtype)
        if isinstance(tensor, QuantizedTensor):
            return self._reduce_quantized(tensor)
        if tensor.layout is torchlike.jagged:
            return _rebuild.rebuild_njt, (_tensors.members_of_nested(tensor),)
        if wrappers.is_wrapper(type(tensor)):
            warn_of_lost_hooks(tensor)
            rebuild, described = wrappers.rebuild_wrapper_subclass, wrappers.describe(tensor)
            return _rebuild.rebuild_from_type_v2, (rebuild, type(tensor), tuple(described), tensor._state_for_file())
        is_strided = tensor.layout is torchlike.strided  # sparse tensors have PyTorch's own form in files
        if is_strided and type(tensor).__reduce_ex__ is not torchlike.Tensor.__reduce_ex__:
            return tensor.__reduce_ex__(2)
        state = _tensors.attributes(tensor) or None
        if isinstance(tensor, torchlike.nn.Parameter):
            args = (tensor.data, tensor.requires_grad, OrderedDict())
            if state is None:
                return _rebuild.rebuild_parameter, args
            return _rebuild.rebuild_parameter_with_state, (*args, state)
        warn_of_lost_hooks(tensor)
        function, args = self._reduce_data(tensor)
        if state is None and (type(tensor) is torchlike.Tensor or tensor.layout is not torchlike.strided):
            return function, args
        return _rebuild.rebuild_from_type_v2, (function, type(tensor), args, state)

    def _reduce_data(self, tensor: Any) -> tuple:
        if tensor.layout is not torchlike.strided:
            return _rebuild.rebuild_sparse_tensor, (tensor.layout, _tensors.members(tensor))
        # Create new tuples for each tensor. The pickler would write a shared tuple once, unlike PyTorch.
        size, stride = (tuple(iter(numbers)) for numbers in (tensor.shape, tensor.stride()))
        if tensor.device.type == "meta":
            return _rebuild.rebuild_meta_tensor_no_storage, (tensor.dtype, size, stride, tensor.requires_grad)
        storage = self._storage(tensor, _storages.storage_type(tensor.dtype))
        args = (storage, tensor.storage_offset(), size, stride, tensor.requires_grad, OrderedDict())
        metadata = (dict.fromkeys(marks(tensor), True),) if marks(tensor) else ()
        if storage.kind is _storages.UNTYPED:
            return _rebuild.rebuild_tensor_v3, (*args, tensor.dtype, *metadata)
        return _rebuild.rebuild_tensor_v2, (*args, *metadata)

    def _reduce_quantized(self, tensor: QuantizedTensor) -> tuple:
        ints, at = tensor._ints, tensor._quantizer
        storage = self._storage(ints, _storages.quantized_storage_type(ints.dtype))
        size, stride = (tuple(iter(numbers)) for numbers in (ints.shape, ints.stride()))
        parameters: tuple
        if isinstance(at, PerTensor):
            parameters = (torchlike.per_tensor_affine, at.scale, at.zero_point)
        else:
            parameters = (torchlike.per_channel_affine, at.scales, at.zero_points, at.axis)
        args = (storage, ints.storage_offset(), size, stride, parameters, False, OrderedDict())
        return _rebuild.rebuild_qtensor, args

    def _storage(self, tensor: Any, kind: _storages.StorageType) -> SavedStorage:
        owner, flat = storage_of(tensor)
        found = self.storages.get(id(owner))
        if found is None:
            found = SavedStorage(str(len(self.storages)), flat, kind, str(tensor.device), owner)
            self.storages[id(owner)] = found
        if found.kind.dtype_or_bytes() is not kind.dtype_or_bytes():
            raise RuntimeError("Cannot save multiple tensors or storages that view the same data as different types")
        return found if found.kind is kind else replace(found, kind=kind)
