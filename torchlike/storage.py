"""Storages: the memory behind tensors, as bytes or as elements of one type."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._device import device as Device
from torchlike._dtypes import dtype as Dtype
from torchlike._tensor import Tensor

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class _Memory:
    """What both kinds of storage are: a look at the storage of a tensor."""

    def __init__(self, tensor: Any) -> None:
        if not isinstance(tensor, Tensor):
            raise _errors.arguments.unsupported(type(self).__name__, "size")
        self._tensor = tensor

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return self._tensor.device

    def data_ptr(self) -> int:
        """The made-up address of the first byte."""
        return self._tensor._storage.address if self.nbytes() else 0

    def nbytes(self) -> int:
        """The number of bytes."""
        held = self._tensor._storage.value.aval
        return held.numel * held.dtype.itemsize

    def _flat(self) -> np.ndarray:
        from torchlike._storage_io import storage_of

        return storage_of(self._tensor)[1]

    def __iter__(self) -> Iterator:
        return iter(self.tolist())

    def tolist(self) -> list:
        """The elements as Python numbers."""
        return self._elements().tolist()

    def _elements(self) -> np.ndarray:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        return self._elements()[index].item()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Memory) and other._tensor._storage is self._tensor._storage

    def __hash__(self) -> int:
        return id(self._tensor._storage)

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is a GPU's."""
        return self.device.type == "cuda"

    def is_pinned(self) -> bool:
        """Whether the memory is page-locked: never."""
        return False

    def is_shared(self) -> bool:
        """Whether processes share the memory: on the CPU never."""
        return self.device.type != "cpu"

    def resize_(self, size: int) -> Any:
        """Refused: resize a tensor instead."""
        raise _errors.arguments.unsupported(f"{type(self).__name__}.resize_", "size")


class UntypedStorage(_Memory):
    """The memory behind a tensor, as bytes."""

    size = _Memory.nbytes

    def __len__(self) -> int:
        return self.nbytes()

    def _elements(self) -> np.ndarray:
        return self._flat().view(np.uint8)

    def __repr__(self) -> str:
        lines = "\n".join(f" {x}" for x in self.tolist())
        return f"{lines}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


class TypedStorage(_Memory):
    """The memory behind a tensor, as elements of its dtype (deprecated in PyTorch)."""

    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor)
        warnings.warn(_DEPRECATED, UserWarning, stacklevel=4)

    @property
    def dtype(self) -> Dtype:
        """The type of the elements."""
        return self._tensor.dtype

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(self._tensor)

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    def _elements(self) -> np.ndarray:
        return self._flat()

    def __repr__(self) -> str:
        lines = "\n".join(f" {x}" for x in self.tolist())
        head = f"[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of size {len(self)}]"
        return f"{lines}\n{head}"
