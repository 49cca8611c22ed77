"""The committed table lists exactly these programs, and all agree with PyTorch."""

import pytest

from tests.libraries.__main__ import described
from tests.libraries.distributed.__main__ import PROGRAMS, TABLE, TOLERANCE, compared

ROWS = [line.split(" | ") for line in TABLE.read_text("utf-8").partition("|--:|\n")[2].splitlines()]


def test_the_table_lists_all_programs():
    assert [row[1] for row in ROWS] == [described(program)[1] for program in PROGRAMS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].partition(",")[0])
def test_recorded_differences_are_within_the_tolerance(row):
    assert int(row[2]) > 0 and float(row[3]) <= TOLERANCE


def test_compared_finds_differences():
    assert compared(["0 loss 1.000000", "1 end"], ["0 loss 1.000001", "1 end"])[1] == []
    assert compared(["0 loss 1.000000"], ["0 loss 1.000100"])[1]
    assert compared(["0 bf16 1.000000"], ["0 bf16 1.000100"]) == (0, [])
    assert compared(["0 loss 1.0", "1 end"], ["0 loss 1.0"])[1] and compared([], [])[1]
