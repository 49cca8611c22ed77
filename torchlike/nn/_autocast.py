"""Whether mixed precision is on."""

from __future__ import annotations

import torchlike


def autocast_is_on() -> bool:
    """Return whether operators choose their own precision; false while torchlike has no `is_autocast_enabled`."""
    asked = getattr(torchlike, "is_autocast_enabled", None)
    return asked is not None and asked()
