"""Collating and converting batches, compared with PyTorch."""

import collections
import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.utils_data.judge import same

Point = collections.namedtuple("Point", "x y")


class Table(dict):
    pass


class Row(list):
    pass


BATCHES = {
    "tensors": lambda T: [T.arange(4.0).reshape(2, 2), T.ones(2, 2)],
    "zero-dim tensors": lambda T: [T.tensor(1), T.tensor(2)],
    "tensors that need gradients": lambda T: [T.ones(1, requires_grad=True)],
    "unequal tensors": lambda T: [T.ones(2), T.ones(3)],
    "a tensor and an int": lambda T: [T.ones(2), 1],
    "arrays": lambda T: [np.ones(2), np.zeros(2)],
    "arrays of two dtypes": lambda T: [np.ones(2), np.zeros(2, np.float32)],
    "zero-dim arrays": lambda T: [np.array(1.5), np.array(2.5)],
    "empty arrays": lambda T: [np.ones((0, 2)), np.ones((0, 2))],
    "unequal arrays": lambda T: [np.ones(2), np.ones(3)],
    "unsigned arrays": lambda T: [np.array([1], np.uint16)],
    "complex arrays": lambda T: [np.ones(1, np.complex64)],
    "arrays of text": lambda T: [np.array(["a"])],
    "zero-dim array of text": lambda T: [np.array("a")],
    "arrays of objects": lambda T: [np.array([Ellipsis])],
    "float32 scalars": lambda T: [np.float32(1), np.float32(2)],
    "float64 scalars": lambda T: [np.float64(1), np.float64(2)],
    "int64 scalars": lambda T: [np.int64(3)],
    "bool scalars": lambda T: [np.bool_(True)],
    "text scalars": lambda T: [np.str_("a")],
    "dates": lambda T: [np.datetime64("2020-01-01")],
    "ints": lambda T: [1, 2],
    "floats": lambda T: [1.5, 2],
    "an int, then a float": lambda T: [1, 2.5],
    "bools": lambda T: [True, False],
    "strings": lambda T: ["a", "b"],
    "bytes": lambda T: [b"a"],
    "dicts": lambda T: [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    "dicts of other keys": lambda T: [{"a": 1}, {"b": 1}],
    "ordered dicts": lambda T: [collections.OrderedDict(a=1)],
    "default dicts": lambda T: [collections.defaultdict(list, a=1)],
    "counters": lambda T: [collections.Counter("a")],
    "dict subclass": lambda T: [Table(a=1)],
    "namedtuples": lambda T: [Point(1, 2.0), Point(3, 4.0)],
    "tuples": lambda T: [(1, "a"), (3, "b")],
    "lists": lambda T: [[1, 2], [3, 4]],
    "list subclass": lambda T: [Row([1, 2])],
    "deques": lambda T: [collections.deque([1])],
    "ranges": lambda T: [range(2), range(2)],
    "bytearrays": lambda T: [bytearray(b"x")],
    "memoryviews": lambda T: [memoryview(b"x")],
    "unequal tuples": lambda T: [(1,), (1, 2)],
    "nested": lambda T: [{1: [1, (2.0, "a")], "b": (T.ones(1), np.ones(1))}] * 2,
    "unequal inside": lambda T: [{"a": [1]}, {"a": [1, 2]}],
    "nothing": lambda T: [],
    "None": lambda T: [None, None],
    "complex": lambda T: [1 + 1j],
    "sets": lambda T: [{1, 2}],
    "ellipsis": lambda T: [Ellipsis],
    "one tensor": lambda T: T.ones(2),
}


@pytest.mark.parametrize("name", BATCHES)
def test_default_collate(name):
    same(lambda T: T.utils.data.default_collate(BATCHES[name](T)))


@pytest.mark.parametrize("name", [n for n in BATCHES if n not in ("nothing", "dates")])
def test_default_convert(name):
    def convert(T):
        made = T.utils.data.default_convert(BATCHES[name](T)[0])
        return list(made) if isinstance(made, memoryview) else made

    same(convert)


def test_own_types_can_be_collated():
    def own(T):
        from importlib import import_module

        module = import_module(T.__name__ + ".utils.data._utils.collate")
        table = {complex: lambda batch, *, collate_fn_map: T.tensor(batch), **module.default_collate_fn_map}
        return module.collate([(1j, 1), (2j, 2)], collate_fn_map=table)

    same(own)


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
@pytest.mark.parametrize("workers", [0, 1])
def test_sparse_samples_are_refused(layout, workers):
    def refused(T):
        samples = [T.eye(2).to_sparse(layout=getattr(T, layout))] * 2
        try:
            list(T.utils.data.DataLoader(samples, batch_size=2, num_workers=workers))
        except RuntimeError as error:
            return str(error).strip().splitlines()[-1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert refused(torchlike) == refused(torch)


def test_converting_keeps_masked_arrays():
    def convert(T):
        made = T.utils.data.default_convert([np.ma.array([1, 2], mask=[0, 1]), np.matrix([[1]])])
        return type(made[0]).__name__, made[0].tolist(), made[1]

    same(convert)
