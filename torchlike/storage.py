"""Storages: the memory behind tensors, as bytes or as elements of one dtype."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import ref

from torchlike import _dtypes, _errors
from torchlike._composite.views.memory import enlarge, in_memory_order
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._errors.warned import warn
from torchlike._tensor import exchange, public_calls
from torchlike._tensor.shared_storage import show
from torchlike._tensor.storage import Counter, Handle
from torchlike._tensor.tensor import Tensor

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)
_LEGACY_NAMES = {
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "float32": "Float",
    "float64": "Double",
    "bool": "Bool",
    "bfloat16": "BFloat16",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


class _Memory(Handle):
    """The base class of both kinds of storage: a handle to the storage of a tensor."""

    _tensor: Tensor | Any

    def _elements(self) -> Tensor:
        """Return the memory as a one-dimensional tensor."""
        if not self._tensor._storage.whole.nbytes:  # an empty or freed storage
            from torchlike._tensor import factories

            return factories.empty(0, dtype=self._kind(), device=self.device)
        made = in_memory_order(self._tensor).view(self._kind())
        made._counter = Counter(True)  # saved tensors are not checked against writes through a storage
        return made

    def _kind(self) -> Dtype:
        raise NotImplementedError

    def _no_index(self, index: Any) -> Exception:
        raise NotImplementedError

    @property
    def device(self) -> Device:
        """The device of the memory."""
        return self._tensor.device

    @property
    def _cdata(self) -> int:
        return id(self._tensor._storage.whole)

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        return show(self._tensor._storage.whole) if self.nbytes() and self.device.type != "meta" else 0

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return self._tensor._storage.whole.nbytes

    def size(self) -> int:
        """Return the number of elements; for an untyped storage, the number of bytes."""
        return self.nbytes() // self.element_size()

    __len__ = size

    def element_size(self) -> int:
        """Return the number of bytes per element."""
        return self._kind().itemsize

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def tolist(self) -> list:
        """Return the elements as a list of Python numbers."""
        if self.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        return self._elements().tolist()

    def _host(self) -> Any:
        return self._elements()._host()

    def _seen_as(self, dtype: Dtype | None) -> Tensor:
        return self._elements().view(_dtypes.uint8).view(dtype or _dtypes.int64)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, int):
            raise self._no_index(index)
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return self._elements()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, int) and not -self.size() <= index < self.size():
            raise RuntimeError("out of bounds")
        self._elements()[index] = value

    def fill_(self, value: Any) -> Any:
        """Set every element to `value`."""
        if self._kind() is _dtypes.uint8 and not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        self._elements().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> Any:
        """Overwrite the elements with those of the storage `source`."""
        if not isinstance(source, _Memory):
            kind = type(source).__name__
            raise TypeError(f"copy_(): argument 'src' (position 1) must be torch.Storage, not {kind}")
        if self.nbytes() != source.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._elements().copy_(source._elements())
        return self

    def clone(self) -> Any:
        """Return a copy of this storage."""
        return self._of(self._elements().clone())

    def _of(self, tensor: Tensor) -> Any:
        made = object.__new__(type(self))
        made._tensor = tensor
        return made

    def cpu(self) -> Any:
        """Return this storage if it is on the CPU, else a copy of it on the CPU."""
        return self if self.device.type == "cpu" else self._of(self._elements().cpu())

    @property
    def is_cuda(self) -> bool:
        """True if the memory is on a GPU."""
        return self.device.type == "cuda"

    is_sparse = property(lambda self: False, doc="Always False: a storage is not sparse.")

    def is_pinned(self) -> bool:
        """Return whether the memory is that of a tensor for which `is_pinned()` is True."""
        return self._tensor.is_pinned()

    def is_shared(self) -> bool:
        """Return whether processes can share the memory: on the CPU after `share_memory_`, always on other devices."""
        return self._tensor.is_shared()

    def resizable(self) -> bool:
        """Return whether the storage can be resized. Memory borrowed from NumPy cannot be resized."""
        return self._tensor._storage.resizable

    def resize_(self, size: int) -> Any:
        """Resize the storage to `size` elements; for an untyped storage, to `size` bytes.

        New memory is zeroed. All tensors that share the storage share the new memory. A size of 0 frees the contents:
        tensors over the storage cannot be read or written until it has its former size again.

        Raises:
          NotImplementedError: `size` is below the current size and not 0.
        """
        from torchlike._tensor.freed_storage import free

        if not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        if not self.resizable():
            raise _errors.memory.not_resizable()
        if size < 0:
            raise RuntimeError(f"resize_: a storage cannot have a negative size, but got {size}")
        if 0 != size < self.size():
            raise _errors.arguments.unsupported(f"{type(self).__name__}.resize_", "size (smaller than before)")
        if size > self.size():
            enlarge(self._tensor, size * self.element_size())
        elif size < self.size():
            free(self._tensor._storage.whole)
        return self

    def share_memory_(self) -> Any:
        """Move CPU memory to shared memory, as `Tensor.share_memory_` does, and return the storage."""
        self._tensor.share_memory_()
        return self

    def get_device(self) -> int:
        """Return the index of the accelerator that holds the memory; -1 for the CPU."""
        return self._tensor.get_device()


def _converting(name: str, dtype: Dtype) -> Callable[[_Memory], TypedStorage]:
    def method(self: _Memory) -> TypedStorage:
        return TypedStorage._over(self._elements().to(dtype))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return a storage with the elements cast to {dtype!r}."
    return method


class UntypedStorage(_Memory):
    """The memory behind a tensor, as bytes.

    `UntypedStorage(n)` allocates n zero bytes. `UntypedStorage([...])` has the bytes of the list.

    Args:
      data: the number of bytes, which are zeros, or a sequence of bytes.
      device: the device. Default: the CPU.
    """

    def __init__(self, data: Any = 0, *, device: Any = None) -> None:
        from torchlike._tensor import factories

        if not isinstance(data, int | Sequence):
            kind = type(data).__name__
            raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {kind}")
        made = factories.zeros if isinstance(data, int) else factories.tensor
        self._tensor = made(data if isinstance(data, int) else _bytes(data), dtype=_dtypes.uint8, device=device)
        self._tensor._storage._seen_as = ref(self)

    @classmethod
    def _over(cls, tensor: Tensor) -> UntypedStorage:
        """Return a new storage object for the memory of a tensor."""
        made = object.__new__(cls)
        made._tensor = tensor
        return made

    _part: tuple[int, int] | None = None  # the byte range of a slice; None for a whole storage

    @classmethod
    def _of_memory(cls, tensor: Tensor) -> UntypedStorage:
        """Return the storage object for the memory of a tensor. An existing object is reused while it is alive."""
        storage = tensor._storage.whole
        known = getattr(storage, "_seen_as", None)
        found = None if known is None else known()
        if found is None:
            found = cls._over(tensor.detach())
            storage._seen_as = ref(found)
        return found

    def _kind(self) -> Dtype:
        return _dtypes.uint8

    def __getitem__(self, index: Any) -> Any:
        return self._slice(index) if isinstance(index, slice) else super().__getitem__(index)

    def _slice(self, index: slice) -> UntypedStorage:
        if index.step not in (None, 1):
            raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
        start, stop, _ = index.indices(self.size())
        made = self._of(self._tensor)
        before = 0 if self._part is None else self._part[0]
        made._part = before + start, before + max(start, stop)
        return made

    def _no_index(self, index: Any) -> Exception:
        return TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, int):
            kind = type(value).__name__
            raise RuntimeError(f"can only set storage content with a int types, but got {kind} instead")
        super().__setitem__(index, value)

    def _elements(self) -> Tensor:
        whole = super()._elements()
        return whole if self._part is None else whole[slice(*self._part)]

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return super().nbytes() if self._part is None else self._part[1] - self._part[0]

    def data_ptr(self) -> int:
        """Return the address of the first byte."""
        address = super().data_ptr()
        return address + self._part[0] if address and self._part is not None else address

    @property
    def _cdata(self) -> int:
        return id(self._tensor._storage.whole if self._part is None else self)

    def resizable(self) -> bool:
        """Return whether the storage can be resized. Slices and memory borrowed from NumPy cannot be resized."""
        return self._part is None and super().resizable()

    filename = property(lambda self: None, doc="The name of the shared-memory file: always None.")

    def new(self) -> UntypedStorage:
        """Return an empty storage on the same device."""
        return UntypedStorage(0, device=self.device)

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """Return this storage if it is on `device`, else a copy of it on `device`."""
        place = Device(device)
        return self if place == self.device else self._of(self._elements().to(place))

    def byteswap(self, dtype: Dtype) -> None:
        """Reverse the bytes of each element in place.

        For a complex `dtype`, reverse those of the real and of the imaginary part.
        """
        item = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        elements = self._elements()
        elements.copy_(elements.view(-1, item).flip(1).view(-1))

    @staticmethod
    def from_buffer(
        buffer: Any, *, dtype: Dtype, byte_order: str | None = None, count: int = -1, offset: int = 0
    ) -> UntypedStorage:
        """Return a storage with a copy of a buffer's elements, in the byte order of this machine.

        Args:
          buffer: an object with the buffer protocol.
          dtype: the dtype of the elements.
          byte_order: the byte order of the buffer: "native", "little" or "big"; required for elements of several bytes.
          count: the number of elements; a negative number means all of them.
          offset: the number of bytes to skip.
        """
        return _from_buffer(buffer, dtype, byte_order, count, offset)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._cdata == self._cdata

    def __hash__(self) -> int:
        return self._cdata

    def untyped(self) -> UntypedStorage:
        """Return this storage."""
        return self

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Return a storage with the first `nbytes` bytes of a file.

        If `shared` is true, writes go to the file, which is extended if it is too short.
        """
        return UntypedStorage._over(exchange.from_file(filename, shared, nbytes, dtype=_dtypes.uint8))

    def type(self) -> str:
        """Return the name of this class."""
        return "torch.storage.UntypedStorage"

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def _bytes(data: Any) -> list:
    wrong = next((x for x in data if not isinstance(x, int)), None)
    if wrong is not None:
        raise RuntimeError(
            "torch.UntypedStorage(): tried to construct a storage from a sequence "
            f"({type(data).__name__}), but one of the items was of type {type(wrong).__name__} instead of int"
        )
    return [x % 256 for x in data]


