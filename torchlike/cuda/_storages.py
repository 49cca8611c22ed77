"""PyTorch's legacy classes of GPU storages of one dtype."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike import _dtypes
from torchlike.storage import _legacy, _LegacyStorage


class _CudaLegacyStorage(_LegacyStorage):
    """PyTorch's legacy class of GPU storages of one dtype. The constructor returns a `TypedStorage`.

    Args:
      args: nothing, a size or a sequence of elements.
      wrap_storage: the memory to use, on the GPU.
    """

    device_type = "cuda"

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise an error: a storage on a GPU has no buffer."""
        raise RuntimeError("from_buffer: Not available for CUDA storage")


def _made(dtype: _dtypes.dtype) -> Any:
    return _legacy(dtype, _CudaLegacyStorage, "torchlike.cuda")


ByteStorage = _made(_dtypes.uint8)
CharStorage = _made(_dtypes.int8)
ShortStorage = _made(_dtypes.int16)
IntStorage = _made(_dtypes.int32)
LongStorage = _made(_dtypes.int64)
BoolStorage = _made(_dtypes.bool_)
HalfStorage = _made(_dtypes.float16)
BFloat16Storage = _made(_dtypes.bfloat16)
FloatStorage = _made(_dtypes.float32)
DoubleStorage = _made(_dtypes.float64)
ComplexFloatStorage = _made(_dtypes.complex64)
ComplexDoubleStorage = _made(_dtypes.complex128)
