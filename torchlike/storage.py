"""Storages: the memory behind tensors, as bytes or as elements of one type."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torchlike import _dtypes, _errors, _exchange, _modes
from torchlike._device import device as Device
from torchlike._dtypes import dtype as Dtype
from torchlike._shared import show
from torchlike._storage import Counter
from torchlike._tensor import Tensor

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)
_LEGACY_NAMES = {"uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "float16": "Half",
                 "float32": "Float", "float64": "Double", "bool": "Bool", "bfloat16": "BFloat16",
                 "complex64": "ComplexFloat", "complex128": "ComplexDouble"}  # fmt: skip


class _Memory:
    """What both kinds of storage are: a look at the storage of a tensor."""

    _tensor: Tensor

    def _elements(self) -> Tensor:
        """The memory as a tensor of one dim."""
        from torchlike._functions_memory import in_memory_order

        made = in_memory_order(self._tensor).view(self._kind())
        made._counter = Counter(True)  # writes to a storage do not count
        return made

    def _kind(self) -> Dtype:
        raise NotImplementedError

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return self._tensor.device

    @property
    def _cdata(self) -> int:
        return id(self._tensor._storage.whole)

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return show(self._tensor._storage.whole) if self.nbytes() else 0

    def nbytes(self) -> int:
        """The number of bytes."""
        held = self._tensor._storage.whole.value.aval
        return held.numel * held.dtype.itemsize

    def size(self) -> int:
        """The number of elements; of an untyped storage, of bytes."""
        return self.nbytes() // self.element_size()

    __len__ = size

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._kind().itemsize

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return self._elements().tolist()

    def _host(self) -> Any:
        return self._elements()._host()

    def _seen_as(self, dtype: Dtype | None) -> Tensor:
        return self._elements().view(_dtypes.uint8).view(dtype or _dtypes.int64)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
            return self._of(self._elements()[index].clone())
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.{type(self).__name__} with {type(index).__name__}")
        if not -self.size() <= index < self.size():
            raise IndexError(f"index {index} out of range for storage of size {self.size()}")
        return self._elements()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, int) and not -self.size() <= index < self.size():
            raise RuntimeError("out of bounds")
        self._elements()[index] = value

    def fill_(self, value: Any) -> Any:
        """Set every element."""
        if self._kind() is _dtypes.uint8 and not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        self._elements().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> Any:
        """Overwrite the elements with those of another storage."""
        if self.nbytes() != source.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was "
                               f"{source.nbytes()} bytes")  # fmt: skip
        self._elements().copy_(source._elements())
        return self

    def clone(self) -> Any:
        """A copy with memory of its own."""
        return self._of(self._elements().clone())

    def _of(self, tensor: Tensor) -> Any:
        made = object.__new__(type(self))
        made._tensor = tensor
        return made

    def cpu(self) -> Any:
        """This memory on the CPU."""
        return self if self.device.type == "cpu" else self._of(self._elements().cpu())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Memory) and other._cdata == self._cdata

    def __hash__(self) -> int:
        return self._cdata

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is a GPU's."""
        return self.device.type == "cuda"

    is_sparse = property(lambda self: False, doc="Whether it is sparse: never.")

    def is_pinned(self) -> bool:
        """Whether the memory is page-locked: never."""
        return False

    def is_shared(self) -> bool:
        """Whether processes share the memory: on the CPU never."""
        return self.device.type != "cpu"

    def resizable(self) -> bool:
        """Whether the memory may grow: not what was borrowed from NumPy."""
        return self._tensor._storage.resizable

    def resize_(self, size: int) -> Any:
        """More memory, in elements (of an untyped storage, in bytes); the new is zero. All that share it go on so.

        Raises NotImplementedError for less memory than there is.
        """
        from torchlike._functions_memory import enlarge

        if size < self.size():
            raise _errors.arguments.unsupported(f"{type(self).__name__}.resize_", "size")
        if size > self.size():
            enlarge(self._tensor, size * self.element_size())
        return self


def _converting(name: str, dtype: Dtype) -> Callable[[_Memory], TypedStorage]:
    def method(self: _Memory) -> TypedStorage:
        return TypedStorage._over(self._elements().to(dtype))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The elements as {dtype!r}."
    return method


