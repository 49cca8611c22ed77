"""How the rows of a nested tensor are divided into components."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nested._internal.nested_int import NestedInt, symbol_of


@dataclass(eq=False)
class Structure:
    """The division of rows into components. The nested tensors that an operator relates share it.

    Attributes:
      offsets: the index of the first row of each component, and the number of rows: (components + 1,).
      lengths: the number of rows of each component, if the components do not fill the rows: (components,).
      dim: the index of the ragged dim in the nested tensor.
      known: numbers that are known on the host, by name: `lengths`, `min`, `max`.
    """

    offsets: Tensor
    lengths: Tensor | None = None
    dim: int = 1
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def symbol(self) -> NestedInt:
        """The size of the ragged dim."""
        return symbol_of(self.offsets if self.lengths is None else self.lengths)

    @property
    def count(self) -> int:
        """The number of components."""
        return self.offsets.shape[0] - 1

    def at(self, dim: int) -> Structure:
        """Return the same division of another dim."""
        return self if dim == self.dim else replace(self, dim=dim)

    def rows(self) -> Tensor:
        """Return the number of rows of each component, on the device."""
        return self.offsets.diff() if self.lengths is None else self.lengths

    def counts(self) -> list[int]:
        """Return the number of rows of each component. This reads the offsets, unless the numbers are known."""
        if "lengths" not in self.known:
            self.known["lengths"] = self.rows().tolist()
        return self.known["lengths"]

    def starts(self) -> list[int]:
        """Return the index of the first row of each component."""
        if self.lengths is not None:
            return self.offsets[:-1].tolist()
        return [0, *itertools.accumulate(self.counts())][:-1]

    def longest(self) -> int:
        """Return the largest number of rows of a component."""
        if "max" not in self.known:
            self.known["max"] = max(self.counts(), default=0)
        return self.known["max"]

    def shortest(self) -> int:
        """Return the smallest number of rows of a component."""
        if "min" not in self.known:
            self.known["min"] = min(self.counts(), default=0)
        return self.known["min"]

    def check(self, rows: int) -> None:
        """Raise RuntimeError unless the components are ordered parts of this number of rows."""
        ends = self.offsets.tolist()
        counts = [b - a for a, b in itertools.pairwise(ends)] if self.lengths is None else self.lengths.tolist()
        fits = len(counts) == len(ends) - 1 and all(
            0 <= a and n >= 0 and a + n <= b for a, n, b in zip(ends, counts, ends[1:])
        )
        if not ends or not fits or ends[-1] > rows:
            raise RuntimeError("the offsets of a nested tensor do not divide its rows")


def of_counts(counts: list[int], device: Any = None, dim: int = 1) -> Structure:
    """Return the structure of components with these numbers of rows, without gaps."""
    ends = [0, *itertools.accumulate(counts)]
    return Structure(torchlike.tensor(ends, dtype=torchlike.int64, device=device), None, dim, {"lengths": [*counts]})


def same(a: Structure, b: Structure) -> bool:
    """Return whether two structures divide the same dim with the same offsets."""
    return a is b or (a.dim == b.dim and a.symbol == b.symbol)


def alike(a: Structure, b: Structure) -> bool:
    """Return whether two structures divide the same dim into components of the same numbers of rows."""
    return same(a, b) or (a.dim == b.dim and a.lengths is b.lengths is None and a.counts() == b.counts())


# -- rows and padded components ----------------------------------------------------------------------------------------


def padded(rows: Tensor, structure: Structure, padding: Any, longest: int | None = None) -> Tensor:
    """Return the components, padded to the same number of rows.

    Args:
      rows: the rows along dim 0: (N, *).
      structure: the division of the rows.
      padding: the number in the padded positions.
      longest: the number of rows of the result. Default: that of the longest component.

    Returns:
      A tensor (components, longest, *).
    """
    longest = structure.longest() if longest is None else longest
    shape = (structure.count, longest, *rows.shape[1:])
    if not rows.shape[0] or not longest:
        return torchlike.full(shape, padding, dtype=rows.dtype, device=rows.device) + 0 * rows.sum().to(rows.dtype)
    place = torchlike.arange(longest, device=structure.offsets.device)
    index = (structure.offsets[:-1, None] + place).clamp(max=rows.shape[0] - 1)
    found = rows.index_select(0, index.reshape(-1)).reshape(shape)
    outside = (place >= structure.rows()[:, None]).reshape(*shape[:2], *[1] * (rows.ndim - 1))
    return found.masked_fill(outside, padding)


def component_of_each(structure: Structure, count: int) -> tuple[Tensor, Tensor]:
    """Return, for each of `count` rows, the index of its component, and its place in the component."""
    place = torchlike.arange(count, device=structure.offsets.device)
    component = torchlike.searchsorted(structure.offsets[1:].contiguous(), place, right=True)
    return component, place - structure.offsets.index_select(0, component)


def unpadded(dense: Tensor, structure: Structure, count: int) -> Tensor:
    """Return the rows (N, *) of padded components (components, longest, *). The structure must have no gaps."""
    component, place = component_of_each(structure, count)
    index = component * dense.shape[1] + place
    return dense.reshape(-1, *dense.shape[2:]).index_select(0, index)
