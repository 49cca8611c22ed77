"""The choice of the parameters with which a test runs in the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def gated(values: Iterable[Any], chosen: Callable[[Any], bool]) -> list:
    """Return values for `pytest.mark.parametrize`. The values that are not chosen run in the long tests only."""
    parts = lambda value: value if isinstance(value, tuple) else (value,)
    return [value if chosen(value) else pytest.param(*parts(value), marks=pytest.mark.long) for value in values]


def thin(items: Iterable[pytest.Item]) -> None:
    """Mark the cases that `pytest.mark.one_in(n)` leaves to the long tests: all but every n-th case of a test.

    If n has no divisor in common with the numbers of values, every value of every parameter stays in the gate.
    """
    seen = Counter()
    for item in items:
        marker = item.get_closest_marker("one_in")
        if marker is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % marker.args[0]:
                item.add_marker(pytest.mark.long)
            seen[name] += 1
