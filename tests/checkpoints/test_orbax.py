"""Checkpoints for JAX programs. The package orbax-checkpoint is replaced by a recorder, because it is optional."""

import os
import sys
import types

import jax
import numpy as np
import pytest

import torchlike
from torchlike.distributed.checkpoint.orbax import save_for_jax


@pytest.fixture
def saved(monkeypatch):
    """Install a module in place of Orbax, and return the list of its saves."""
    found = []

    class StandardCheckpointer:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def save(self, path, tree, force):
            found.append((path, tree, force))

        def wait_until_finished(self):
            found.append("complete")

    module = types.ModuleType("orbax.checkpoint")
    module.StandardCheckpointer = StandardCheckpointer
    monkeypatch.setitem(sys.modules, "orbax", types.ModuleType("orbax"))
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", module)
    return found


def test_tensors_become_arrays(saved):
    weight = torchlike.nn.Parameter(torchlike.ones(2, 3, dtype=torchlike.bfloat16))
    save_for_jax({"model": {"weight": weight, "steps": [torchlike.tensor(3), 0.5, 7]}}, "folder")
    (path, tree, force), last = saved
    assert path == os.path.abspath("folder") and not force and last == "complete"
    assert isinstance(tree["model"]["weight"], jax.Array) and str(tree["model"]["weight"].dtype) == "bfloat16"
    assert (np.asarray(tree["model"]["weight"]) == 1).all() and tree["model"]["steps"][1:] == [0.5, 7]
    assert tree["model"]["steps"][0] == 3


def test_save_for_jax_refuses_other_keys_and_values(saved):
    with pytest.raises(TypeError, match=r"the key 3 in a must be a string"):
        save_for_jax({"a": {3: torchlike.ones(1)}}, "folder")
    with pytest.raises(TypeError, match=r"a\.b is a set, which an Orbax checkpoint cannot hold"):
        save_for_jax({"a": {"b": {1}}}, "folder")
    with pytest.raises(TypeError, match="name is a str, which"):
        save_for_jax({"name": "x"}, "folder")
    assert saved == []


def test_without_orbax(monkeypatch):
    monkeypatch.setitem(sys.modules, "orbax.checkpoint", None)
    with pytest.raises(ImportError, match="pip install orbax-checkpoint"):
        save_for_jax({}, "folder")
