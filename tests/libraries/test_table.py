"""The committed table of third-party libraries lists exactly these programs, and all have the result "same"."""

import pytest

from tests.libraries.__main__ import PROGRAMS, TABLE, described

ROWS = [line.split(" | ") for line in TABLE.read_text("utf-8").partition("|--:|\n")[2].splitlines()]


def test_the_table_lists_all_programs():
    assert [row[1] for row in ROWS] == [described(program)[1] for program in PROGRAMS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].removeprefix("| "))
def test_the_output_is_the_same(row):
    assert row[3] == "same" and int(row[2]) > 0
