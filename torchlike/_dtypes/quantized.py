"""The dtypes and the schemes of quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import INTEGER, dtype


class quantized_dtype(dtype):
    """A dtype of quantized tensors. Their elements are integers that stand for real numbers.

    Plain tensors cannot have this dtype.
    """

    __slots__ = ("_stored",)

    def __init__(self, name: str, stored: type) -> None:
        self.name, self._stored = name, np.dtype(stored)

    is_complex = property(lambda self: False)
    is_floating_point = property(lambda self: False)
    category = property(lambda self: INTEGER)
    itemsize = property(lambda self: self._stored.itemsize)

    @property
    def stored(self) -> np.dtype[Any]:
        """The NumPy dtype of the integers."""
        return self._stored

    @property
    def is_signed(self) -> bool:
        raise RuntimeError("isSignedType not supported for quantized types")

    @property
    def numpy(self) -> Any:  # type: ignore[override]
        """Raise: only `quantize_per_tensor` and `quantize_per_channel` make tensors of this dtype."""
        raise _errors.arguments.kind_unsupported(f"torch.{self.name}", "plain tensors of quantized dtypes")


class qscheme:
    """A quantization scheme: one scale or one scale per channel, and whether zero lies in the middle of the range.

    Args:
      name: the name without "torch.".
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


qint8 = quantized_dtype("qint8", np.int8)
quint8 = quantized_dtype("quint8", np.uint8)
qint32 = quantized_dtype("qint32", np.int32)
quint4x2 = quantized_dtype("quint4x2", np.uint8)  # by name only: two elements per byte
quint2x4 = quantized_dtype("quint2x4", np.uint8)  # by name only: four elements per byte

per_tensor_affine = qscheme("per_tensor_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_affine = qscheme("per_channel_affine")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")

DTYPES = {d.name: d for d in (qint8, quint8, qint32, quint4x2, quint2x4)}
SCHEMES = {
    s.name: s
    for s in (
        per_tensor_affine,
        per_tensor_symmetric,
        per_channel_affine,
        per_channel_symmetric,
        per_channel_affine_float_qparams,
    )
}
NAMES: dict[str, Any] = {**DTYPES, **SCHEMES, "qscheme": qscheme}