def _from_buffer(buffer: Any, dtype: Dtype, byte_order: str | None, count: int, offset: int) -> UntypedStorage:
    item = dtype.itemsize
    if byte_order is None and item > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "native", "little", "big"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    data = bytes(memoryview(buffer).cast("B"))
    if not 0 <= offset <= len(data):
        raise ValueError(
            f"offset must be non-negative and no greater than buffer length ({offset}) , but got {len(data)}"
        )
    if count < 0 and (len(data) - offset) % item:
        raise ValueError(f"buffer size ({len(data)}) must be a multiple of element size ({item})")
    stop = len(data) if count < 0 else offset + count * item
    if stop > len(data):
        held = (len(data) - offset) // item
        raise ValueError(f"buffer has only {held} elements after offset {offset}, but specified a size of {count}")
    made = UntypedStorage(list(data[offset:stop]))
    if byte_order not in (None, "native", sys.byteorder):
        made.byteswap(dtype)
    return made


class TypedStorage(_Memory):
    """The memory behind a tensor, as elements of its dtype (deprecated in PyTorch).

    Args:
      data: the number of elements, which are zeros, or a sequence of elements.
      wrap_storage: the memory to use.
      dtype: the dtype of the elements. Default: the default dtype.
      device: the device. Default: the CPU.
    """

    is_typed = True

    def __init__(
        self,
        data: Any = 0,
        *,
        wrap_storage: UntypedStorage | None = None,
        dtype: Dtype | None = None,
        device: Any = None,
    ) -> None:
        warn(_DEPRECATED)
        kind = dtype or modes.default_dtype
        if wrap_storage is not None:
            data = wrap_storage._seen_as(kind)
        elif not isinstance(data, Tensor):
            from torchlike._tensor import factories

            made = factories.zeros if isinstance(data, int) else factories.tensor
            data = made(data, dtype=kind, device=device)
        self._tensor = data

    _file_storage: Any = None  # the storage in the checkpoint file, if `load` made this object

    @functools.cached_property
    def _tensor(self) -> Tensor:
        return self._file_storage.whole()

    @classmethod
    def _of_file(cls, storage: Any) -> TypedStorage:
        """Return a storage that `load` reads. The tensor over it is created on first use."""
        made = object.__new__(cls)
        made._file_storage = storage
        return made

    @classmethod
    def _over(cls, tensor: Tensor) -> TypedStorage:
        made = object.__new__(cls)
        made._tensor = tensor
        return made

    def _kind(self) -> Dtype:
        return self._tensor.dtype

    @property
    def dtype(self) -> Dtype:
        """The dtype of the elements."""
        return self._tensor.dtype

    def untyped(self) -> UntypedStorage:
        """Return the same memory as an untyped storage."""
        return UntypedStorage._of_memory(self._tensor)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def _no_index(self, index: Any) -> Exception:
        return RuntimeError(f"can't index a <class 'torch.storage.TypedStorage'> with {type(index)}")

    @classmethod
    def from_buffer(
        cls, buffer: Any, *, dtype: Dtype | None = None, byte_order: str | None = None, count: int = -1, offset: int = 0
    ) -> TypedStorage:
        """Return a storage with a copy of a buffer's elements; see `UntypedStorage.from_buffer`."""
        kind = dtype or getattr(cls, "dtype", None)
        if not isinstance(kind, Dtype):
            raise _errors.arguments.missing("from_buffer", "dtype")
        held = UntypedStorage.from_buffer(buffer, dtype=kind, byte_order=byte_order, count=count, offset=offset)
        return TypedStorage(wrap_storage=held, dtype=kind)

    def pickle_storage_type(self) -> str:
        """Return the class name that checkpoints use for this storage, such as `FloatStorage`."""
        return _LEGACY_NAMES[self.dtype.name] + "Storage"

    def type(self) -> str:
        """Return the name of PyTorch's legacy class for this dtype."""
        return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist()))
        head = f"[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of size {len(self)}]"
        return f"{lines}\n{head}"


