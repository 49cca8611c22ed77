"""Integers that depend on the varying sizes: their formula from their values in a few recordings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

MOST_FACTORS = 3
LARGEST_DIVISOR = 64


class Formula(NamedTuple):
    """(factor * product of sizes + offset) // divisor."""

    factor: int
    sizes: tuple[str, ...]
    offset: int = 0
    divisor: int = 1

    def at(self, sizes: Mapping[str, Any]) -> Any:
        """Return the value for sizes, which may be JAX's symbolic dims."""
        value = self.factor * math.prod((sizes[name] for name in self.sizes), start=1) + self.offset
        return value if self.divisor == 1 else value // self.divisor

    def __str__(self) -> str:
        product = "*".join(([str(self.factor)] if self.factor != 1 else []) + list(self.sizes))
        text = product + (f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}" if self.offset else "")
        return text if self.divisor == 1 else f"({text})//{self.divisor}"


class NoFormulaError(Exception):
    """Raised if no formula has the observed values."""


def formula(values: Sequence[int], samples: Sequence[Mapping[str, int]]) -> int | Formula:
    """Return the simplest formula with these values at the samples, or a number if all are equal.

    Raises:
      NoFormulaError: no formula of the form that `Formula` has was found.
    """
    if len(set(values)) == 1:
        return values[0]
    for made in _candidates(values, samples):
        if all(made.at(sizes) == value for sizes, value in zip(samples, values)):
            return made
    raise NoFormulaError(f"the values {list(values)} at the sizes {list(samples)}")


def _candidates(values: Sequence[int], samples: Sequence[Mapping[str, int]]) -> Any:
    names = list(samples[0])
    products = [sizes for n in range(1, MOST_FACTORS + 1) for sizes in combinations_with_replacement(names, n)]
    at = {sizes: [math.prod(sample[name] for name in sizes) for sample in samples] for sizes in products}
    for sizes in products:  # a multiple of a product of sizes
        first = at[sizes][0]
        if first and values[0] % first == 0:
            yield Formula(values[0] // first, sizes)
    for sizes in products:  # a linear function of such a product
        step = at[sizes][1] - at[sizes][0]
        if step and (values[1] - values[0]) % step == 0:
            factor = (values[1] - values[0]) // step
            yield Formula(factor, sizes, values[0] - factor * at[sizes][0])
    for divisor in range(2, LARGEST_DIVISOR + 1):  # a size divided by a number, as a stride gives
        for sizes in products:
            for offset in range(-divisor, divisor + 1):
                yield Formula(1, sizes, offset, divisor)


def unified(values: Sequence[Any], samples: Sequence[Mapping[str, int]]) -> Any:
    """Return a value with a formula in place of each integer that differs between the samples.

    `values` are those of the same static argument: numbers, tuples, lists and slices of numbers, or other objects,
    which must be equal.
    """
    first = values[0]
    if all(type(value) is type(first) for value in values):
        if type(first) is int:
            return formula(values, samples)
        if isinstance(first, list | tuple) and len({len(value) for value in values}) == 1:
            items = [unified(column, samples) for column in zip(*values)]
            return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
        if isinstance(first, slice):
            parts = zip(*((value.start, value.stop, value.step) for value in values))
            return slice(*(unified(part, samples) for part in parts))
        if isinstance(first, dict) and all(value.keys() == first.keys() for value in values):
            return {key: unified([value[key] for value in values], samples) for key in first}
    if any(value is not first and value != first for value in values):
        raise NoFormulaError(f"the values {list(values)}")
    return first


def substituted(value: Any, sizes: Mapping[str, Any]) -> Any:
    """Return a value of `unified` for sizes."""
    if isinstance(value, Formula):
        return value.at(sizes)
    if isinstance(value, slice):
        return slice(*(substituted(part, sizes) for part in (value.start, value.stop, value.step)))
    if isinstance(value, dict):
        return {key: substituted(item, sizes) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [substituted(item, sizes) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def varies(value: Any) -> bool:
    """Return whether a value of `unified` contains a formula."""
    if isinstance(value, Formula):
        return True
    if isinstance(value, slice):
        return any(map(varies, (value.start, value.stop, value.step)))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(map(varies, items))
