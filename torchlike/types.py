"""Type aliases for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any

from torchlike._dtypes import dtype
from torchlike._dtypes.devices import device as _device
from torchlike._engine import Size as Size
from torchlike._tensor.tensor import Tensor as Tensor

__all__ = ["Number", "Device", "FileLike", "Storage"]

Number = builtins.int | builtins.float | builtins.bool
FileLike = str | os.PathLike[str] | IO[bytes]
Device = _device | str | int | None
_dtype = dtype
_int, _float, _bool, _complex, _str, _bytes = int, float, bool, complex, str, bytes
_Number = (int, float, bool)
_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Size | list[int] | tuple[int, ...]


class Storage:
    """The interface of storages, for annotations. The methods raise NotImplementedError."""

    device: _device
    dtype: _dtype

    def __deepcopy__(self, memo: dict[int, Any]) -> Storage:
        raise NotImplementedError

    def element_size(self) -> int:
        raise NotImplementedError

    def is_shared(self) -> bool:
        raise NotImplementedError

    def share_memory_(self) -> Storage:
        raise NotImplementedError

    def nbytes(self) -> int:
        raise NotImplementedError

    def cpu(self) -> Storage:
        raise NotImplementedError

    def data_ptr(self) -> int:
        raise NotImplementedError

    def from_file(self, filename: str, shared: bool = False, nbytes: int = 0) -> Storage:
        raise NotImplementedError
