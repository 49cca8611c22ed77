"""Guards see the same changes whether C or Python looks for them."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from torchlike._compile import guards
from torchlike._compile.guards import Guards
from torchlike._compile.reach import Reach


@pytest.fixture(params=["C", "Python"], autouse=True)
def looker(request, monkeypatch):
    if request.param == "Python":
        monkeypatch.setattr(guards, "same_objects", None)


def watched(held) -> Guards:
    return Guards(Reach().walk((held, "held")), [])


CHANGES = {
    "another value": lambda held: held.update(number=2),
    "a value of another type": lambda held: held.update(flag=1),
    "a zero of the other sign": lambda held: held.update(zero=-0.0),
    "a new key": lambda held: held.update(more=1),
    "a key less": lambda held: held.pop("number"),
    "another order": lambda held: held.update(number=held.pop("number")),
    "a key where none was": lambda held: held["empty"].update(a=1),
    "an element more": lambda held: held["list"].append(1),
    "another element": lambda held: held["list"].__setitem__(0, 2),
    "an element that moved on": lambda held: held["other"].append(held["list"].pop()),
    "another order of hooks": lambda held: held["ordered"].move_to_end("a"),
}


def things() -> dict:
    ordered = OrderedDict(a=1, b=2)
    return {"number": 1, "flag": True, "zero": 0.0, "list": [1, 3], "other": [], "empty": {}, "ordered": ordered}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changes_are_seen(change):
    held = things()
    found = watched(held)
    assert found.hold()
    change(held)
    assert not found.hold()


def test_an_equal_number_is_the_same():
    held = things() | {"large": 10**20}
    found = watched(held)
    held["large"] = 10**20 + 0 * len(held)
    assert found.hold() and found.hold()


@pytest.mark.parametrize("given", [([], [()]), ([{}], []), ([1], [()]), ([{}], [[]]), ((), ())])
def test_what_c_refuses(given):
    if guards.same_objects is not None:
        with pytest.raises(ValueError, match="hold expects"):
            guards.same_objects.hold(*given)
