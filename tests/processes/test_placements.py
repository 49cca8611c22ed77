"""Placements of tensors on a mesh, compared with PyTorch."""

import copy

import pytest
import torch.distributed.tensor as theirs
from torch.distributed.tensor.placement_types import _StridedShard as their_strided

import torchlike.distributed.tensor as ours
from torchlike.distributed.tensor.placement_types import _StridedShard as our_strided

MADE = {
    "shard": lambda t, strided: t.Shard(0),
    "last": lambda t, strided: t.Shard(-1),
    "replicate": lambda t, strided: t.Replicate(),
    "sum": lambda t, strided: t.Partial(),
    "mean": lambda t, strided: t.Partial("avg"),
    "strided": lambda t, strided: strided(0, split_factor=2),
}


@pytest.mark.parametrize("name", MADE)
def test_placements_say_the_same(name):
    expected, found = MADE[name](theirs, their_strided), MADE[name](ours, our_strided)
    assert (repr(found), str(found)) == (repr(expected), str(expected))
    for ask in (
        lambda x: x.is_shard(),
        lambda x: x.is_shard(0),
        lambda x: x.is_replicate(),
        lambda x: x.is_partial(),
        lambda x: x.is_partial("sum"),
    ):
        assert ask(found) == ask(expected)
    assert found == copy.deepcopy(found) and hash(found) == hash(copy.deepcopy(found))
    assert [found == make(ours, our_strided) for make in MADE.values()] == [
        expected == make(theirs, their_strided) for make in MADE.values()
    ]
    assert isinstance(found, ours.Placement)


@pytest.mark.parametrize(("length", "count"), [(8, 2), (7, 3), (2, 4), (0, 2), (5, 1)])
def test_parts_are_cut_as_chunk_cuts(length, count):
    for rank in range(count):
        expected = theirs.Shard.local_shard_size_and_offset(length, count, rank)
        assert ours.Shard.local_shard_size_and_offset(length, count, rank) == expected


def test_placements_do_not_change():
    with pytest.raises(AttributeError):
        ours.Shard(0).dim = 1
    with pytest.raises(TypeError):
        ours.Shard()
