"""Entering and leaving a grad mode as one act each."""

from collections.abc import Callable
from typing import Any

class Switch:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...

def of(get: Callable[[], Any], set: Callable[[Any], Any]) -> None: ...
