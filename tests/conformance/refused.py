"""The error inputs of an entry: torchlike raises the same type with the same first line as PyTorch."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from tests.conformance import translate
from tests.conformance.call import Call, Limits, Verdict, attempt
from tests.conformance.compare import tensors
from tests.conformance.entries import Entry
from tests.oracle import to_theirs
from tests.oracle.test_bad_input import ENDS


class Refusals(NamedTuple):
    """The verdicts on the types of the errors, and on the first lines of their messages."""

    kind: Verdict
    text: Verdict


def errors(entry: Entry, limits: Limits) -> Refusals:
    """Check every error input."""
    found = Refusals(Verdict(), Verdict())
    for number, case in enumerate(entry.errors()):
        call = Call(case.sample_input, number)
        _, theirs = attempt(lambda: call.theirs(entry.info.op))  # noqa: B023
        if theirs is not None:
            with limits.alarm():
                _, ours = attempt(lambda: _observed(entry, call))  # noqa: B023
            _count(found, ours, theirs, str(call))
    return found


def _observed(entry: Entry, call: Call) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for t in tensors(call.ours(translate.function(entry.info.name, entry.info.op)).result):
            to_theirs(t)


def _count(found: Refusals, ours: Exception | None, theirs: Exception, at: str) -> None:
    due, seen = type(theirs).__name__, type(ours).__name__ if ours is not None else "nothing"
    found.kind.add(None if seen == due else f"raises {seen} ({first_line(ours)}), not {due} ({first_line(theirs)})", at)
    same = ours is not None and first_line(ours) == first_line(theirs)
    found.text.add(None if same else f"{first_line(ours)!r}, not {first_line(theirs)!r}", at)


def first_line(error: Exception | None) -> str:
    """Return the first line of an error's message, without the part that only PyTorch's own build can produce."""
    text = str(error) if error is not None else ""
    for end in ENDS:
        text = text.partition(end)[0]
    return text.partition("\n")[0]