class UntypedStorage(_Memory):
    """The memory behind a tensor, as bytes.

    `UntypedStorage(n)` has n bytes of its own, `UntypedStorage([...])` those of the list.
    """

    def __init__(self, data: Any = 0, *, device: Any = None) -> None:
        from torchlike import _factories

        if not isinstance(data, Tensor):
            kind = {"dtype": _dtypes.uint8, "device": device}
            data = _factories.zeros(data, **kind) if isinstance(data, int) else _factories.tensor(_bytes(data), **kind)
        self._tensor = data

    def _kind(self) -> Dtype:
        return _dtypes.uint8

    def untyped(self) -> UntypedStorage:
        """This storage."""
        return self

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The first bytes of a file; with `shared`, what is written goes into the file, which is made long enough."""
        return UntypedStorage(_exchange.from_file(filename, shared, nbytes, dtype=_dtypes.uint8))

    def type(self) -> str:
        """The name of this class."""
        return "torch.storage.UntypedStorage"

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist()))
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


def _bytes(data: Any) -> list:
    wrong = next((x for x in data if not isinstance(x, int)), None)
    if wrong is not None:
        raise RuntimeError("torch.UntypedStorage(): tried to construct a storage from a sequence "
                           f"({type(data).__name__}), but one of the items was of type {type(wrong).__name__} "
                           "instead of int")  # fmt: skip
    return list(data)


class TypedStorage(_Memory):
    """The memory behind a tensor, as elements of its dtype (deprecated in PyTorch)."""

    def __init__(self, data: Any = 0, *, wrap_storage: UntypedStorage | None = None, dtype: Dtype | None = None,
                 device: Any = None) -> None:  # fmt: skip
        warnings.warn(_DEPRECATED, UserWarning, stacklevel=4)
        kind = dtype or _modes.default_dtype
        if wrap_storage is not None:
            data = wrap_storage._seen_as(kind)
        elif not isinstance(data, Tensor):
            from torchlike import _factories

            made = _factories.zeros if isinstance(data, int) else _factories.tensor
            data = made(data, dtype=kind, device=device)
        self._tensor = data

    @classmethod
    def _over(cls, tensor: Tensor) -> TypedStorage:
        made = object.__new__(cls)
        made._tensor = tensor
        return made

    def _kind(self) -> Dtype:
        return self._tensor.dtype

    @property
    def dtype(self) -> Dtype:
        """The type of the elements."""
        return self._tensor.dtype

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(self._tensor)

    def pickle_storage_type(self) -> str:
        """The name that checkpoints give it, such as `FloatStorage`."""
        return _LEGACY_NAMES[self.dtype.name] + "Storage"

    def type(self) -> str:
        """The name of PyTorch's old class of such storages."""
        return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"

    def __repr__(self) -> str:
        lines = " " + "\n ".join(map(str, self.tolist()))
        head = f"[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of size {len(self)}]"
        return f"{lines}\n{head}"


class _OfOneType(type):
    """What is an instance is told by the dtype: every storage is a `TypedStorage`."""

    dtype: Dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is TypedStorage and instance.dtype is cls.dtype and instance.device.type == "cpu"


class _LegacyStorage(TypedStorage, metaclass=_OfOneType):
    """PyTorch's old class of storages of one dtype on the CPU, which makes a `TypedStorage`.

    Of a size (its elements are zeros), of a sequence, or over the memory of `wrap_storage`.
    """

    def __new__(cls, *args: Any, wrap_storage: Any = None) -> Any:
        if len(args) > 1:
            raise RuntimeError(_errors.making.old_storage(cls.__name__, "Too many positional arguments"))
        if args and wrap_storage is not None:
            wrong = "No positional arguments should be given when using 'wrap_storage'"
            raise RuntimeError(_errors.making.old_storage(cls.__name__, wrong))
        if wrap_storage is not None and not isinstance(wrap_storage, UntypedStorage):
            got = f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
            raise TypeError(_errors.making.old_storage(cls.__name__, got))
        if args and not isinstance(args[0], int | Sequence):
            got = str(type(args[0])).replace("torchlike._tensor", "torch")
            raise TypeError(_errors.making.old_storage(cls.__name__, f"Argument type not recognized: {got}"))
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype)


def _legacy(dtype: Dtype) -> Any:
    name = _LEGACY_NAMES[dtype.name] + "Storage"
    return _OfOneType(
        name, (_LegacyStorage,), {"dtype": dtype, "__doc__": _LegacyStorage.__doc__, "__module__": "torchlike"}
    )


ByteStorage, CharStorage, ShortStorage = map(_legacy, (_dtypes.uint8, _dtypes.int8, _dtypes.int16))
IntStorage, LongStorage, BoolStorage = map(_legacy, (_dtypes.int32, _dtypes.int64, _dtypes.bool_))
HalfStorage, BFloat16Storage, FloatStorage = map(_legacy, (_dtypes.float16, _dtypes.bfloat16, _dtypes.float32))
DoubleStorage, ComplexFloatStorage = map(_legacy, (_dtypes.float64, _dtypes.complex64))
ComplexDoubleStorage = _legacy(_dtypes.complex128)
Storage = FloatStorage

_CONVERSIONS = {"bool": _dtypes.bool_, "byte": _dtypes.uint8, "char": _dtypes.int8, "short": _dtypes.int16,
                "int": _dtypes.int32, "long": _dtypes.int64, "half": _dtypes.float16, "bfloat16": _dtypes.bfloat16,
                "float": _dtypes.float32, "double": _dtypes.float64, "complex_float": _dtypes.complex64,
                "complex_double": _dtypes.complex128}  # fmt: skip
for _name, _dtype in _CONVERSIONS.items():
    setattr(_Memory, _name, _converting(_name, _dtype))
