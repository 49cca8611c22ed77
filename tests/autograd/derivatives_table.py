"""`docs/derivatives.md`: the derivatives that were checked, by operator. Written by `derivatives.py --table`."""

from __future__ import annotations

from pathlib import Path

from tests.ops.row import JUDGED

PATH = Path(__file__).parents[2] / "docs" / "derivatives.md"

HEAD = """\
# Derivatives

Written by `python -m tests.autograd.derivatives --table`. For each operator the table says whether its first, second
and third derivatives agree with finite differences in float64, at all samples of the operator. The first and second
derivatives are checked by `gradcheck`, the third against differences of the second. If an argument is assumed to be
symmetric or triangular, the perturbations are symmetric or triangular too.

- passed: the derivative agrees and is not zero at the samples
- zero: the derivative agrees and is zero at the samples
- none: the operator has no gradient, in PyTorch either
- refused: PyTorch has no derivative, and torchlike raises the same error
- unchecked: the derivative exists, but at no sample can finite differences verify it
- wrong: the derivative does not agree

"""
COLUMNS = ["operator", "first", "second", "third"]


def read() -> dict[str, list[str]]:
    """Return the rows of the existing table."""
    lines = PATH.read_text("utf-8").splitlines() if PATH.is_file() else []
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {name.strip("`"): rest for name, *rest in cells}


def write(rows: dict[str, list[str]]) -> None:
    """Replace these rows in the table, and remove operators that no longer exist."""
    rows = read() | rows
    table = [COLUMNS, ["---"] * len(COLUMNS), *[[f"`{name}`", *rows[name]] for name in JUDGED if name in rows]]
    PATH.write_text(HEAD + "".join(f"| {' | '.join(line)} |\n" for line in table), "utf-8")


def count() -> str:
    """Return the number of operators with each result, for each order."""
    rows = read().values()
    words = sorted({word for row in rows for word in row})
    return "\n".join(
        f"{order}: " + ", ".join(f"{sum(row[i] == word for row in rows)} {word}" for word in words)
        for i, order in enumerate(COLUMNS[1:])
    )
