"""Storages of a checkpoint. Each has a key, an element type, a location and bytes."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

import torchlike
from torchlike._tensor.storage_io import count_rebuilt, from_storage, meta_tensor, strided_view
from torchlike.serialization import _errors as errors
from torchlike.storage import TypedStorage

Dtype = Any
_MOST = 1 << 63


@dataclass(frozen=True)
class StorageType:
    """A storage class that PyTorch's files name to specify an element type. The dtype None means untyped bytes."""

    module: str
    name: str
    dtype: Dtype | None

    def dtype_or_bytes(self) -> Dtype:
        return self.dtype or torchlike.uint8


UNTYPED = StorageType("torch.storage", "UntypedStorage", None)
TYPED = tuple(
    StorageType("torch", f"{name}Storage", getattr(torchlike, dtype))
    for name, dtype in (
        ("Float", "float32"),
        ("Double", "float64"),
        ("Half", "float16"),
        ("BFloat16", "bfloat16"),
        ("Long", "int64"),
        ("Int", "int32"),
        ("Short", "int16"),
        ("Char", "int8"),
        ("Byte", "uint8"),
        ("Bool", "bool"),
        ("ComplexFloat", "complex64"),
        ("ComplexDouble", "complex128"),
    )
)
# The storages of quantized tensors hold integers.
QUANTIZED = tuple(
    StorageType("torch", f"Q{kind}Storage", getattr(torchlike, dtype))
    for kind, dtype in (("Int8", "int8"), ("UInt8", "uint8"), ("Int32", "int32"))
)
TYPED_ON_CUDA = tuple(StorageType("torch.cuda", kind.name, kind.dtype) for kind in TYPED)
_CPU = torchlike.device("cpu")
_BY_DTYPE = {kind.dtype: kind for kind in TYPED}


def storage_type(dtype: Dtype) -> StorageType:
    """Return the storage class for a dtype, or `UNTYPED` if PyTorch has no storage class for it."""
    return _BY_DTYPE.get(dtype, UNTYPED)


def quantized_storage_type(dtype: Dtype) -> StorageType:
    """Return the storage class of quantized tensors for the dtype of their integers."""
    return next(kind for kind in QUANTIZED if kind.dtype is dtype)


@dataclass
class SavedStorage:
    """A storage to be saved. The reference `owner` prevents Python from reusing the id of the storage."""

    key: str
    flat: np.ndarray
    kind: StorageType
    location: str
    owner: object

    @property
    def numel(self) -> int:
        return self.flat.nbytes // self.kind.dtype_or_bytes().itemsize

    def bytes(self) -> memoryview:
        return np.ascontiguousarray(self.flat).reshape(-1).view(np.uint8).data


class LoadedStorage:
    """A storage that was read from a file. A `map_location` function receives such an object.

    All tensors made from one `LoadedStorage` share memory.
    """

    def __init__(self, data: np.ndarray | None, nbytes: int, dtype: Dtype, device: Any = None) -> None:
        self._data = data  # None under map_location="meta"
        self._nbytes = nbytes
        self.dtype = dtype
        self.device = _CPU if device is None else device
        self._owner: Any = None
        self._typed: weakref.ref | None = None  # weak, since it refers to this object

    def nbytes(self) -> int:
        return self._nbytes

    size = __len__ = nbytes

    def on(self, device: Any) -> LoadedStorage:
        """Return a storage with the same bytes and the target device `device`."""
        return LoadedStorage(self._data, self._nbytes, self.dtype, device)

    def cpu(self) -> LoadedStorage:
        return self if self.device is _CPU else self.on(_CPU)

    def cuda(self, device: Any = None) -> LoadedStorage:
        return self.on(torchlike.device("cuda", device or 0) if isinstance(device, int | None) else device)

    def tensor(self, dtype: Dtype, offset: int, size: tuple, stride: tuple) -> Any:
        """Return a tensor that views this storage.

        Raises:
            UnpicklingError: The tensor would exceed the storage, or an earlier tensor viewed the storage with a dtype
                of another element size.
        """
        self._check(dtype, offset, size, stride)
        if self._data is None or self.device.type == "meta":
            return strided_view(meta_tensor(dtype, (self._nbytes // dtype.itemsize,), (1,)), size, stride, offset)
        first = dtype if self._owner is None else self._owner.dtype
        if first.itemsize != dtype.itemsize:
            raise errors.two_dtypes_in_file()
        whole = self._nbytes // dtype.itemsize * dtype.itemsize
        flat = self._data[:whole].view(first.numpy)
        made, self._owner = from_storage(flat, first, size, stride, offset, self.device, self._owner)
        count_rebuilt(made)
        return made if first is dtype else made.view(dtype)

    def _check(self, dtype: Dtype, offset: int, size: tuple, stride: tuple) -> None:
        if not all(type(n) is int and n >= 0 for n in (offset, *size, *stride)) or len(size) != len(stride):
            raise errors.beyond_storage(offset, size, stride, self._nbytes)
        end = offset + sum((n - 1) * step for n, step in zip(size, stride)) + 1
        fits = offset < _MOST if 0 in size else end * dtype.itemsize <= self._nbytes
        if not fits or numel_over_limit(size):
            raise errors.beyond_storage(offset, size, stride, self._nbytes)

    def whole(self) -> Any:
        """Return a 1-D tensor of the whole storage with its element type."""
        seen = self.dtype if self._owner is None else self._owner.dtype
        made = self.tensor(seen, 0, (self._nbytes // seen.itemsize,), (1,))
        return made if seen is self.dtype else made.view(self.dtype)

    @property
    def typed(self) -> Any:
        """The `TypedStorage` that the pickle and the user receive."""
        made = None if self._typed is None else self._typed()
        if made is None:
            made = TypedStorage._of_file(self)
            self._typed = weakref.ref(made)
        return made


def numel_over_limit(size: tuple) -> bool:
    """Return whether the product of the nonzero dims of `size` is 2^63 or more."""
    return math.prod(n for n in size if n) >= _MOST


def checked_id(saved: Any, length: int) -> tuple[StorageType, str, str, int]:
    """Return the kind, key, location and number of elements of ("storage", kind, key, location, number, ...).

    Raises:
        UnpicklingError: `saved` does not have this form.
    """
    if type(saved) is not tuple or len(saved) != length or type(saved[1]) is not StorageType:
        raise errors.bad_persistent_id()
    kind, key, location, numel = saved[1:5]
    if type(numel) is not int or not 0 <= numel < 1 << 60:
        raise errors.bad_persistent_id()
    return kind, text(key), text(location), numel


def text(name: Any) -> str:
    """Return a key or location as a string. Files from Python 2 store it as bytes."""
    if type(name) is bytes and name.isascii():
        return name.decode("ascii")
    if type(name) is not str:
        raise errors.bad_persistent_id()
    return name


def in_our_byte_order(data: np.ndarray, dtype: Dtype) -> np.ndarray:
    """Convert bytes from the opposite byte order. The parts of a complex number are swapped separately."""
    size = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
    return np.ascontiguousarray(data.reshape(-1, size)[:, ::-1]).reshape(-1)
