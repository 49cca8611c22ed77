"""Counters of compiles, for tests that limit their number. `explain` reports more."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Stats:
    """Programs compiled so far in this process."""

    compiles: int = 0
    compile_seconds: float = 0.0

    def reset(self) -> None:
        """Set every counter to zero."""
        for field in fields(self):
            setattr(self, field.name, field.default)


stats = Stats()
