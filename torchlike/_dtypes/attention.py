"""The settings of attention, for the whole process: which backends are permitted, and their order."""

from __future__ import annotations

from collections.abc import Iterable

MATH, FLASH, EFFICIENT, CUDNN, OVERRIDEABLE = range(5)
DEFAULT_ORDER = (FLASH, EFFICIENT, MATH, CUDNN, OVERRIDEABLE)

# The permitted backends in the order of preference. It is part of the keys of compiled functions.
permitted: tuple[int, ...] = DEFAULT_ORDER
_order = DEFAULT_ORDER


def permit(backends: Iterable[int], order: Iterable[int] = ()) -> None:
    """Permit exactly these backends.

    Args:
      order: the backends to prefer, the most preferred first. The others keep their order.
    """
    global permitted, _order
    _order = tuple(dict.fromkeys((*map(int, order), *_order)))
    chosen = frozenset(map(int, backends))
    permitted = tuple([each for each in _order if each in chosen])
