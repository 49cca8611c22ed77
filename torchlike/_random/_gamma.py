"""Vectorized sampling of the gamma distribution with the method of Marsaglia and Tsang (2000)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _libm
from ._blocks import Block, Process, blocks
from ._generator import Generator
from ._rejection_steps import row_selector

F32_THIRD, F32_BOUND = float(np.float32(1) / np.float32(3)), float(np.float32(0.0331))


def gammas(generator: Generator, d: np.ndarray, powers: np.ndarray, exact: bool) -> np.ndarray:
    """Return gamma samples with shape parameters d + 1/3.

    Each sample is multiplied by a uniform sample raised to the element's power, unless the power is 0.

    All arrays are float64 of shape (n,). If `exact` is False, samples may differ from PyTorch in the last bits of
    float64.
    """
    process, rows, drawn = _GAMMA[exact], row_selector(d, powers), np.empty(len(d))
    spare = generator.spare_normal
    own = (np.int64(1), np.int64(spare is not None), np.float64(spare or 0.0))
    drawing = blocks(process, generator, len(d), lambda some: _gamma_columns(*rows(some)), own)
    block = next(drawing, None)
    while block is not None:
        x = _normals(block, spare) if exact else block.kept[0]
        drawn[block.elements] = _gamma_numbers(block, x, *rows(block.elements))
        fresh, at, _ = block.own
        spare = _spare(block, int(at), spare)
        block = _next(drawing, (fresh, np.int64(spare is not None), np.float64(spare or 0.0)))
    generator.spare_normal = spare
    return drawn


def _spare(block: Block, at: int, spare: float | None) -> float | None:
    """Return the unused half of a Box-Muller pair at the end of a block, or None if there is none."""
    if at < 2:
        return spare if at else None
    return float(_halves(block.uniforms, np.array([at - 2]), np.array([True]))[0])


def _gamma_columns(d: np.ndarray, powers: np.ndarray) -> tuple[np.ndarray]:
    c = 1.0 / np.sqrt(9.0 * d)
    return (np.where(powers > 0, -c, c),)


def _gamma_numbers(block: Block, x: np.ndarray, d: np.ndarray, powers: np.ndarray) -> np.ndarray:
    y = 1.0 / np.sqrt(9.0 * d) * x
    y += 1.0
    cube = y * y
    cube *= y
    if powers.any():
        d = _libm.pow(1 - block.uniforms[block.starts], powers) * d
    cube *= d
    return cube


def _next(drawing: Any, own: tuple) -> Block | None:
    try:
        return drawing.send(own)
    except StopIteration:
        return None


def _normals(block: Block, spare: float | None) -> np.ndarray:
    """Recompute the accepted normal numbers with the C library's functions.

    The block keeps the positions of their Box-Muller pairs + 2: positive for the first half, negative for the second.
    It keeps -1 for the generator's unused half.
    """
    kept = block.kept[0].astype(np.int64)
    x = _halves(block.uniforms, np.abs(kept) - 2, kept < 0)
    return np.where(kept == -1, spare, x) if spare is not None else x


def _halves(uniforms: np.ndarray, places: np.ndarray, second: np.ndarray) -> np.ndarray:
    radius = np.sqrt(-2.0 * _libm.log1p(-uniforms[places + 1]))
    theta = 2.0 * math.pi * uniforms[places]
    turned = np.empty(len(places))
    turned[~second], turned[second] = _libm.cos(theta[~second]), _libm.sin(theta[second])
    return radius * turned


def _gamma_iteration(exact: bool, number: Callable, row: list, own: tuple, p: Any) -> tuple:
    """Perform one trial of an element (see `Process.iterate`).

    `own` has three values: whether the element is new, the location of the unused half of a Box-Muller pair, and that
    half. The location is 0 if there is no unused half, 1 if it is the generator's, and otherwise the position of the
    pair + 2.
    """
    from jax import lax, numpy

    (fresh, at, spare), c = own, row[0]()
    waits, start = at > 0, ((fresh > 0) & (c < 0)).astype(np.int64)
    pair = lambda u1, u2, _: _box_muller(u1, u2)
    x, spare = lax.cond(waits, lambda u1, u2, half: (half, half), pair, number(start), number(start + 1), spare)
    used = numpy.where(waits, start, start + 2)
    y = 1 + numpy.abs(c) * x
    u, square, inside = 1 - number(used), x * x, y > 0
    quick = u < 1.0 - F32_BOUND * square * square
    accepted = lax.cond(inside & ~quick, _gamma_by_logarithms, lambda *_: inside, u, square, y, c)
    place = start + p + 2
    kept = numpy.where(waits, -at, place).astype(np.float64) if exact else x
    own = accepted.astype(np.int64), numpy.where(waits, 0, place), spare
    return accepted, used + inside, own, (kept,)


def _gamma_by_logarithms(u: Any, square: Any, y: Any, c: Any) -> Any:
    from jax import numpy

    v = y * y * y
    return numpy.log(u) < 0.5 * square + (1 - v + numpy.log(v)) / (9 * c * c)


def _box_muller(u1: Any, u2: Any) -> tuple[Any, Any]:
    """Return a pair of normal numbers, accurate to a few units in the last place."""
    from jax import numpy

    quarter = numpy.floor(4 * u1 + 0.5)
    t = 4 * u1 - quarter  # the remaining angle in quarter turns, at most one half in magnitude
    cosine, sine = _polynomial(t * t, _COS), t * _polynomial(t * t, _SIN)
    odd = quarter - 2 * numpy.floor(quarter / 2) > 0
    cosine, sine = numpy.where(odd, -sine, cosine), numpy.where(odd, cosine, sine)
    radius = numpy.sqrt(-2 * numpy.log(1 - u2))
    radius_or_less = numpy.where((quarter > 1) & (quarter < 4), -radius, radius)
    return radius_or_less * cosine, radius_or_less * sine


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    return functools.reduce(lambda value, c: value * x + c, coefficients)


_COS, _SIN = (
    tuple((-1) ** (k // 2) * (math.pi / 2) ** k / math.factorial(k) for k in range(top, -1, -2)) for top in (18, 19)
)
_GAMMA = {
    exact: Process(functools.partial(_gamma_iteration, exact), (np.int64(1), np.int64(0), np.float64(0)), kept=1)
    for exact in (False, True)
}
