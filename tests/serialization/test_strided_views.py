"""Views of a loaded storage with arbitrary strides: reads and writes, compared with PyTorch's as_strided."""

import pytest
import torch

import torchlike
from torchlike._tensor.storage_io import strided_view

VIEWS = {
    "all": ((4, 6), (6, 1), 0),
    "flat": ((24,), (1,), 0),
    "another shape": ((2, 3, 4), (12, 4, 1), 0),
    "turned": ((6, 4), (1, 6), 0),
    "a row": ((6,), (1,), 12),
    "a column": ((4,), (6,), 3),
    "a block": ((2, 3), (6, 1), 8),
    "every other": ((2, 3), (12, 2), 1),
    "turned block": ((3, 2), (1, 6), 8),
    "last rows": ((2, 2), (6, 2), 15),
    "one element": ((), (), 17),
    "dims of size one": ((1, 3, 1), (100, 2, 7), 4),
    "nothing": ((0, 3), (3, 1), 0),
    "diagonal": ((4,), (7,), 0),
    "repeated": ((3, 2, 2), (0, 1, 0), 5),
    "windows": ((5, 3), (1, 1), 2),
    "crossing windows": ((3, 4), (2, 3), 0),
}
OWNERS = {
    "row-major": lambda T: T.arange(24.0).reshape(4, 6),
    "flat": lambda T: T.arange(24.0),
    "turned": lambda T: T.arange(24.0).reshape(4, 6).t(),
}


def whole(T, owner):
    """Return a tensor whose storage has the owner's shape and strides."""
    made = OWNERS[owner](T)
    return made if T is torch else torchlike.empty_like(made).copy_(made) if owner == "turned" else made.clone()


def seen(T, base, name):
    return T.as_strided(base, *VIEWS[name]) if T is torch else strided_view(base, *VIEWS[name])


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("name", VIEWS)
def test_reading(name, owner):
    expected, found = (seen(T, whole(T, owner), name) for T in (torch, torchlike))
    assert found.tolist() == expected.tolist()
    assert (found.stride(), found.storage_offset()) == (expected.stride(), expected.storage_offset())
    assert (found * 2).tolist() == (expected * 2).tolist()


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("name", [n for n in VIEWS if n not in ("repeated", "windows", "crossing windows")])
def test_writing(name, owner):
    bases = [whole(T, owner) for T in (torch, torchlike)]
    views = [seen(T, base, name) for T, base in zip((torch, torchlike), bases)]
    for view in views:
        view.mul_(-1).add_(0.5)
    assert bases[1].tolist() == bases[0].tolist()
    for base in bases:
        base.mul_(3)
    assert views[1].tolist() == views[0].tolist()


def test_gradients_flow_through_what_is_seen():
    base = torchlike.arange(24.0).reshape(4, 6)
    leaf = strided_view(base, (2, 3), (12, 2), 1).requires_grad_()
    (leaf * leaf).sum().backward()
    assert leaf.grad.tolist() == (2 * leaf).tolist()
