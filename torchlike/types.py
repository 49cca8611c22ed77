"""Type aliases for annotations."""

from __future__ import annotations

import builtins

from torchlike._dtypes import dtype
from torchlike._dtypes.devices import device as _device
from torchlike._engine import Size as Size
from torchlike._tensor.tensor import Tensor as Tensor

Number = builtins.int | builtins.float | builtins.bool
Device = _device | str | int | None
_dtype = dtype
_int, _float, _bool, _complex, _str, _bytes = int, float, bool, complex, str, bytes
_size = Size | list[int] | tuple[int, ...]
