"""The outcome of many trials: their number, and each kind of difference with an example."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, field


class Difference(Exception):
    """An incorrect result: its kind, by which differences are counted, and the details of this case."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


@dataclass
class Outcome:
    """The trials of one row of the table in `docs/robust.md`."""

    name: str
    trials: int = 0
    heard: int = 0  # the trials in which the intended event occurred
    kinds: Counter = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def differences(self) -> int:
        """The number of trials with an error."""
        return self.kinds.total()

    def add(self, where: str, error: BaseException) -> None:
        """Count one trial with an error."""
        kind = error.kind if isinstance(error, Difference) else f"{type(error).__name__}: {str(error)[:80]}"
        self.kinds[kind] += 1
        if kind not in self.examples:
            self.examples[kind] = f"{where}\n{''.join(traceback.format_exception(error, limit=-8))}"

    def take(self, other: Outcome) -> None:
        """Add the trials of another row."""
        self.trials += other.trials
        self.heard += other.heard
        self.kinds += other.kinds
        self.examples = {**other.examples, **self.examples}

    def report(self) -> str:
        """Return the kinds of differences, with an example each."""
        lines = [f"{self.name}: {self.differences} of {self.trials} trials"]
        lines += [f"{count:6} {kind}\n{self.examples[kind]}" for kind, count in self.kinds.most_common()]
        return "\n".join(lines)
