"""Write the results as a JSON file and as a Markdown page, and summarize them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.conformance.call import Verdict
from tests.conformance.exclusions import DIFFERENT_THROUGH_XLA, ILL_CONDITIONED, UP_TO_A_CHOICE, WITHOUT_VALUES
from tests.conformance.run import MOST_COMPILED, MOST_SAMPLES, Verdicts

DOCS = Path(__file__).parents[2] / "docs"
DATA, PAGE = DOCS / "coverage.json", DOCS / "coverage.md"
LONGEST = 150  # maximum length of a failure on the page

Results = dict[str, Verdicts]


def write(results: Results, data: Path = DATA) -> None:
    """Write the JSON file."""
    rows = [f"{json.dumps(name)}: {json.dumps(_plain(verdicts))}" for name, verdicts in results.items()]
    data.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def read(data: Path = DATA) -> Results:
    """Return the results from a JSON file."""
    found = json.loads(data.read_text("utf-8"))
    return {name: {check: Verdict(*row) for check, row in rows.items()} for name, rows in found.items()}


def merged(known: Results, new: Results, executor: str) -> Results:
    """Return the known results with the checks of one executor replaced by new ones. The other checks are kept."""
    kept = lambda name: {c: v for c, v in known.get(name, {}).items() if c.startswith("xla") != (executor == "xla")}
    parts = {name: (kept(name), verdicts) for name, verdicts in new.items()}
    return {**known, **{n: {**a, **b} if executor == "xla" else {**b, **a} for n, (a, b) in parts.items()}}


def _plain(verdicts: Verdicts) -> dict[str, Any]:
    return {
        check: [v.passed, v.total] if v.passed == v.total else [v.passed, v.total, v.failure[:300]]
        for check, v in verdicts.items()
    }


# -- figures -----------------------------------------------------------------------------------------------------------


def passes(verdicts: Verdicts, starts: str) -> bool | None:
    """Return whether all checks whose name begins with `starts` pass, or None if there are none."""
    found = [v.passed == v.total for check, v in verdicts.items() if check.startswith(starts)]
    return all(found) if found else None


def figures(results: Results) -> list[tuple[str, int, int]]:
    """Return the rows of the summary: a description, the number of passes, and the total."""
    every = list(results.values())
    first = [passes(v, next((c for c in v if c.startswith("forward")), "forward")) for v in every]
    variants = [passes(v, kind) for v in every for kind in ("method", "in-place", "out=")]
    rows: list[tuple[str, Iterable[bool | None]]] = [
        ("entries whose every float32 sample passes forward", first),
        ("entries whose every sample of every dtype passes forward", [passes(v, "forward") for v in every]),
        ("entries with gradients, all passing", [passes(v, "gradients") for v in every]),
        ("entries with second gradients, all passing", [passes(v, "second gradients") for v in every]),
        ("variants (method, in-place, out=) passing", variants),
        ("entries whose every sample passes forward through XLA", [passes(v, "xla forward") for v in every]),
        ("entries with gradients through XLA, all passing", [passes(v, "xla gradients") for v in every]),
    ]
    counted = [(name, *_count(found, every if name.startswith("entries whose") else None)) for name, found in rows]
    return [row for row in (*counted, _inputs(every, "error type"), _inputs(every, "error text")) if row[2]]


def _count(found: Iterable[bool | None], of: list | None) -> tuple[int, int]:
    judged = [f for f in found if f is not None]
    return sum(judged), len(of if of is not None and judged else judged)


def _inputs(every: list[Verdicts], check: str) -> tuple[str, int, int]:
    found = [v[check] for v in every if check in v]
    name = {"error type": "error inputs: same type", "error text": "error inputs: same first line of text"}[check]
    return name, sum(v.passed for v in found), sum(v.total for v in found)


def summary(results: Results) -> str:
    """Return the figures, one per line."""
    return "\n".join(f"{100 * n / max(of, 1):5.1f}%  {n:4} of {of:4}  {name}" for name, n, of in figures(results))


def clusters(results: Results, key: Callable[[str], str] = lambda text: text.partition(" [")[0][:110]) -> str:
    """Return the failures grouped by their text, the most frequent first. Each check has at most one failure."""
    found: dict[str, list[str]] = {}
    for name, verdicts in results.items():
        for check, v in verdicts.items():
            if v.failure:
                found.setdefault(f"{check.split()[0]}: {key(v.failure)}", []).append(name)
    count = Counter({text: len(names) for text, names in found.items()})
    return "\n".join(f"{n:4}  {text}  <- {', '.join(sorted(set(found[text]))[:6])}" for text, n in count.most_common())


# -- the page ----------------------------------------------------------------------------------------------------------


def page(results: Results) -> str:
    """Return the Markdown page."""
    counted = [f"| {name} | {100 * n / max(of, 1):.1f}% | {n} of {of} |" for name, n, of in figures(results)]
    entries = [_line(name, verdicts) for name, verdicts in sorted(results.items())]
    tables = (WITHOUT_VALUES, UP_TO_A_CHOICE, ILL_CONDITIONED)
    loose = [f"| {name} | {why} |" for table in tables for name, why in sorted(table.items())]
    different = [f"| {name} | {why} |" for name, why in sorted(DIFFERENT_THROUGH_XLA.items())]
    return "\n".join(
        [
            "# Coverage",
            "",
            _HOW,
            "",
            "| | | |",
            "|---|---|---|",
            *counted,
            "",
            "Entries with weaker checks:",
            "",
            "| entry | why |",
            "|---|---|",
            *loose,
            "",
            "Entries with known differences in programs compiled by XLA:",
            "",
            "| entry | why |",
            "|---|---|",
            *different,
            "",
            "A cell shows how many samples passed (one number: all). A cell is empty if PyTorch has no such samples.",
            "",
            "| entry | forward | gradients | second | method | in-place | out= | errors | XLA | first failure |",
            "|---|---|---|---|---|---|---|---|---|---|",
            *entries,
            "",
        ]
    )


_HOW = f"""\
Written by `python -m tests.conformance`, which runs the sample inputs of every entry of the operator database in the
PyTorch wheel under both libraries on the CPU.

