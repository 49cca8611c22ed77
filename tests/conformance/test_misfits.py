"""Calls of a few entries with unsuitable arguments.

Their errors are torchlike's own, and there are no more differences than recorded.
"""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from tests.conformance import misfits
from tests.conformance.entries import load

pytestmark = pytest.mark.filterwarnings("ignore")

# The totals of `misfits.json`. Lower them when a row shrinks; never raise them.
ACCEPTED, REFUSED = 278, 279
FEW = 36  # entries; `python -m tests.conformance.misfits` checks all of them
GROUPS = 6


@pytest.mark.one_in(3)
@pytest.mark.parametrize("group", range(GROUPS))
def test_misfits_are_answered_as_recorded(group):
    entries, table = random.Random(1).sample(load(), FEW)[group::GROUPS], misfits.read()
    lines = [line for e in entries for line in misfits.beyond(e.name, list(misfits.findings(e)), table)]
    assert not lines, "\n".join(lines)


def test_the_table_does_not_grow():
    table = misfits.read()
    assert table.keys() <= {entry.name for entry in load()}
    assert sum(row.get("accepted", 0) for row in table.values()) == ACCEPTED
    assert sum(row.get("refused", 0) for row in table.values()) == REFUSED


@pytest.mark.parametrize("text", ["internal error of torchlike: x", "list index out of range"])
def test_an_error_of_torchlikes_own_is_seen(text):
    assert misfits.is_internal(RuntimeError(text), RuntimeError("sizes do not match"))
    assert not misfits.is_internal(IndexError(text), IndexError(text))


def test_a_foreign_error_is_seen():
    import numpy as np

    with pytest.raises(ValueError, match="broadcast") as caught:
        np.broadcast_shapes((2,), (3,))
    assert misfits.is_foreign(caught.value)
    assert not misfits.is_foreign(ValueError("ours"))


def test_a_warning_that_is_an_error_remains_itself():
    program = "import {0}; {0}.cross({0}.ones(3), {0}.ones(3))"  # a process of its own: the warning is given once
    for library in ("torch", "torchlike"):
        command = [sys.executable, "-W", "error::UserWarning", "-c", program.format(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode and "UserWarning: Using torch.cross without specifying the dim" in done.stderr
