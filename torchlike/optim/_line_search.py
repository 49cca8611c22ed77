"""A line search for the strong Wolfe conditions by cubic interpolation (Nocedal and Wright, algorithms 3.5 and 3.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import torchlike
from torchlike import Tensor


class _Point(NamedTuple):
    """A step length along the search direction, with the loss, the gradient and the slope at that point."""

    length: Any
    loss: float
    grad: Tensor
    slope: Any


def number(tensor: Tensor) -> Any:
    """Return a 0-d tensor as a NumPy scalar of the same dtype, whose arithmetic overflows to infinity.

    NumPy has no bfloat16. Its numbers are returned in float32.
    """
    plain = tensor.detach()
    return (plain.float() if plain.dtype is torchlike.bfloat16 else plain).numpy()[()]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def cubic_minimum(x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple | None = None) -> Any:
    """Return the minimizer, clamped to the bounds, of the cubic through two points with given values and slopes.

    If the cubic has no minimum, return the midpoint of the bounds. The default bounds are the two points.
    """
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[float, Tensor]],
    length: Any,
    direction: Tensor,
    loss: float,
    grad: Tensor,
    slope: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, Tensor, Any, int]:
    """Search for a step length that satisfies the strong Wolfe conditions.

    The conditions are: the loss decreases by at least `c1` times the length times the absolute initial slope, and the
    absolute slope decreases to at most `c2` times the absolute initial slope. `evaluate` maps a length to the loss and
    the gradient. The search ends after about `max_ls` evaluations even if no length satisfies the conditions.

    Returns:
      The loss and the gradient at the end, the step length, and the number of evaluations.
    """
    size = number(direction.abs().max())
    start = _Point(0, loss, grad, slope)

    def at(length: Any) -> _Point:
        loss, grad = evaluate(length)
        return _Point(length, loss, grad.clone(), number(grad.dot(direction)))

    def too_high(point: _Point) -> bool:
        return point.loss > loss + c1 * point.length * slope

    point, calls = at(length), 1
    previous, bracket, found = start, None, False
    for tries in range(max_ls):
        if too_high(point) or (tries > 0 and point.loss >= previous.loss):
            bracket = [previous, point]
            break
        if abs(point.slope) <= -c2 * slope:
            bracket, found = [point], True
            break
        if point.slope >= 0:
            bracket = [previous, point]
            break
        bounds = (point.length + 0.01 * (point.length - previous.length), point.length * 10)
        length = cubic_minimum(previous.length, previous.loss, previous.slope, *_cubic(point), bounds=bounds)
        previous, point = point, at(length)
        calls += 1
    else:
        tries = max_ls
    if bracket is None:
        bracket = [start, point]
    best, more = _zoom(bracket, at, too_high, found, slope, size, c2, tolerance_change, max_ls - tries)
    return best.loss, best.grad, best.length, calls + more


def _cubic(point: _Point) -> tuple:
    return point.length, point.loss, point.slope


def _zoom(
    bracket: list[_Point],
    at: Callable,
    too_high: Callable,
    found: bool,
    slope: float,
    size: float,
    c2: float,
    tolerance_change: float,
    tries: int,
) -> tuple[_Point, int]:
    """Narrow the bracket until a point satisfies the conditions, the bracket is too short, or no trials are left.

    Returns the point with the lowest loss and the number of evaluations.
    """
    near_edge, calls = False, 0
    low, high = (0, 1) if bracket[0].loss <= bracket[-1].loss else (1, 0)
    while not found and tries > 0:
        if abs(bracket[1].length - bracket[0].length) * size < tolerance_change:
            break
        length = cubic_minimum(*_cubic(bracket[0]), *_cubic(bracket[1]))
        length, near_edge = _kept_inside(bracket, length, near_edge)
        point = at(length)
        calls += 1
        tries -= 1
        if too_high(point) or point.loss >= bracket[low].loss:
            bracket[high] = point
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        if abs(point.slope) <= -c2 * slope:
            found = True
        elif point.slope * (bracket[high].length - bracket[low].length) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = point
    return bracket[low if len(bracket) > 1 else 0], calls


def _kept_inside(bracket: list[_Point], length: Any, near_edge: bool) -> tuple[Any, bool]:
    """Keep a trial length away from the ends of the bracket.

    A length outside the bracket, or near an end for the second time in a row, is replaced by the point at a tenth of
    the bracket from the nearer end. Returns the length, and whether it is near an end.
    """
    left, right = sorted(point.length for point in bracket)
    margin = 0.1 * (right - left)
    if min(right - length, length - left) >= margin:
        return length, False
    if not (near_edge or length >= right or length <= left):
        return length, True
    return (right - margin if abs(length - right) < abs(length - left) else left + margin), False