- Results are compared in value (with the default tolerances of `torch.testing.assert_close`), dtype and shape;
  views also in strides.
- Forward results are compared in float32, float64, int64, bool, bfloat16 and complex64, as far as PyTorch supports
  them; gradients in float64 and complex128; variants in the first supported dtype; errors by type and first line.
- If an entry has more than {MOST_SAMPLES} samples of a dtype, {MOST_SAMPLES} evenly spaced samples are run.
  For gradients, which have to be compiled, this limit is {MOST_SAMPLES // 2}.
- The column XLA is written by `python -m tests.conformance --executor xla`: results in float32, int64, bfloat16 and
  complex64, and gradients in float32 and float64, of programs compiled by XLA, up to {MOST_COMPILED} samples each.
  They may also differ by the error of PyTorch's own result, and by as much as PyTorch's result changes when the
  inputs change within the tolerance. The other columns are those of the NumPy executor.
- If PyTorch does not support float32, the first line of the table counts the first supported dtype instead. An entry
  that PyTorch itself cannot run on the CPU counts as not passing."""


def _line(name: str, verdicts: Verdicts) -> str:
    kinds = ("forward", "gradients", "second", "method", "in-place", "out=", "error text", "xla")
    cells = [_cell([v for check, v in verdicts.items() if check.startswith(kind)]) for kind in kinds]
    failure = next((v.failure for v in verdicts.values() if v.failure), "")
    short = failure[:LONGEST] + ("..." if len(failure) > LONGEST else "")
    return f"| {name} | {' | '.join(cells)} | {_escaped(short)} |"


def _cell(verdicts: list[Verdict]) -> str:
    passed, total = sum(v.passed for v in verdicts), sum(v.total for v in verdicts)
    return "" if not total else str(total) if passed == total else f"**{passed}** of {total}"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<").replace("\n", " ")
