"""A row of the table: one figure for each contender, and the limits it is held to."""

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Check:
    """`value` is what `what` came to, and may be `limit` at most; without a limit it is shown, not judged."""

    what: str
    value: float
    limit: float | None = None

    @property
    def passed(self):
        return self.limit is None or self.value <= self.limit


@dataclass
class Row:
    title: str
    unit: str
    figures: dict[str, float]
    checks: list[Check] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)  # contender: why it has no figure

    @property
    def verdict(self):
        if "torchlike" in self.failures:
            return "FAIL"
        judged = [check.passed for check in self.checks if check.limit is not None]
        return "" if not judged else "pass" if all(judged) else "FAIL"

    def as_dict(self):
        return asdict(self) | {"verdict": self.verdict}


def over(figures, rival, limit=None, ours="torchlike"):
    """The check that our figure divided by the rival's is within the limit; none where either is missing."""
    if rival not in figures or ours not in figures:
        return []
    what = f"over {rival}" if ours == "torchlike" else f"{ours} over {rival}"
    return [Check(what, figures[ours] / figures[rival], limit)]