class _OfOneType(type):
    """The metaclass of the legacy storage classes.

    Every storage is a `TypedStorage`, so `isinstance` compares the dtype and the device.
    """

    dtype: Dtype
    device_type = "cpu"

    def __instancecheck__(cls, instance: Any) -> bool:
        is_of = type(instance) is TypedStorage and instance.dtype is cls.dtype
        return is_of and instance.device.type == cls.device_type


class _LegacyStorage(TypedStorage, metaclass=_OfOneType):
    """PyTorch's legacy class of CPU storages of one dtype. The constructor returns a `TypedStorage`.

    The argument is a size (the elements are zeros), a sequence of elements, or the memory `wrap_storage`.

    Args:
      args: nothing, a size or a sequence of elements.
      wrap_storage: the memory to use.
    """

    def __new__(cls, *args: Any, wrap_storage: Any = None) -> Any:
        if len(args) > 1:
            raise RuntimeError(_errors.making.old_storage(cls._shown(), "Too many positional arguments"))
        if args and wrap_storage is not None:
            wrong = "No positional arguments should be given when using 'wrap_storage'"
            raise RuntimeError(_errors.making.old_storage(cls._shown(), wrong))
        if wrap_storage is not None and not isinstance(wrap_storage, UntypedStorage):
            got = f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
            raise TypeError(_errors.making.old_storage(cls._shown(), got))
        if wrap_storage is not None and wrap_storage.device.type != cls.device_type:
            got = f"Device of 'wrap_storage' must be {cls.device_type}, but got {wrap_storage.device.type}"
            raise RuntimeError(_errors.making.old_storage(cls._shown(), got))
        if args and not isinstance(args[0], int | Sequence):
            got = str(type(args[0])).replace("torchlike._tensor.tensor", "torch")
            raise TypeError(_errors.making.old_storage(cls._shown(), f"Argument type not recognized: {got}"))
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, device=cls.device_type)

    @classmethod
    def _shown(cls) -> str:
        """Return the name of the class in messages."""
        return f"{cls.__module__}.{cls.__name__}".partition(".")[2]


