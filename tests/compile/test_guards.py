"""The C and Python implementations of guards detect the same changes."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

import torchlike
from torchlike import _native
from torchlike._compile import object_kinds, reach
from torchlike._compile.guards import Attributes, Guards
from torchlike._compile.reach import Reach


@pytest.fixture(params=["C", "Python"])
def looker(request, monkeypatch):
    if request.param == "Python":
        monkeypatch.setattr(_native, "same", None)


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
def test_changes_are_seen(looker, change):
    held = things()
    found = watched(held)
    assert found.all_pass()
    change(held)
    assert not found.all_pass()


def test_an_equal_number_is_the_same(looker):
    held = things() | {"large": 10**20}
    found = watched(held)
    held["large"] = 10**20 + 0 * len(held)
    assert found.all_pass() and found.all_pass()


class Holder:
    def __init__(self, held):
        self.held = held


def test_attributes_are_compared_as_what_they_are_or_equal(looker):
    few = [Holder(Holder((i, "a"))) for i in range(20)]
    inner, outer = Attributes(few, "held.held"), Attributes(few, "held")
    assert inner.is_unchanged() and outer.is_unchanged()
    few[19].held.held = (19, "".join("a"))
    assert inner.is_unchanged() and outer.is_unchanged()
    few[7].held = Holder(few[7].held.held)
    assert inner.is_unchanged() and not outer.is_unchanged()
    few[3].held.held = torchlike.ones(2)  # its `==` returns a tensor
    assert not inner.is_unchanged()
    del few[3].held.held
    with pytest.raises(AttributeError, match="held"):
        inner.is_unchanged()


@pytest.mark.parametrize("held", ["value", "array", "tensor", "nothing"])
def test_state_with_other_references_is_not_overwritten(looker, held):
    weight = torchlike.zeros(3)

    @torchlike.compile
    def step():
        weight.add_(1)
        return weight.sum()

    assert [step().item() for _ in range(3)] == [3, 6, 9]
    kept = {
        "value": lambda: weight._storage.value,
        "array": lambda: weight._storage.value.array,
        "tensor": lambda: weight.detach(),
        "nothing": lambda: None,
    }[held]()
    assert step().item() == 12
    array = getattr(kept, "array", kept)
    if held in ("value", "array"):
        assert array.tolist() == [3, 3, 3]
    elif held == "tensor":
        assert kept.tolist() == [4, 4, 4]
    assert weight.tolist() == [4, 4, 4]


@pytest.fixture
def same():
    """Return the C extension. If a compiler is present and the extension is missing, tests/ops/test_native.py fails."""
    return _native.same


def test_c_tells_what_nobody_else_holds(same):
    if same:
        few = [Holder([i]) for i in range(20)]
        assert same.alone(few, "held", list) == [[i] for i in range(20)]
        assert same.alone(few, "held", tuple) is None
        kept = few[12].held
        assert same.alone(few, "held", list) is None
        del kept
        assert same.alone(few, "held", list) is not None
        with pytest.raises(AttributeError, match="other"):
            same.alone(few, "other", list)


def test_c_tells_what_is_empty(same):
    if same:
        many = [{}, OrderedDict(), []] * 10
        assert same.empty(many) and same.empty([])
        for i, full in [(9, {1: 2}), (13, OrderedDict(a=1)), (29, [0])]:
            assert not same.empty([*many[:i], full, *many[i + 1 :]])


def test_code_that_reaches_too_many_objects_is_not_captured(monkeypatch):
    monkeypatch.setattr(reach, "MOST_VISITED", 100)
    many = [[i] for i in range(200)]
    f = torchlike.compile(lambda x: x * many[1][0])
    assert [f(torchlike.ones(1)).item() for _ in range(3)] == [1.0] * 3
    assert f.explained().reasons == ("its code can reach more than 100 objects",)


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.Generator])
def test_states_of_generators_are_compared_in_full(kind):
    bits = [np.random.MT19937(0), np.random.MT19937(0)]
    first, second = map(kind, bits)
    assert object_kinds.random_state(first) == object_kinds.random_state(second)
    changed = bits[1].state
    changed["state"]["key"][300] += 1
    bits[1].state = changed
    with np.printoptions(threshold=10):
        assert object_kinds.random_state(first) != object_kinds.random_state(second)


WRONG = {
    "empty": [((),), ({},)],
    "hold": [([], [()]), ([{}], []), ([1], [()]), ([{}], [[]]), ((), ())],
    "attributes": [([], ("a",), [1]), ((), ("a",), []), ([], "a", []), ([], ("a",), ())],
    "alone": [((), "a", int), ([], 1, int), ([], "a", 1)],
}


@pytest.mark.parametrize("name, given", [(name, given) for name, many in WRONG.items() for given in many])
def test_c_functions_refuse_wrong_arguments(same, name, given):
    if same:
        with pytest.raises(ValueError, match=f"{name} expects"):
            getattr(same, name)(*given)


# A window of some memory, which the function reads through `detach`, beside the whole memory.
WINDOWS = {
    "a parameter": lambda u, x: (x.detach() * 2 + u.sum().detach(), None),
    "a weight and its window": lambda u, x: (x.detach()[:2] @ u.detach()[:2], None),
}


@pytest.mark.parametrize("is_argument", [False, True])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows_at_other_places_of_the_same_memory(name, is_argument):
    u = torchlike.nn.Parameter(torchlike.arange(6.0))
    compute = WINDOWS[name]
    step = torchlike.compile((lambda x, y: compute(y, x)) if is_argument else (lambda x, y: compute(u, x)))
    for i in (0, 1, 3, 0, 2):
        window = u.detach()[i : i + 3]
        assert step(window, u)[0].tolist() == compute(u, window)[0].tolist()
