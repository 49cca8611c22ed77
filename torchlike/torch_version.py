"""The PyTorch version that torchlike emulates, and version comparison."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["TorchVersion"]

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev|post)[-_.]?(\d*))?(?:\+([\w.]+))?")
_BEFORE = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "preview": -1, "post": 1}


def _order(text: str) -> tuple | None:
    """Return the comparison key of a version, or None if `text` is not a version.

    The key has the release numbers without trailing zeros, the release stage and its number, and the local label.
    """
    found = _FORM.fullmatch(text.strip().lower())
    if found is None:
        return None
    numbers, stage, count, local = found.groups()
    release = [int(n) for n in numbers.split(".")]
    while release and not release[-1]:
        release.pop()
    label = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"[._]", local or ""))
    return tuple(release), _BEFORE.get(stage, 0), int(count or 0), label if local else ()


class TorchVersion(str):
    """A version string. It compares as a version with strings, tuples of numbers and other versions.

    >>> import torchlike as torch
    >>> torch.__version__ >= (1, 13), torch.__version__ > "2.9"
    (True, True)
    """

    __slots__ = ()

    def _compared(self, other: Any, compare: Callable[[Any, Any], bool], as_text: Callable) -> Any:
        if isinstance(other, tuple | list):
            other = ".".join(map(str, other))
        elif not isinstance(other, str) and type(other).__name__ != "Version":
            return as_text(self, other)
        mine, yours = _order(str(self)), _order(str(other))
        if mine is None or yours is None:  # a string that is not a version compares as text
            return as_text(self, other)
        return compare(mine, yours)

    def __eq__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a == b, str.__eq__)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a < b, str.__lt__)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a > b, str.__gt__)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a <= b, str.__le__)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a >= b, str.__ge__)

    __ne__ = str.__ne__  # compares as text, as in PyTorch
    __hash__ = str.__hash__


OWN = "0.1.0"  # torchlike's own version
LIKE = "2.13.0"  # the PyTorch version that torchlike emulates
__version__ = TorchVersion(f"{LIKE}+torchlike.{OWN}")