def _legacy(dtype: Dtype, base: type = _LegacyStorage, module: str = "torchlike") -> Any:
    name = _LEGACY_NAMES[dtype.name] + "Storage"
    return _OfOneType(name, (base,), {"dtype": dtype, "__doc__": base.__doc__, "__module__": module})


ByteStorage, CharStorage, ShortStorage = map(_legacy, (_dtypes.uint8, _dtypes.int8, _dtypes.int16))
IntStorage, LongStorage, BoolStorage = map(_legacy, (_dtypes.int32, _dtypes.int64, _dtypes.bool_))
HalfStorage, BFloat16Storage, FloatStorage = map(_legacy, (_dtypes.float16, _dtypes.bfloat16, _dtypes.float32))
DoubleStorage, ComplexFloatStorage = map(_legacy, (_dtypes.float64, _dtypes.complex64))
ComplexDoubleStorage = _legacy(_dtypes.complex128)
Storage = FloatStorage

_CONVERSIONS = {
    "bool": _dtypes.bool_,
    "byte": _dtypes.uint8,
    "char": _dtypes.int8,
    "short": _dtypes.int16,
    "int": _dtypes.int32,
    "long": _dtypes.int64,
    "half": _dtypes.float16,
    "bfloat16": _dtypes.bfloat16,
    "float": _dtypes.float32,
    "double": _dtypes.float64,
    "complex_float": _dtypes.complex64,
    "complex_double": _dtypes.complex128,
}
for _name, _dtype in _CONVERSIONS.items():
    setattr(_Memory, _name, _converting(_name, _dtype))


def untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the memory of this tensor as bytes.

    Repeated calls return the same object while a reference to it exists.
    """
    return UntypedStorage._of_memory(self)


def storage(self: Tensor) -> TypedStorage:
    """Return the memory of this tensor as elements of its dtype (deprecated in PyTorch; use `untyped_storage`)."""
    return TypedStorage(self.detach())


def is_storage(obj: Any) -> bool:
    """Return whether `obj` is a storage.

    Args:
      obj: any object.
    """
    return isinstance(obj, TypedStorage | UntypedStorage)


FUNCTIONS = {"UntypedStorage": UntypedStorage, "TypedStorage": TypedStorage} | public_calls.functions(is_storage)
METHODS = {"untyped_storage": untyped_storage, "storage": storage}
