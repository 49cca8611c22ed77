"""Vectorized sampling of the Poisson distribution.

Rates of ten and more use Hoermann's transformed rejection. For a smaller rate, uniforms are multiplied until their
product is at most exp(-rate).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ._blocks import Block, Process, blocks
from ._generator import Generator
from ._rejection_steps import (
    accepted_offsets,
    accumulation_step,
    rejection_trial,
    row_selector,
    select_method,
    stirling_remainder,
)


def poissons(generator: Generator, rates: np.ndarray) -> np.ndarray:
    """Return Poisson counts for finite rates. Both are float64 arrays of shape (n,)."""
    drawn, rows = np.empty(len(rates)), row_selector(rates)
    process = _POISSON[1 if rates.min() >= 10 else -1 if 0 < rates.min() <= rates.max() < 10 else 0]
    for block in blocks(process, generator, len(rates), lambda some: _poisson_columns(*rows(some)), process.own):
        drawn[block.elements] = _poisson_counts(block, *rows(block.elements))
    return drawn


def _poisson_columns(rates: np.ndarray) -> tuple[np.ndarray, ...]:
    large = rates >= 10
    bound = np.zeros(len(rates)) if large.all() else np.where(rates > 0, -np.exp(-rates), 0)
    if large.any():
        bound = np.where(large, 0.9277 - 3.6224 / (2.53 * np.sqrt(rates) - 1.069), bound)
    return bound, rates


def _poisson_iteration(kind: int, number: Callable, row: list, own: tuple, p: Any) -> tuple:
    """Perform one iteration of an element (see `Process.iterate`). `own` is the product of the uniforms so far."""
    from jax import numpy

    bound, rate = (column() for column in row)
    (product,), products = own, []
    for k in range(4):
        product = product * number(k)
        products.append(product)
    trial = lambda: rejection_trial(number, bound, functools.partial(_poisson_by_logarithms, rate))
    done, taken = select_method(kind, bound, trial, lambda: accumulation_step([x > -bound for x in products]))
    return done, taken, (numpy.where(done, 1.0, product),), ()


def _poisson_by_logarithms(rate: Any, u: Any, v: Any) -> Any:
    """Return whether Hoermann's slow test accepts a trial.

    log(k!) is computed by Stirling's formula, whose terms are combined into one logarithm.
    """
    from jax import numpy

    distance, root = 0.5 - numpy.abs(u), numpy.sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    k = numpy.floor((2 * a / distance + b) * u + rate + 0.43)
    refused = (k < 0) | ((distance < 0.013) & (v > distance))
    square, over = distance * distance, 1 / (k + 1)
    height = v * (1.1239 * (b - 3.4) + 1.1328) * square * root * math.sqrt(2 * math.pi)
    log_chance = (k + 0.5) * numpy.log(rate * over) + (k + 1 - rate) - stirling_remainder(k, over)
    return ~refused & (numpy.log(height / ((a + b * square) * (b - 3.4))) <= log_chance)


def _poisson_counts(block: Block, rates: np.ndarray) -> np.ndarray:
    large = rates >= 10
    if large.all():
        return _poisson_by_rejection(block, rates)
    counts = np.maximum(block.ends - block.starts - 1, 0).astype(np.float64)
    return np.where(large, _poisson_by_rejection(block, rates), counts) if large.any() else counts


def _poisson_by_rejection(block: Block, rates: np.ndarray) -> np.ndarray:
    u, b = accepted_offsets(block), 0.931 + 2.53 * np.sqrt(rates)
    with np.errstate(divide="ignore"):
        counts = 2 * (-0.059 + 0.02483 * b) / (0.5 - np.abs(u))
    counts += b
    counts *= u
    counts += rates
    counts += 0.43
    return np.floor(counts, out=counts)


# Process -1 is for arrays whose elements all use products, 1 for arrays whose elements all use rejection, 0 for others.
_POISSON = {kind: Process(functools.partial(_poisson_iteration, kind), (np.float64(1),)) for kind in (-1, 0, 1)}
