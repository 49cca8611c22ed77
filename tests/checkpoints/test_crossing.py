"""Checkpoints of PyTorch are read by torchlike, and those of torchlike by PyTorch, bit by bit.

`python -m tests.checkpoints.test_crossing 1000` compares more random state dicts.
"""

import importlib
import sys
import tempfile
import warnings

import pytest
import torch

import torchlike
from tests.checkpoints.states import DTYPES, States, plain

WAYS = [(torch, torchlike), (torchlike, torch), (torchlike, torchlike)]
pytestmark = pytest.mark.filterwarnings("ignore")


def dcp(L, name=""):
    return importlib.import_module(f"{L.__name__}.distributed.checkpoint{name and '.' + name}")


def crossed(writer, reader, folder, seed, **options):
    """Save a random state dict with one library and load it with the other. Return what was saved and loaded."""
    saved = States(writer, seed).state()
    dcp(writer).save(saved, storage_writer=dcp(writer).FileSystemWriter(folder, **options))
    loaded = States(reader, seed, blank=True).state()
    dcp(reader).load(loaded, checkpoint_id=folder)
    whole = dcp(reader, "state_dict_loader")._load_state_dict_from_keys(checkpoint_id=folder)
    return plain(saved), plain(loaded), plain(whole)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("writer", "reader"), WAYS)
def test_random_state_dicts(writer, reader, seed, tmp_path):
    options = {"thread_count": 1 + seed % 3, "single_file_per_rank": seed % 4 != 3}
    saved, loaded, whole = crossed(writer, reader, tmp_path, seed, **options)
    assert loaded == whole == saved


@pytest.mark.parametrize(("writer", "reader"), WAYS)
def test_every_dtype(writer, reader, tmp_path):
    saved = {dtype: States(writer, 1).elements(dtype, [3, 2]) for dtype in DTYPES}
    dcp(writer).save(saved, checkpoint_id=tmp_path)
    loaded = {dtype: States(reader, 1, blank=True).elements(dtype, [3, 2]) for dtype in DTYPES}
    dcp(reader).load(loaded, checkpoint_id=tmp_path)
    assert plain(loaded) == plain(saved)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for number in range(int(sys.argv[1])):
        for one, other in WAYS:
            with tempfile.TemporaryDirectory() as where:
                before, after, everything = crossed(one, other, where, number)
                assert before == after == everything, (number, one, other)
