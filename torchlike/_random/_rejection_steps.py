"""Common parts of the rejection sampling loops.

The sign of an element's first column (`bound`) selects the method by which it is sampled:
  positive  transformed rejection. Each trial takes two uniforms.
  negative  accumulation of the contributions of single uniforms until they pass a bound. Each iteration takes up to
            four uniforms.
  zero      the element takes no uniforms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._blocks import Block

STIRLING_REMAINDERS = (
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


def row_selector(*arrays: np.ndarray) -> Callable[[slice], list[np.ndarray]]:
    """Return a function that selects a slice of the arrays.

    If the elements of each array are all equal, the function returns one element of each array, so that the caller
    computes its values only once.
    """
    equal = all((array == array[0]).all() for array in arrays)
    return lambda some: [array[:1] if equal else array[some] for array in arrays]


def rejection_trial(number: Callable, bound: Any, slow: Callable) -> tuple:
    """Perform one trial of transformed rejection. Return whether it is accepted, and the number of uniforms taken.

    `slow(u, v)` is the exact test. It runs only if the quick test does not accept the trial.
    """
    from jax import lax, numpy

    u, v = number(0) - 0.5, number(1)
    quick = (numpy.abs(u) <= 0.43) & (v <= bound)
    return lax.cond((bound > 0) & ~quick, slow, lambda u, v: v <= bound, u, v), 2


def accumulation_step(continues: list[Any]) -> tuple:
    """Return whether an accumulation is done, and the number of uniforms taken.

    `continues` tells for each term whether the accumulation continues after it.
    """
    from jax import numpy

    steps = sum(more.astype(np.int64) for more in continues)
    return steps < len(continues), numpy.minimum(steps + 1, len(continues))


def select_method(kind: int, bound: Any, trial: Callable[[], tuple], accumulate: Callable[[], tuple]) -> tuple:
    """Run one iteration of an element with its method.

    If `kind` is 1, all elements use `trial`. If it is -1, all use `accumulate`. If it is 0, `bound` selects the method
    of each element.
    """
    from jax import numpy

    if kind:
        return trial() if kind > 0 else accumulate()
    done, taken = (numpy.where(bound > 0, *pair) for pair in zip(trial(), accumulate()))
    return done | (bound == 0), numpy.where(bound == 0, 0, taken)


def accepted_offsets(block: Block) -> np.ndarray:
    """Return u - 1/2 for the first uniform u of each element's accepted trial.

    The value is meaningless for an element without trials.
    """
    u = block.uniforms[block.ends - 2]
    u -= 0.5
    return u


def stirling_remainder(k: Any, over: Any) -> Any:
    """Return log(k!) minus Stirling's approximation. `over` is 1 / (k + 1)."""
    from jax import lax, numpy

    known = lax.dynamic_index_in_dim(
        numpy.array(STIRLING_REMAINDERS), numpy.clip(k, 0, 9).astype(np.int64), keepdims=False
    )
    square = over * over
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) * over
    return numpy.where(k < 10, known, series)
