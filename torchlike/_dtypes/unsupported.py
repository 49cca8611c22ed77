"""PyTorch dtypes that tensors here cannot have. Libraries list them in tables but rarely use them."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import COMPLEX, FLOATING, INTEGER, dtype


class dtype_without_tensors(dtype):
    """A dtype that exists only by name. The creation of a tensor with this dtype raises."""

    __slots__ = ("_kind", "_size")

    def __init__(self, name: str, kind: int, itemsize: int) -> None:
        self.name, self._kind, self._size = name, kind, itemsize

    is_complex = property(lambda self: self._kind == COMPLEX)
    is_floating_point = property(lambda self: self._kind == FLOATING)
    itemsize = property(lambda self: self._size)

    @property
    def is_signed(self) -> bool:
        if self.name.startswith("bits"):
            raise RuntimeError("Bits types are undefined")
        return not self.name.startswith("uint")

    @property
    def numpy(self) -> Any:  # type: ignore[override]
        """Raise: tensors of this dtype are not supported."""
        raise _errors.arguments.kind_unsupported(f"torch.{self.name}", "tensors of this dtype")

    category = numpy


_half = dtype_without_tensors("complex32", COMPLEX, 4)
_whole = {
    **{f"{sign}int{bits}": 1 for sign in ("", "u") for bits in range(1, 8)},
    "bits8": 1,
    "bits16": 2,
    "bits1x8": 1,
    "bits2x4": 1,
    "bits4x2": 1,
}
NAMES: dict[str, Any] = {name: dtype_without_tensors(name, INTEGER, size) for name, size in _whole.items()}
NAMES |= {
    "complex32": _half,
    "chalf": _half,
    "bit": NAMES["uint1"],
    "float4_e2m1fn_x2": dtype_without_tensors("float4_e2m1fn_x2", FLOATING, 1),
}


def __getattr__(name: str) -> Any:
    if name in NAMES:  # pickles look them up here
        return NAMES[name]
    raise AttributeError(name)
