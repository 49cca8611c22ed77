"""Comparison of printed lines whose numbers may differ by rounding."""

import re

NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|nan|inf")


def difference(expected: str, found: str) -> float:
    """Return the largest difference of the numbers in two lines, relative to the largest number of the first line.

    Return infinity if the lines differ in anything but their fractional numbers.
    """
    if expected == found:
        return 0.0
    pairs = list(zip(NUMBER.findall(expected), NUMBER.findall(found)))
    if NUMBER.sub("#", expected) != NUMBER.sub("#", found) or any(x != y for x, y in pairs if "n" in x + y):
        return float("inf")
    numbers = [(float(x), float(y)) for x, y in pairs if "n" not in x]
    return max(abs(x - y) for x, y in numbers) / (max(abs(x) for x, _ in numbers) or 1.0)


def check(expected: list[str], found: list[str], tolerances: dict[str, float], rounding: float) -> None:
    """Compare the output of each process.

    The first word of a line is its kind. `tolerances` has the tolerances of kinds whose numbers differ by more than
    `rounding`.
    """
    for rank, (theirs, ours) in enumerate(zip(expected, found)):
        lines, others = theirs.splitlines(), ours.splitlines()
        for x, y in zip(lines, others):
            apart = difference(x, y)
            assert apart <= tolerances.get(x.partition(" ")[0], rounding), f"rank {rank}, {apart}:\n{x}\n{y}"
        assert lines, f"rank {rank}: no output"
        assert len(lines) == len(others), f"rank {rank}: {len(lines)} lines, {len(others)} lines"
