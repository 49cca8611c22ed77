"""A row of the benchmark table: one figure for each contender, and the limits that the figures must meet."""

from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Check:
    """A checked figure: `value`, described by `what`, may be at most `limit`. A check without a limit is only
    displayed."""

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
    failures: dict[str, str] = field(default_factory=dict)  # contender: the reason for a missing figure

    @property
    def verdict(self):
        if "torchlike" in self.failures:
            return "FAIL"
        judged = [check.passed for check in self.checks if check.limit is not None]
        return "" if not judged else "pass" if all(judged) else "FAIL"

    def as_dict(self):
        return asdict(self) | {"verdict": self.verdict}


def over(figures, rival, limit=None, ours="torchlike"):
    """Return the check that our figure divided by the rival's is within the limit, or no check if a figure is
    missing."""
    if rival not in figures or ours not in figures:
        return []
    what = f"over {rival}" if ours == "torchlike" else f"{ours} over {rival}"
    return [Check(what, figures[ours] / figures[rival], limit)]
