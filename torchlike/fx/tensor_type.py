"""Types of tensors for annotations: their sizes, which may be unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class TensorType:
    """The type of tensors with a list of sizes. `Dyn` stands for an unknown size.

    Args:
      dim (sequence): the sizes.

    >>> TensorType((1, 2, Dyn))
    TensorType[(1, 2, Dyn)]
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, dim: Sequence[Any]) -> None:
        self.__origin__, self.__args__ = TensorType, dim

    @property
    def dims(self) -> Sequence[Any]:
        """The sizes."""
        return self.__args__

    def __repr__(self) -> str:
        return f"TensorType[{self.dims}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and list(self.dims) == list(other.dims)

    def __class_getitem__(cls, args: Any) -> TensorType:
        return TensorType(args if isinstance(args, tuple) else (args,))


class _DynType:
    """The type of a value about which nothing is known."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        self.__name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __repr__(self) -> str:
        return "Dyn"


Dyn = _DynType()


def is_consistent(t1: Any, t2: Any) -> bool:
    """Return whether two types are equal where both are known.

    Args:
      t1, t2: types, or sizes.

    >>> is_consistent(TensorType((1, Dyn)), TensorType((1, 3)))
    True
    """
    if t1 == t2 or isinstance(t1, _DynType) or isinstance(t2, _DynType):
        return True
    both = isinstance(t1, TensorType) and isinstance(t2, TensorType)
    return both and len(t1.dims) == len(t2.dims) and all(map(is_consistent, t1.dims, t2.dims))


def is_more_precise(t1: Any, t2: Any) -> bool:
    """Return whether a type is equal to another one where the other is known.

    Args:
      t1, t2: types, or sizes.

    >>> is_more_precise(TensorType((1, 3)), TensorType((1, Dyn)))
    True
    """
    if t1 == t2 or isinstance(t2, _DynType):
        return True
    both = isinstance(t1, TensorType) and isinstance(t2, TensorType)
    return both and len(t1.dims) == len(t2.dims) and all(map(is_more_precise, t1.dims, t2.dims))


__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]
