"""Vectorized sampling of the binomial distribution.

If at least ten successes are expected, a sample is made by Hoermann's BTRS (1993). Otherwise it is made by adding the
geometric gaps between successes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _libm
from ._blocks import Block, Process, blocks
from ._generator import Generator
from ._rejection_steps import (
    STIRLING_REMAINDERS,
    accepted_offsets,
    accumulation_step,
    rejection_trial,
    row_selector,
    select_method,
    stirling_remainder,
)


def binomials(generator: Generator, counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return numbers of successes for probabilities of at most one half. All arrays have shape (n,).

    Intermediate results are rounded to the dtype of the inputs at the same points as in PyTorch.
    """
    small, rows, drawn = counts * probabilities < 10, row_selector(counts, probabilities), np.empty(len(counts))
    some_sure = not ((counts > 0) & (probabilities > 0)).all()
    process = _BINOMIAL[0 if some_sure or small.any() > small.all() else -1 if small.any() else 1]
    columns = lambda some: _binomial_columns(process, *rows(some))
    for block in blocks(process, generator, len(counts), columns, process.own):
        drawn[block.elements] = _successes(block, *rows(block.elements))
    return drawn


def _binomial_columns(process: Process, counts: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
    one, n = p.dtype.type(1), counts.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_gaps = _libm.log1p(-p.astype(np.float64)).astype(p.dtype)  # log(1 - p)
        if process is _BINOMIAL[-1]:
            return by_gaps, n
        deviation = np.sqrt(counts * p * (one - p)).astype(np.float64)
        bound = np.where(counts * p >= 10, 0.92 - 4.2 / (1.15 + 2.53 * deviation), by_gaps)
        odds, mode = (p / (one - p)).astype(np.float64), np.floor((counts + one) * p).astype(np.float64)
        at_mode = (mode + 0.5) * np.log((mode + 1) / (odds * (n - mode + 1))) + _remainder(mode) + _remainder(n - mode)
    return np.where((counts > 0) & (p > 0), bound, 0), n, deviation, p, counts * p, odds, at_mode


def _remainder(k: np.ndarray) -> np.ndarray:
    square = (k + 1) * (k + 1)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return np.where(k < 10, np.array(STIRLING_REMAINDERS)[np.clip(k, 0, 9).astype(np.int64)], series)


def _binomial_iteration(kind: int, number: Callable, row: list, own: tuple, p: Any) -> tuple:
    """Perform one iteration of an element (see `Process.iterate`). `own` is the number of trials so far."""
    from jax import numpy

    bound, n = row[0](), row[1]()
    (trials,), gone = own, []
    for k in range(4):
        trials = trials + numpy.ceil(number(k, 1) / bound)
        gone.append(trials)
    trial = lambda: rejection_trial(number, bound, functools.partial(_binomial_by_logarithms, n, *row[2:]))
    done, taken = select_method(kind, bound, trial, lambda: accumulation_step([~(x > n) for x in gone]))
    return done, taken, (numpy.where(done, 0.0, trials),), ()


def _binomial_by_logarithms(n, deviation, p, middle, odds, at_mode, u, v) -> Any:
    """Return whether the slow test of BTRS accepts a trial."""
    from jax import numpy

    deviation, p, middle, odds, at_mode = (column() for column in (deviation, p, middle, odds, at_mode))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    distance = 0.5 - numpy.abs(u)
    k = numpy.floor((2 * a / distance + b) * u + (middle + 0.5))
    height = v * (2.83 + 5.1 / b) * deviation / (a / (distance * distance) + b)
    failed, over, under = n - k + 1, 1 / (k + 1), 1 / (n - k + 1)
    mode = numpy.floor((n + 1) * p)
    chance = (n + 1) * numpy.log((n - mode + 1) * under) + (k + 0.5) * numpy.log(odds * failed * over)
    chance = at_mode + chance - stirling_remainder(k, over) - stirling_remainder(n - k, under)
    return (k >= 0) & (k <= n) & (numpy.log(height) <= chance)


def _successes(block: Block, counts: np.ndarray, p: np.ndarray) -> np.ndarray:
    successes = np.maximum(block.ends - block.starts - 1, 0).astype(np.float64)
    large = counts * p >= 10
    if not large.any():
        return successes
    one, u = p.dtype.type(1), accepted_offsets(block)
    b = 1.15 + 2.53 * np.sqrt(counts * p * (one - p)).astype(np.float64)
    a = -0.0873 + 0.0248 * b + 0.01 * p.astype(np.float64)
    with np.errstate(divide="ignore"):
        k = np.floor((2 * a / (0.5 - np.abs(u)) + b) * u + ((counts * p).astype(np.float64) + 0.5))
    return np.where(large, k, successes)


def _log(uniforms: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(uniforms)


# Process -1 is for arrays whose elements all use geometric gaps, 1 for arrays whose elements all use BTRS, 0 for all
# other arrays.
_BINOMIAL = {
    kind: Process(functools.partial(_binomial_iteration, kind), (np.float64(0),), prepared=lambda u: (_log(u),))
    for kind in (-1, 0, 1)
}
