"""Expansion of a number to a tuple with one entry for each spatial dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple]:
    def parse(x: Any) -> tuple:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple:
    """Return the elements of `t` in reverse order, each repeated `n` times."""
    return tuple(x for x in reversed(t) for _ in range(n))


def each_side_reversed(padding: Sequence[int]) -> tuple[int, ...]:
    """Return the padding of each dimension in the order of `F.pad`: both sides of the last dimension come first."""
    return _reverse_repeat_tuple(padding, 2)
