"""The choice of the parameters with which a test runs in the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def gated(values: Iterable[Any], chosen: Callable[[Any], bool]) -> list:
    """Return values for `pytest.mark.parametrize`. The values that are not chosen run in the long tests only."""
    parts = lambda value: value if isinstance(value, tuple) else (value,)
    return [value if chosen(value) else pytest.param(*parts(value), marks=pytest.mark.long) for value in values]
