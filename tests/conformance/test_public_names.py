"""The table of PyTorch's public names: each name exists in torchlike or is listed as absent."""

import json

import pytest

from tests.conformance import public_names
from tests.conformance.public_names import ABSENT, state

LISTED = public_names.listed()


def test_names_are_those_of_the_tested_version():
    assert json.loads(public_names.HERE.read_text("utf-8"))["version"] == public_names.VERSION


@pytest.mark.parametrize("place", sorted({public_names.place_of(module) for module in public_names.public_names()}))
def test_names_that_the_table_does_not_list_exist(place):
    groups = {m: names for m, names in public_names.public_names().items() if public_names.place_of(m) == place}
    lost = [
        f"{m}.{n}" for m, names in groups.items() for n in names if n not in LISTED.get(m, ()) and state(m, n) == ABSENT
    ]
    assert lost == []


def test_table_lists_no_name_that_exists():
    there = [f"{m}.{n}" for m, names in LISTED.items() for n in names if state(m, n) != ABSENT]
    assert there == [], "write it anew: python -m tests.conformance.public_names"
