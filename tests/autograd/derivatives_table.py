"""`docs/derivatives.md`: which derivatives of which operators were checked. Written by `derivatives.py --table`."""

from __future__ import annotations

from pathlib import Path

from tests.ops.row import JUDGED

PATH = Path(__file__).parents[2] / "docs" / "derivatives.md"

HEAD = """\
# Derivatives

What `python -m tests.autograd.derivatives --table` found: for each operator whether its first, second and third
derivatives agree with small differences in float64 (`gradcheck`; the third derivative with differences of the second),
at all samples of the operator. Of an argument that is taken to be symmetric or triangular the differences are so too.

- passed: agrees, and is not zero at the numbers tried
- zero: agrees, and is zero there
- none: neither the operator nor PyTorch's has a gradient
- refused: PyTorch has none, and it is refused in the same words
- unchecked: it has one, but no sample where differences tell
- wrong: does not agree

"""
COLUMNS = ["operator", "first", "second", "third"]


def read() -> dict[str, list[str]]:
    """The rows of the table as it is."""
    lines = PATH.read_text("utf-8").splitlines() if PATH.is_file() else []
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    return {name.strip("`"): rest for name, *rest in cells}


def write(rows: dict[str, list[str]]) -> None:
    """Put these rows in the place of what the table said of them, and drop operators that no longer exist."""
    rows = read() | rows
    table = [COLUMNS, ["---"] * len(COLUMNS), *[[f"`{name}`", *rows[name]] for name in JUDGED if name in rows]]
    PATH.write_text(HEAD + "".join(f"| {' | '.join(line)} |\n" for line in table), "utf-8")


def count() -> str:
    """How many operators stand at each word, for each order."""
    rows = read().values()
    words = sorted({word for row in rows for word in row})
    return "\n".join(
        f"{order}: " + ", ".join(f"{sum(row[i] == word for row in rows)} {word}" for word in words)
        for i, order in enumerate(COLUMNS[1:])
    )
