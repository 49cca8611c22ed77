"""The table of `torch.utils.benchmark.Compare`."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterable, Sequence

from torchlike.utils.benchmark.utils.common import Measurement, unit_of

__all__ = ["Colorize", "Compare"]

_INDENT = " " * 6
_BAR = "  |  "
_FASTEST = "\033[92m\033[1m", "\033[0m\033[0m"


class Colorize(enum.Enum):
    """How a table is colored."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """A table of measurements: a column for each description, a row for each sub-label and number of threads.

    Measurements with different labels are in different tables. Equal tasks are merged.

    Args:
      results: the measurements.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trims, self._colors, self._by_row = False, False, False
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Raises:
          ValueError: an element is not a `Measurement`.
        """
        results = list(results)
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results += results

    def trim_significant_figures(self) -> None:
        """Show only the digits that the spread of the times supports."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Show the fastest cells of each column, or of each row, in bold green."""
        self._colors, self._by_row = True, rowwise

    def highlight_warnings(self) -> None:
        """Raise `NotImplementedError`: measurements have no warnings."""
        raise NotImplementedError("torch.utils.benchmark.Compare.highlight_warnings is not supported by torchlike")

    def print(self) -> None:
        """Print the tables."""
        print(str(self))

    def __str__(self) -> str:
        merged = Measurement.merge(self._results)
        tables: dict[str | None, list[Measurement]] = {}
        for result in merged:
            tables.setdefault(result.task_spec.label, []).append(result)
        return "\n".join(map(self._table, tables.values()))

    def _table(self, results: Sequence[Measurement]) -> str:
        """Return the table of the measurements with one label."""
        name, short, unit = unit_of(min(result.median for result in results))
        columns = list(dict.fromkeys(result.description for result in results))
        rows = dict.fromkeys((result.num_threads, result.as_row_name) for result in results)
        cells = {(result.num_threads, result.as_row_name, result.description): result for result in results}
        texts: dict[tuple, str] = {}
        for column in columns:
            texts |= self._column({place: result for place, result in cells.items() if place[2] == column}, unit)
        widths = {
            column: max(len(column or ""), *(len(text) for place, text in texts.items() if place[2] == column))
            for column in columns
        }
        first = len(_INDENT) + max(len(row[1]) for row in rows)
        lines = [_BAR.join([" " * first, *((column or "").center(widths[column]) for column in columns)])]
        width = len(lines[0])
        for threads, group in itertools.groupby(sorted(rows, key=lambda row: row[0]), lambda row: row[0]):
            lines.append(f"{threads} threads: ".ljust(width, "-"))
            for row in group:
                places = [((*row, column), widths[column]) for column in columns]
                shown = [self._shown(cells, place, texts.get(place, "").rjust(wide)) for place, wide in places]
                lines.append(_BAR.join([(_INDENT + row[1]).ljust(first), *shown]))
        title = "[" + f" {results[0].task_spec.label or ''} ".center(width - 2, "-") + "]"
        return "\n".join([title, *lines, "", f"Times are in {name} ({short}).", ""])

    def _column(self, results: dict[tuple, Measurement], unit: float) -> dict[tuple, str]:
        """Return the texts of the cells of one column, with the same number of decimals."""
        if not self._trims:
            return {place: f"{result.median / unit:.1f}" for place, result in results.items()}
        values, decimals = {}, 0
        for place, result in results.items():
            value = result.median / unit
            digits = result.significant_figures - math.floor(math.log10(value)) - 1 if value else 0
            values[place], decimals = round(value, digits), max(decimals, digits)
        return {place: f"{value:.{decimals}f}" for place, value in values.items()}

    def _shown(self, cells: dict[tuple, Measurement], place: tuple, text: str) -> str:
        if not self._colors or place not in cells:
            return text
        beside = [
            result.median
            for other, result in cells.items()
            if (other[:2] == place[:2] if self._by_row else other[::2] == place[::2])
        ]
        return text.join(_FASTEST) if cells[place].median <= 1.05 * min(beside) else text
