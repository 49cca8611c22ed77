"""The text of a report: a table of programs, the inputs whose shapes changed, and the compiled functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlike._engine.report.log import summary

if TYPE_CHECKING:
    from torchlike._engine.report.explain import Function, Program, Report

MOST_ROWS = 25
MOST_SHAPES = 6
MOST_CAUSES = 10  # per function
_HEAD = ("executor", "operators", "hits", "misses", "compiles", "compile s", "numpy runs", "donated", "source", "")


def table(report: Report) -> str:
    """Return the report as text."""
    shown, hidden = report.programs[:MOST_ROWS], len(report.programs) - MOST_ROWS
    lines = [_headline(report)]
    if shown:
        lines += ["", *_aligned([_HEAD, *map(_row, shown)])]
    if hidden > 0:
        lines.append(f"... and {hidden} more")
    changing = [line for program in shown for line in _changing(program)]
    if changing:
        lines += ["", "changed shapes", *_aligned(changing)]
    if report.functions:
        lines += ["", "compiled functions", *_aligned([_function(f) for f in report.functions])]
        lines += [line for f in report.functions for line in _causes(f)]
    if report.mesh is not None:
        lines += ["", report.mesh]
    if report.ranks:
        lines += ["", "ranks", *[f"{line} ({count} times)" for line, count in report.ranks.items()]]
    return "\n".join(lines)


def _headline(report: Report) -> str:
    sums = report.totals
    made = sum(len(program.variants) for program in report.programs)
    parts = [
        _some(made, "program"),
        _some(sums.runs, "run"),
        _some(sums.misses, "miss", "misses"),
        f"{_some(sums.compiles, 'compile')} in {sums.compile_seconds:.2f} s",
    ]
    if sums.from_disk:
        parts[-1] += f" ({sums.from_disk} from disk)"
    return ", ".join([*parts, f"{_some(sums.interpreter_runs, 'run')} by NumPy"])


def _some(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _row(program: Program) -> tuple[str, ...]:
    seconds = f"{program.compile_seconds:.2f}" if program.compiles else ""
    counts = (len(program.operators), program.hits, program.misses, program.compiles)
    return (
        program.executor,
        *map(str, counts),
        seconds,
        str(program.interpreter_runs or ""),
        _bytes(program.donated_bytes),
        program.where,
        summary(program.operators),
    )


def _bytes(number: float) -> str:
    if number < 1024:
        return f"{number} B" if number else ""
    units = iter(("KiB", "MiB", "GiB", "TiB"))
    unit, number = next(units), number / 1024
    while number >= 1024:
        unit, number = next(units), number / 1024
    return f"{number:.1f} {unit}"


def _changing(program: Program) -> list[tuple[str, ...]]:
    """Return, for each input whose shape changed, the source location, its first reader, and its shapes."""
    seen: dict[int, dict[tuple, None]] = {}
    for variant in program.variants:
        for each in variant.changed:
            seen.setdefault(each.index, {program.inputs[each.index].shape: None})[each.shape] = None
    return [(program.where, program.inputs[i].enters, _shapes(list(shapes))) for i, shapes in seen.items()]


def _function(f: Function) -> tuple[str, ...]:
    made = f"{_some(f.recordings, 'graph')} for {_some(f.signatures, 'signature')}"
    again, uncompiled = (sum(cause.count for cause in causes) for causes in (f.again, f.uncompiled))
    others = f"{again} captured again" if again else "", f"{uncompiled} uncompiled" if uncompiled else ""
    return f.name, made, _some(f.runs, "replay"), *others, f.where


def _causes(f: Function) -> list[str]:
    """Return the lines with the reasons why a compiled function was captured again or ran uncompiled."""
    again = [f"captured again: {f.name}: {reason} ({_some(count, 'time')})" for reason, count in f.again[:MOST_CAUSES]]
    return again + [f"uncompiled: {f.name}: {reason} ({_some(n, 'time')})" for reason, n in f.uncompiled[:MOST_CAUSES]]


def _shapes(shapes: list[tuple]) -> str:
    more = f" and {len(shapes) - MOST_SHAPES} more" if len(shapes) > MOST_SHAPES else ""
    return " ".join(map(str, shapes[:MOST_SHAPES])) + more


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the rows as lines with aligned columns: numbers right-aligned, text left-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    numbers = [
        all(cell[:1].isdigit() or not cell for cell in column[1:]) and len(rows) > 1 and column[0] in _HEAD
        for column in zip(*rows)
    ]
    return [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(row, widths, numbers)
        ).rstrip()
        for row in rows
    ]
