"""The output of `torchlike check`, as text and as a JSON document."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from torchlike._cli.verdict import STATUSES, SUPPORTED

if TYPE_CHECKING:
    from torchlike._cli.check import Checked

COVERED = STATUSES[:2]


def text(checked: Checked, every: bool = False) -> str:
    """Return a line for each use that is not plainly supported (for each use, with `every`), and the summary."""
    shown = [each for each in checked.findings if every or each.status != SUPPORTED]
    lines = [
        f"{each.path}:{each.line}:{each.column}  {each.status}  {each.name}" + (f"  {each.note}" if each.note else "")
        for each in shown
    ]
    return "\n".join([*lines, *([""] if lines else []), *_summary_lines(checked)])


def document(checked: Checked) -> str:
    """Return the whole result as JSON."""
    return json.dumps(
        {
            "summary": summary(checked),
            "libraries": dict(sorted(checked.libraries.items())),
            "names": [each._asdict() for each in checked.findings],
            "errors": [each._asdict() for each in checked.errors],
        },
        indent=1,
    )


def summary(checked: Checked) -> dict[str, Any]:
    """Return the numbers of files, names and uses, by status. The status of a name is the worst of its uses."""
    worst: dict[str, str] = {}
    for each in checked.findings:
        worst[each.name] = max(worst.get(each.name, SUPPORTED), each.status, key=STATUSES.index)
    names, uses = Counter(worst.values()), Counter(each.status for each in checked.findings)
    return {
        "files": checked.files,
        "names": {status: names[status] for status in STATUSES},
        "uses": {status: uses[status] for status in STATUSES},
        "coverage of names": _covered(names),
        "coverage of uses": _covered(uses),
    }


def _covered(counts: Counter[str]) -> float | None:
    """Return the percentage that is supported or differing, or None if there is nothing."""
    total = sum(counts.values())
    return round(100 * sum(counts[status] for status in COVERED) / total, 2) if total else None


def _summary_lines(checked: Checked) -> list[str]:
    figures = summary(checked)
    files = f"{checked.files} file{'' if checked.files == 1 else 's'}"
    if not checked.findings:
        lines = [f"{files}, no PyTorch names"]
    else:
        lines = [f"{files}, {sum(figures['names'].values())} names, {sum(figures['uses'].values())} uses"]
        lines += [
            f"  {status:9}  {figures['names'][status]:6} names  {figures['uses'][status]:6} uses" for status in STATUSES
        ]
        lines.append(
            f"supported or differing: {figures['coverage of names']}% of names, {figures['coverage of uses']}% of uses"
        )
    if checked.libraries:
        lines.append("libraries:")
        lines += [f"  {name}: {note}" for name, note in sorted(checked.libraries.items())]
    return lines
