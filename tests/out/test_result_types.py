"""The types of several results: those of calls with `out=`, and their places in trees."""

import importlib

import pytest
import torch

import torchlike

CALLS = {
    "aminmax": ("a", "ff"),
    "cummax": ("a, 1", "fl"),
    "geqrf": ("a", "ff"),
    "histogram": ("a.flatten(), 3", "ff"),
    "kthvalue": ("a, 1", "fl"),
    "linalg.cholesky_ex": ("a @ a.mT", "fi"),
    "linalg.eigh": ("a", "ff"),
    "linalg.inv_ex": ("a", "fi"),
    "linalg.lu": ("a", "fff"),
    "linalg.qr": ("a", "ff"),
    "linalg.slogdet": ("a", "ff"),
    "linalg.svd": ("a", "fff"),
    "max": ("a, 1", "fl"),
    "median": ("a, 1", "fl"),
    "min": ("a, 1", "fl"),
    "mode": ("a, 1", "fl"),
    "slogdet": ("a", "ff"),
    "sort": ("a", "fl"),
    "topk": ("a, 1", "fl"),
}


def _called(lib, name):
    dtypes = {"f": lib.float32, "l": lib.int64, "i": lib.int32}
    args, kinds = CALLS[name]
    names = {"torch": lib, "a": lib.tensor([[3.0, 1.0], [1.0, 2.0]])}
    names["out"] = tuple(lib.empty(0, dtype=dtypes[kind]) for kind in kinds)
    found = eval(f"torch.{name}({args}, out=out)", names)
    return type(found).__name__, [a is b for a, b in zip(found, names["out"])]


@pytest.mark.parametrize("name", CALLS)
def test_calls_with_out(name):
    assert _called(torchlike, name) == _called(torch, name)


def test_all_types():
    found = [[kind.__name__ for kind in lib.return_types.all_return_types] for lib in (torch, torchlike)]
    assert found[0] == found[1]


def _in_a_tree(lib):
    tree = importlib.import_module(f"{lib.__name__}.utils._pytree")
    found = lib.sort(lib.tensor([2.0, 1.0]))
    mapped = tree.tree_map(lambda x: x + 1, found)
    return [
        str(tree.tree_flatten(found)[1]),
        str(tree.tree_flatten_with_path(found)[0]),
        type(mapped).__name__,
        str(mapped.values),
    ]


def test_in_trees():
    assert _in_a_tree(torchlike) == _in_a_tree(torch)
