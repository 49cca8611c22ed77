"""The symbolic size of the ragged dim."""

from __future__ import annotations

import itertools
from typing import Any

from torchlike import SymInt

_counter = itertools.count(1)


class NestedInt(SymInt):
    """The size of a ragged dim: a symbol such as `j1`, times a number.

    Two nested tensors with the same offsets have the same symbol. The symbol has no value: it is at least 2, and any
    other comparison with a number raises.

    Args:
      number: the number of the symbol.
      factor: the number by which the symbol is multiplied.
    """

    __slots__ = ("factor", "number")
    is_symbolic_size = True

    def __init__(self, number: int, factor: int = 1) -> None:
        self.number, self.factor = number, factor

    def __repr__(self) -> str:
        return f"{self.factor}*j{self.number}" if self.factor != 1 else f"j{self.number}"

    def _key(self) -> tuple[int, int]:
        return self.number, self.factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NestedInt) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.number * self.factor)

    def __ge__(self, other: Any) -> bool:
        if self == other or (isinstance(other, int) and other <= 2):
            return True
        raise ValueError("ge: relation is indeterminate")

    def __gt__(self, other: Any) -> bool:
        if isinstance(other, int) and other < 2:
            return True
        if self == other:
            return False
        raise ValueError("ge: relation is indeterminate")

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __mul__(self, count: Any) -> NestedInt:
        if not isinstance(count, int):
            return NotImplemented
        return NestedInt(self.number, self.factor * count)

    __rmul__ = __mul__

    def __reduce__(self) -> tuple:
        return NestedInt, self._key()


def symbol_of(offsets: Any) -> NestedInt:
    """Return the symbol of the nested tensors with these offsets. It is kept on the tensor of offsets."""
    found = offsets.__dict__.get("_nested_int")
    if found is None:
        found = offsets._nested_int = NestedInt(next(_counter))
    return found
