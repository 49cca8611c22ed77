"""Branches of a forward on a size: comparisons that have another result at sizes that no recording has."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from torchlike._errors.callers import users_place
from torchlike._transforms.answers import Answers, answering
from torchlike._transforms.marks import marked
from torchlike.export._formulas import Formula, NoFormulaError, formula
from torchlike.export._record import Forward, record
from torchlike.export._shapes import Sizes

_ENDLESS = 1 << 40  # the greatest size of a dim without a limit
_MOST_CORNERS = 256
_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


class Comparison(NamedTuple):
    """One comparison of a size with a number."""

    name: str  # of the function in `operator`
    left: int
    right: int
    place: Any  # the user's line


class Branch(NamedTuple):
    """A comparison that has another result at sizes that no recording has: its text, and the nearest such sizes."""

    text: str
    sizes: dict[str, int]


class _Comparisons(Answers):
    """The comparisons of the sizes of one recording."""

    def __init__(self) -> None:
        super().__init__([])  # not recording: nothing warns
        self.made: list[Comparison] = []

    def answer(self, kind: str, ask: Callable[[], Any], operands: tuple = ()) -> Any:
        """Note a comparison of sizes, and return its result."""
        name = kind.removeprefix("size.").strip("_")
        if name == "bool":
            name, operands = "ne", (*operands, 0)
        if name in _SIGNS and all(isinstance(each, int) for each in operands):
            left, right = map(int.__int__, operands)
            self.made.append(Comparison(name, left, right, users_place()))
        return ask()


def branches(forward: Forward, args: tuple, kwargs: dict, sizes: Sizes) -> list[Branch]:
    """Return the comparisons in forward that have the same result in all recordings, but not at all declared sizes.

    The sizes of the inputs, and sums, products and quotients of them, are followed where the user's code compares them.
    """
    samples = sizes.samples()
    found = [_compared(forward, args, kwargs, sizes.at(sample)) for sample in samples]
    if len({len(made) for made in found}) != 1:
        return []
    return [branch for made in zip(*found) if (branch := _branch(made, samples, sizes)) is not None]


def _compared(forward: Forward, args: tuple, kwargs: dict, shapes: Sequence[tuple]) -> list[Comparison]:
    comparisons = _Comparisons()
    with answering(comparisons):
        record(forward, args, kwargs, shapes, False, marked)
    return comparisons.made


def _branch(made: Sequence[Comparison], samples: Sequence[Mapping[str, int]], sizes: Sizes) -> Branch | None:
    name, place = made[0].name, made[0].place
    compare = getattr(operator, name)
    results = {compare(each.left, each.right) for each in made}
    if len(results) != 1 or any(each.name != name for each in made):
        return None
    try:
        left = formula([each.left for each in made], samples)
        right = formula([each.right for each in made], samples)
    except NoFormulaError:
        return None
    (result,) = results
    difference = lambda at: _at(left, at) - _at(right, at)
    turned = _turned(difference, lambda d: compare(d, 0) != result, name in ("eq", "ne"), sizes)
    text = f"`{left} {_SIGNS[name]} {right}` at {place} is {result} at the recorded sizes, but not at all sizes"
    return None if turned is None else Branch(text, turned)


def _turned(
    difference: Callable[[Mapping[str, int]], int], flips: Callable[[int], bool], is_exact: bool, sizes: Sizes
) -> dict[str, int] | None:
    """Return the nearest sizes on the ways from the example to the limits at which a comparison flips, or None.

    The difference of its two sides is monotonic in each size. With `is_exact`, it flips only where that is zero.
    """
    for corner in _corners(sizes):
        at = dict(sizes.given)
        for name, end in corner.items():
            along = functools.partial(_along, difference, dict(at), name)
            found = _first(along, flips, is_exact, at[name], end)
            at[name] = end if found is None else found
            if found is not None:
                return at
    return None


def _along(difference: Callable[[Mapping[str, int]], int], at: Mapping[str, int], name: str, size: int) -> int:
    return difference({**at, name: size})


def _first(
    along: Callable[[int], int], flips: Callable[[int], bool], is_exact: bool, begin: int, end: int
) -> int | None:
    """Return the first size on the way from `begin` to `end` at which a comparison flips, or None. Search by halves."""
    start = along(begin)
    passes = (lambda d: start * d <= 0) if is_exact else flips
    if not passes(along(end)):
        return None
    while abs(end - begin) > 1:
        middle = (begin + end) // 2
        begin, end = (begin, middle) if passes(along(middle)) else (middle, end)
    return end if flips(along(end)) else None


def _corners(sizes: Sizes) -> list[dict[str, int]]:
    """Return the combinations of the least and the greatest sizes."""
    limits = [(dim.min, _ENDLESS if dim.max is None else dim.max) for dim in sizes.dims.values()]
    if 2 ** len(limits) > _MOST_CORNERS:
        return []
    return [dict(zip(sizes.dims, corner)) for corner in itertools.product(*limits)]


def _at(value: int | Formula, sizes: Mapping[str, int]) -> int:
    return value if isinstance(value, int) else value.at(sizes)
