"""Integers that depend on the varying sizes: their formula from their values in a few recordings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import jax.numpy as jnp

MOST_FACTORS = 3
LARGEST_DIVISOR = 64
_SAME = 1e-14  # Python rounds 1 / n and sqrt(n) once; their quotients differ by a few units in the last place


class Formula(NamedTuple):
    """times * ((factor * product of sizes + offset) // divisor)."""

    factor: int
    sizes: tuple[str, ...]
    offset: int = 0
    divisor: int = 1
    times: int = 1

    def at(self, sizes: Mapping[str, Any]) -> Any:
        """Return the value for sizes, which may be JAX's symbolic dims."""
        value = self.factor * math.prod((sizes[name] for name in self.sizes), start=1) + self.offset
        return self.times * (value if self.divisor == 1 else value // self.divisor)

    def __str__(self) -> str:
        product = "*".join(([str(self.factor)] if self.factor != 1 else []) + list(self.sizes))
        text = product + (f" {'+' if self.offset > 0 else '-'} {abs(self.offset)}" if self.offset else "")
        text = text if self.divisor == 1 else f"({text})//{self.divisor}"
        return text if self.times == 1 else f"{self.times}*({text})"


# Functions of a size that programs compute in Python: means, and the scales of attention and of initial weights.
_FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[Any], Any]]] = {
    "1/": (lambda n: 1 / n, lambda n: 1 / n),
    "sqrt": (math.sqrt, jnp.sqrt),
    "1/sqrt": (lambda n: 1 / math.sqrt(n), lambda n: 1 / jnp.sqrt(n)),
    "log": (math.log, jnp.log),
}


class Real(NamedTuple):
    """factor * function(formula), a float."""

    function: str
    formula: Formula
    factor: float

    def at(self, sizes: Mapping[str, Any]) -> Any:
        """Return the value for sizes, which may be JAX's symbolic dims."""
        return self.factor * _FUNCTIONS[self.function][1](jnp.asarray(self.formula.at(sizes), jnp.float64))

    def __str__(self) -> str:
        return f"{self.factor}*{self.function}({self.formula})"


def number(values: Sequence[Any], samples: Sequence[Mapping[str, int]]) -> Any:
    """Return a number with these values at the samples: itself if all are equal, a `Formula` or a `Real`."""
    if all(value == values[0] or (value != value and values[0] != values[0]) for value in values):
        return values[0]
    if all(isinstance(value, int | float) and float(value).is_integer() for value in values):
        return formula([int(value) for value in values], samples)
    if all(isinstance(value, float) for value in values):
        for name, (function, _) in _FUNCTIONS.items():
            for sizes in _products(samples):
                made = Formula(1, sizes)
                factors = [value / function(made.at(sample)) for value, sample in zip(values, samples)]
                if all(math.isclose(factor, factors[0], rel_tol=_SAME) for factor in factors):
                    return Real(name, made, min(factors, key=lambda factor: len(repr(factor))))
    raise NoFormulaError(f"the values {list(values)} at the sizes {list(samples)}")


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


def _products(samples: Sequence[Mapping[str, int]]) -> list[tuple[str, ...]]:
    names = list(samples[0])
    return [sizes for n in range(1, MOST_FACTORS + 1) for sizes in combinations_with_replacement(names, n)]


def _candidates(values: Sequence[int], samples: Sequence[Mapping[str, int]]) -> Any:
    products = _products(samples)
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
                made = Formula(1, sizes, offset, divisor)
                first = made.at(samples[0])
                times = values[0] // first if first and values[0] % first == 0 else 1
                yield made._replace(times=times)


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
    if isinstance(value, Formula | Real):
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
    if isinstance(value, Formula | Real):
        return True
    if isinstance(value, slice):
        return any(map(varies, (value.start, value.stop, value.step)))
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(map(varies, items))
