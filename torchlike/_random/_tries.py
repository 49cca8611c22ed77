"""What the processes of rejection have in common: a try, terms of a sum, and which of the two an element is drawn by.

The first column says it: above zero by transformed rejection, two uniforms a try; below zero by adding up what single
uniforms contribute until a bound is passed, four a turn; at zero it takes none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._turns import Block

STIRLING_RESTS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def rows_of(*arrays: np.ndarray) -> Callable[[slice], list[np.ndarray]]:
    """Some elements of the arrays; one of them where all are equal, which then need not be worked out for each."""
    equal = all((array == array[0]).all() for array in arrays)
    return lambda some: [array[:1] if equal else array[some] for array in arrays]


def in_tries(number: Callable, bound: Any, slow: Callable) -> tuple:
    """A try by transformed rejection: whether it is accepted, and how many uniforms were taken."""
    from jax import lax, numpy

    u, v = number(0) - 0.5, number(1)
    quick = (numpy.abs(u) <= 0.43) & (v <= bound)
    return lax.cond((bound > 0) & ~quick, slow, lambda u, v: v <= bound, u, v), 2


def in_terms(going_on: list[Any]) -> tuple:
    """Terms of a sum, and whether the element goes on after each: whether it is done, and uniforms taken."""
    from jax import numpy

    steps = sum(more.astype(np.int64) for more in going_on)
    return steps < len(going_on), numpy.minimum(steps + 1, len(going_on))


def by_kind(kind: int, bound: Any, by_tries: Callable[[], tuple], by_terms: Callable[[], tuple]) -> tuple:
    """An element's turn by its first column; of kind 1 all elements are drawn by tries, of kind -1 by terms."""
    from jax import numpy

    if kind:
        return by_tries() if kind > 0 else by_terms()
    done, taken = (numpy.where(bound > 0, *pair) for pair in zip(by_tries(), by_terms()))
    return done | (bound == 0), numpy.where(bound == 0, 0, taken)


def tried(block: Block) -> np.ndarray:
    """The first number of the try that was accepted; where an element made none it is another, and not looked at."""
    u = block.uniforms[block.ends - 2]
    u -= 0.5
    return u


def stirling_rest(k: Any, over: Any) -> Any:
    """log(k!) less Stirling's approximation of it; `over` is 1 / (k + 1)."""
    from jax import lax, numpy

    known = lax.dynamic_index_in_dim(numpy.array(STIRLING_RESTS), numpy.clip(k, 0, 9).astype(np.int64), keepdims=False)
    square = over * over
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) * over
    return numpy.where(k < 10, known, series)
