"""The table of names that public repositories use: each name exists in torchlike or is listed as missing."""

import pytest

from tests.conformance import names
from tests.conformance.names import CORE, USED_BY_SOME

TEXT = names.PATH.read_text("utf-8")
LISTED = [name for name in names.names() if f"`{name.text}` {name.repositories}" in TEXT.partition("## Missing")[2]]


@pytest.mark.parametrize("place", sorted({name.place for name in names.names()}))
def test_names_outside_the_table_of_missing_names_exist(place):
    lost = [n.text for n in names.names() if n.place == place and n not in LISTED and not names.resolves(n.text)]
    assert lost == []


def test_names_in_the_table_of_missing_names_do_not_exist():
    assert [n.text for n in LISTED if names.resolves(n.text)] == [], "write it anew: python -m tests.conformance.names"


def test_names_used_by_three_repositories_are_tested():
    used = [n for n in names.names() if n.place in CORE and n.repositories >= USED_BY_SOME and n not in LISTED]
    assert [n.text for n in used if not names.is_tested(n.text)] == []
