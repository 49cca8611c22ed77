"""The settings of attention, for the whole process: which backends are permitted, and their order."""

from __future__ import annotations

from collections.abc import Iterable

MATH, FLASH, EFFICIENT, CUDNN, OVERRIDEABLE = range(5)
DEFAULT_ORDER = (FLASH, EFFICIENT, MATH, CUDNN, OVERRIDEABLE)

# The permitted backends in the order of preference. It is part of the keys of compiled functions.
permitted: tuple[int, ...] = DEFAULT_ORDER
_order = DEFAULT_ORDER


def permit(backends: Iterable[int], order: Iterable[int] | None = None) -> None:
    """Permit exactly these backends.

    Args:
      order: the backends to prefer, the most preferred first. None keeps the order.
    """
    global permitted, _order
    if order is not None:
        first = tuple(dict.fromkeys(order))
        _order = (*first, *[each for each in DEFAULT_ORDER if each not in first])
    chosen = frozenset(backends)
    permitted = tuple([each for each in _order if each in chosen])


def order() -> tuple[int, ...]:
    """Return all backends in the order of preference."""
    return _order
